#include "src/measure/timeline_file.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace stream_compaction {
namespace {

using Json = nlohmann::ordered_json;

/// To the nanosecond: no clock here resolves more.
double rounded(double value) { return std::round(value * 1e3) / 1e3; }
double rounded(Microseconds time) { return rounded(time.count()); }

Json json(const Span& span) {
    const auto& [part, begin, end] = span;
    return {{"step", to_string(part.step)}, {"thread", part.thread},      {"piece", part.piece},
            {"bytes", part.bytes},          {"begin_us", rounded(begin)}, {"end_us", rounded(end)}};
}

}  // namespace

std::string to_json(const RecordedCall& call, const Machine& machine) {
    constexpr double kGigabytesASecond = 1e-3;  // of a byte a microsecond
    const Setting& setting = call.setting;
    const Json described = {{"operation", to_string(setting.operation)},
                            {"algorithm", call.algorithm},
                            {"n", setting.n},
                            {"distribution", to_string(setting.distribution)},
                            {"kept", setting.kept ? Json(*setting.kept) : Json()},
                            {"call_us", rounded(call.elapsed)},
                            {"bound_us", rounded(call.bound())},
                            {"bus_gb_s",
                             {{"up", rounded(call.bus.up * kGigabytesASecond)},
                              {"down", rounded(call.bus.down * kGigabytesASecond)}}}};
    std::string text = "{\n  \"machine\": " + to_json(machine);
    text += ",\n  \"call\": " + described.dump(-1, ' ', false, Json::error_handler_t::replace);
    text += ",\n  \"spans\": [";
    const char* separator = "\n    ";
    for (const Span& span : call.spans) {  // one a line
        text.append(separator).append(json(span).dump());
        separator = ",\n    ";
    }
    return text + "\n  ]\n}\n";
}

}  // namespace stream_compaction
