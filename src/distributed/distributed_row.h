// One measured row of distributed_test, and its results file.
#pragma once

#include "src/measure/results_file.h"
#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction {

/// The parts of a sort: the time of the GPU that took longest for each, and the bytes of the GPU
/// that sent most.
struct SortParts {
    double count_us = 0, exchange_us = 0, sort_us = 0;
    std::uint64_t sent_bytes = 0;
};

struct DistributedRow {
    Operation operation{};
    unsigned gpus = 0;
    std::size_t n = 0;
    std::string distribution;
    std::string exchange;             ///< "stores", "messages", or "none" for one GPU
    int calls = 0;                    ///< whose median the time is
    std::optional<double> median_us;  ///< of the slowest GPU; none if emulated
    std::optional<double> one_gpu_us;
    std::optional<SortParts> parts;  ///< of the last call; none if emulated
    bool is_right = false;
};

using TakeRow = std::function<void(const DistributedRow&)>;

/// As results/distributed_schema.json describes it.
std::string to_json(const Machine& machine, std::span<const DistributedRow> rows);

}  // namespace stream_compaction
