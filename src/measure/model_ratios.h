// What many random key models say about a row, in a few figures.
#pragma once

#include "src/bench/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stream_compaction {

/// Collects cub's time over each row's, model by model.
class ModelRatios {
  public:
    /// Passes over what is on no model, wrong, or measured without cub.
    void note(const Setting& setting, const Round& round);

    /// For each size and row the worst, the lower quartile and the median, and which model is the
    /// worst. Empty where nothing was measured on several models.
    std::string table() const;

  private:
    struct Ratio {
        double to_cub;
        std::uint64_t model;
    };
    struct Row {
        std::string algorithm;
        Tuning tuning;
        std::vector<Ratio> ratios = {};
    };
    /// All models of a setting.
    struct Series {
        Setting setting;  ///< of any model
        std::vector<Row> rows = {};
    };

    static std::string line(const Row& row);
    Row& row_of(const Measurement& measurement);

    std::vector<Series> series_;
};

}  // namespace stream_compaction
