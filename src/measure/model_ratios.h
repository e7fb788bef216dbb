// Summarises the results of many random key models in a few figures.
#pragma once

#include "src/bench/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stream_compaction {

/// Collects CUB's time divided by each row's time, for each model.
class ModelRatios {
  public:
    /// Ignores results that are not of a model, wrong, or measured without cub.
    void note(const Setting& setting, const Round& round);

    /// For each size and row: the worst value and its model, the lower quartile, and the median.
    /// Empty if fewer than two models were measured.
    std::string table() const;

  private:
    struct Ratio {
        double to_cub;
        std::uint64_t model;
    };
    /// A line of the table.
    struct Line {
        std::string algorithm;
        Tuning tuning;
        std::vector<Ratio> ratios = {};
    };
    /// All models of a setting.
    struct Series {
        Setting setting;  ///< of any of the models
        std::vector<Line> lines = {};
    };

    static std::string to_text(const Line& line);
    Line& line_of(const Measurement& measurement);

    std::vector<Series> series_;
};

}  // namespace stream_compaction
