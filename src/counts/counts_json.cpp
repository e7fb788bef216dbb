// Writes the counts file of counted_row.h.
#include "src/counts/counted_row.h"

#include <nlohmann/json.hpp>

namespace stream_compaction {
namespace {

using Json = nlohmann::ordered_json;

Json json(const GlobalCounts& counts) {
    return {{"requests", counts.requests},
            {"lanes", counts.lanes},
            {"sectors", counts.sectors},
            {"bytes_asked", counts.bytes_asked},
            {"bytes_moved", counts.bytes_moved()}};
}
Json json(const SharedCounts& counts) {
    return {
        {"requests", counts.requests}, {"lanes", counts.lanes}, {"conflicts", counts.conflicts}};
}
Json json(const AtomicCounts& counts) {
    return {{"requests", counts.requests},
            {"operations", counts.operations},
            {"most_in_request", counts.most_in_request}};
}
Json json(const BulkCounts& counts) { return {{"copies", counts.copies}, {"bytes", counts.bytes}}; }

void add(Json& to, const AccessCounts& counts) {
    to["global_loads"] = json(counts.loads);
    to["global_stores"] = json(counts.stores);
    to["shared"] = json(counts.shared);
    to["global_atomics"] = json(counts.global_atomics);
    to["shared_atomics"] = json(counts.shared_atomics);
}

void add(Json& to, const LaunchCounts& counts) {
    to["threads"] = counts.threads;
    to["active_threads"] = counts.active_threads;
    add(to, counts.accesses);
    to["most_atomics_at_one_address"] = counts.most_atomics;
    to["bulk_loads"] = json(counts.bulk_loads);
    to["barriers"] = counts.barriers;
    to["collectives"] = counts.collectives;
}

Json json(const std::vector<CountedLine>& lines) {
    Json all = Json::array();
    for (const CountedLine& line : lines) {
        Json one = {{"file", line.file}, {"line", line.line}};
        add(one, line.counts);
        all.push_back(std::move(one));
    }
    return all;
}

Json json(const CountedLaunch& counted) {
    const Launch& launch = counted.launch;
    Json one = {{"kernel", counted.kernel},
                {"grid", launch.grid},
                {"block", launch.block},
                {"shared_bytes", launch.shared_bytes}};
    add(one, launch.counts);
    one["lines"] = json(counted.lines);
    return one;
}

}  // namespace

std::string to_json(const std::vector<CountedRow>& rows, std::uint64_t seed,
                    const std::string& profile) {
    Json all = {{"shape", profile}, {"seed", seed}, {"rows", Json::array()}};
    for (const CountedRow& row : rows) {
        const Algorithm& algorithm = *row.contender.algorithm;
        const Tuning& tuning = row.contender.tuning;
        const auto& [distribution, kept, n] = row.input;
        const std::string model = in_words(distribution, n);
        const auto parameter = [](int value) { return value != 0 ? Json(value) : Json(); };
        Json one = {{"operation", to_string(algorithm.operation)},
                    {"algorithm", algorithm.name},
                    {"n", n},
                    {"distribution", to_string(distribution)},
                    {"model", model.empty() ? Json() : Json(model)},
                    {"kept", kept ? Json(*kept) : Json()},
                    {"block_size", parameter(tuning.block_size)},
                    {"items_per_thread", parameter(tuning.items_per_thread)},
                    {"launches", Json::array()}};
        if (tuning.padding != algorithm.tuned.padding) one["padding"] = tuning.padding;
        for (const CountedLaunch& launch : row.launches) one["launches"].push_back(json(launch));
        Json total;
        add(total, row.total());
        one["total"] = std::move(total);
        all["rows"].push_back(std::move(one));
    }
    // The name of a key file may not be valid UTF-8.
    return all.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace stream_compaction
