#include "src/distributed/distributed_row.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace stream_compaction {
namespace {

using Json = nlohmann::ordered_json;

/// Rounded to nanoseconds.
Json rounded(const std::optional<double>& us) {
    return us ? Json(std::round(*us * 1e3) / 1e3) : Json();
}

Json to_json(const DistributedRow& row) {
    const auto part = [&](double SortParts::*which) {
        return row.parts ? rounded((*row.parts).*which) : Json();
    };
    return {{"operation", to_string(row.operation)},
            {"gpus", row.gpus},
            {"n", row.n},
            {"distribution", row.distribution},
            {"exchange", row.exchange},
            {"calls", row.calls},
            {"median_us", rounded(row.median_us)},
            {"one_gpu_us", rounded(row.one_gpu_us)},
            {"count_us", part(&SortParts::count_us)},
            {"exchange_us", part(&SortParts::exchange_us)},
            {"sort_us", part(&SortParts::sort_us)},
            {"sent_bytes", row.parts ? Json(row.parts->sent_bytes) : Json()},
            {"verified", row.is_right}};
}

}  // namespace

std::string to_json(const Machine& machine, std::span<const DistributedRow> rows) {
    std::string text;
    for (const DistributedRow& row : rows)
        text.append(text.empty() ? "\n    " : ",\n    ").append(to_json(row).dump());
    return "{\n  \"experiment\": \"distributed\",\n  \"machine\": " + to_json(machine) +
           ",\n  \"rows\": [" + text + (text.empty() ? "]" : "\n  ]") + "\n}\n";
}

}  // namespace stream_compaction
