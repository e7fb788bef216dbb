#include "src/measure/registry_json.h"

#include "src/bench/measurement.h"
#include "src/input/input.h"
#include "src/measure/study.h"
#include "src/program/versions.h"

#include <nlohmann/json.hpp>

#include <exception>

namespace stream_compaction {
namespace {

using Json = nlohmann::ordered_json;

/// The size for which workspaces are listed: large enough to show terms proportional to n.
constexpr std::size_t kWorkspaceSize = std::size_t{1} << 20;

Json workspace_bytes(const Algorithm& algorithm) {
    if (!algorithm.unavailable.empty()) return {};
    try {
        return algorithm.workspace_bytes(kWorkspaceSize, algorithm.tuned);
    } catch (const std::exception&) {
        return {};  // CUB must ask the GPU
    }
}

Json parameter(int value) { return value != 0 ? Json(value) : Json(); }

Json to_json(const Algorithm& algorithm) {
    Json modes = Json::array();
    for (const Mode mode : kModes)
        if (!reason_against(algorithm, mode)) modes.push_back(to_string(mode));
    const LegalTuning& legal = algorithm.legal;
    return {{"operation", to_string(algorithm.operation)},
            {"algorithm", algorithm.name},
            {"description", algorithm.description},
            {"runs_on", algorithm.runs_on == Place::host ? "host" : "device"},
            {"modes", modes},
            {"asynchronous", algorithm.asynchronous},
            {"in_place", algorithm.in_place},
            {"has_phases", algorithm.has_phases},
            {"sort_passes", parameter(algorithm.sort_passes)},
            {"unavailable", algorithm.unavailable.empty() ? Json() : Json(algorithm.unavailable)},
            {"tuned",
             {{"block_size", parameter(algorithm.tuned.block_size)},
              {"items_per_thread", parameter(algorithm.tuned.items_per_thread)},
              {"padding", legal.paddings.empty() ? Json() : Json(algorithm.tuned.padding)}}},
            {"legal",
             {{"block_size", std::vector<int>(legal.block_sizes.begin(), legal.block_sizes.end())},
              {"items_per_thread",
               std::vector<int>(legal.items_per_thread.begin(), legal.items_per_thread.end())},
              {"padding", std::vector<int>(legal.paddings.begin(), legal.paddings.end())}}},
            {"workspace", {{"n", kWorkspaceSize}, {"bytes", workspace_bytes(algorithm)}}}};
}

}  // namespace

std::string list_as_json(const Registry& registry) {
    Json distributions = Json::array(), modes = Json::array(), rows = Json::array(),
         variants = Json::array();
    for (const Distribution distribution : kDistributions)
        distributions.push_back(to_string(distribution));
    for (const Mode mode : kModes) modes.push_back(to_string(mode));
    for (const Algorithm& row : registry.rows) rows.push_back(to_json(row));
    for (const Algorithm& row : registry.variants) {
        Json json = {{"variant", row.variant->name}};
        json.update(to_json(row));
        variants.push_back(json);
    }
    const auto reason = registry.unavailable_reason();
    const Json json = {{"backend", registry.backend == simt::Backend::cuda ? "cuda" : "emulated"},
                       {"unavailable", reason ? Json(*reason) : Json()},
                       {"cub", cub_version(registry.cub_version)},
                       {"distributions", distributions},
                       {"modes", modes},
                       {"rows", rows},
                       {"variants", variants}};
    return json.dump(2) + '\n';
}

}  // namespace stream_compaction
