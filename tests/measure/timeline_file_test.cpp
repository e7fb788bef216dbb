#include "src/measure/timeline_file.h"

#include "tests/measure/fabricated_results.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace stream_compaction {
namespace {

using nlohmann::json;

TEST(RecordedCall, IsBoundByTheSlowerWayOfTheBus) {
    RecordedCall call = fabricated_call();
    EXPECT_EQ(call.bound(), Microseconds(4));  // 400 bytes up at 100, 100 down at 50
    call.bus.down = 10;
    EXPECT_EQ(call.bound(), Microseconds(10));
    call.spans.clear();
    EXPECT_EQ(call.bound(), Microseconds(0));
}

TEST(TimelineFile, HoldsTheCallAndItsSpans) {
    const json file = json::parse(to_json(fabricated_call(), fabricated_results().machine));
    EXPECT_EQ(file["machine"]["gpu"], "NVIDIA \"H200\"");
    EXPECT_EQ(file["machine"]["commit"], "0123456789abcdef-dirty");
    EXPECT_EQ(file["call"], json::parse(R"({"operation": "compact", "algorithm": "streamed",
        "n": 100, "distribution": "uniform50", "kept": 0.5, "call_us": 20.0, "bound_us": 4.0,
        "bus_gb_s": {"up": 0.1, "down": 0.05}})"));
    ASSERT_EQ(file["spans"].size(), 9u);
    EXPECT_EQ(file["spans"][0], json::parse(R"({"step": "copy_in", "thread": 0, "piece": 0,
        "bytes": 256, "begin_us": 0.5, "end_us": 2.0})"));
    EXPECT_EQ(file["spans"][3], json::parse(R"({"step": "up", "thread": 1, "piece": 1,
        "bytes": 144, "begin_us": 2.123, "end_us": 6.0})"));
    const char* const steps[] = {"copy_in", "copy_in", "up",   "up",      "kernel",
                                 "kernel",  "down",    "down", "copy_out"};
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(file["spans"][i]["step"], steps[i]);
}

TEST(TimelineFile, OfACallWithoutPiecesHasNoSpans) {
    RecordedCall call = fabricated_call();
    call.spans.clear();
    EXPECT_EQ(json::parse(to_json(call, {}))["spans"], json::array());
}

}  // namespace
}  // namespace stream_compaction
