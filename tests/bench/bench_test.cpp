// The engine of measure_time on small arrays, on both backends.
#include "src/bench/bench.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "src/bench/copies/copies.h"
#include "src/input/key_file.h"
#include "src/measure/study.h"
#include "stream_compaction/registry.h"
#include "tests/temporary_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>

#if defined(SIMT_EMULATED)
#include "simt/emulated/refusal.h"
#endif

namespace stream_compaction {
namespace {

constexpr FlushSizes kSmallFlush{.host = 4096, .device = 4096};

const Registry& rows() { return *registry(simt::kBackend); }

/// A GPU without NVML.
GpuClock no_clock() { return {}; }

/// Two samples are enough to check that everything works, however slow the machine is.
Protocol quick() { return {.samples = 2, .max_seconds = 1e9}; }

class BenchTest : public testing::Test {
  protected:
    /// All rows of an operation; fails if the result of any row is missing or wrong.
    Round measure_all(const Setting& setting) {
        Request request{.operations = {setting.operation},
                        .sizes = {setting.n},
                        .modes = {setting.mode},
                        .distributions = {setting.distribution}};
        if (setting.kept) request.kept = {*setting.kept};
        const Match match = plan_study(request, rows()).front();
        Round round = bench_.measure(match.setting, match.contenders);
        EXPECT_EQ(round.measured.size(), match.contenders.size());
        for (const Skipped& skipped : round.skipped)
            ADD_FAILURE() << skipped.algorithm << ": " << skipped.reason;
        for (const Measurement& row : round.measured) {
            EXPECT_EQ(row.wrong, std::nullopt) << row.algorithm << ", n = " << setting.n;
            EXPECT_EQ(row.microseconds.samples, 2u);
            EXPECT_EQ(row.samples.size(), 2u);
            EXPECT_EQ(row.microseconds.median, summarize(row.samples).median);
            EXPECT_LE(row.microseconds.min, row.microseconds.median);
        }
        return round;
    }

    std::atomic<bool> stop_ = false;
    Bench bench_{quick(), kSmallFlush, stop_, no_clock};
};

TEST_F(BenchTest, MeasuresEveryRowInEveryMode) {
    for (const Operation operation : {Operation::scan, Operation::compact, Operation::sort})
        for (const Mode mode : kModes)
            for (const std::size_t n : {0, 1, 2, 1000})
                measure_all({.operation = operation, .mode = mode, .n = n});
}

TEST_F(BenchTest, MeasuresEveryDistribution) {
    for (const Distribution distribution : kDistributions)
        measure_all({.operation = Operation::sort, .n = 300, .distribution = distribution});
    for (std::uint64_t model = 1; model <= 10; ++model)
        measure_all({.operation = Operation::sort,
                     .n = 3000,
                     .distribution = Distribution::of_model(model)});
    for (const double kept : {0.0, 0.5, 1.0})
        measure_all({.operation = Operation::compact,
                     .n = 5000,
                     .distribution = Distribution::clustered,
                     .kept = kept});
}

TEST_F(BenchTest, MeasuresKeysOfOnesOwn) {
    const TemporaryFile file(bytes_of({3, 0, -1, 3, 2147483647, 0, 0}));
    const KeyFile keys(file.path());
    for (const Operation operation : {Operation::scan, Operation::compact, Operation::sort})
        for (const Mode mode : {Mode::cold, Mode::host})
            for (const std::size_t n : {0, 3, 7}) {
                const Setting setting{.operation = operation,
                                      .mode = mode,
                                      .n = n,
                                      .distribution = Distribution::of_file(keys)};
                const Round round = measure_all(setting);
                if (operation != Operation::compact || mode == Mode::host || n < 7) continue;
                for (const Measurement& row : round.measured)
                    // Four elements are kept.
                    EXPECT_EQ(row.moved_bytes, 4 * (7 + 4)) << row.algorithm;
            }
}

TEST_F(BenchTest, HoldsDeviceRowsAgainstACopy) {
    const Round round = measure_all({.operation = Operation::compact, .n = 4096, .kept = 0.25});
    for (const Measurement& row : round.measured) {
        const bool on_device =
            find(rows(), Operation::compact, row.algorithm)->runs_on == Place::device;
        EXPECT_EQ(row.copy_us.has_value(), on_device) << row.algorithm;
        EXPECT_EQ(row.roof_us.has_value(), on_device) << row.algorithm;
        ASSERT_TRUE(row.moved_bytes);
        EXPECT_NEAR(*row.moved_bytes, 4096 * 4 * 1.25, 500);
        if (!row.roof_us) continue;
        EXPECT_NEAR(*row.roof_us, *row.copy_us * *row.moved_bytes / 32768, 1e-6);
    }
}

TEST_F(BenchTest, TheFastestOfSeveralCopiesIsTheCeiling) {
    const Algorithm& naive = *find(rows(), Operation::scan, "naive");
    const Contender contender{&naive, naive.tuned};
    const auto copy_at = [&](Mode mode, std::size_t n) {
        return bench_.measure({.mode = mode, .n = n}, {&contender, 1}).measured.at(0).copy;
    };
    const auto is_known = [](std::string_view name) {
        return std::ranges::any_of(copies(), [=](const Copy& copy) { return copy.name == name; });
    };
    std::map<std::size_t, std::string_view> first;
    for (const std::size_t n : {100, 200, 300}) {
        first[n] = copy_at(Mode::hot, n);
        EXPECT_TRUE(is_known(first[n])) << first[n];
    }
    EXPECT_EQ(bench_.fastest_copies().size(), 3u);
    for (const auto& [n, name] : first) {
        EXPECT_EQ(copy_at(Mode::hot, n), name) << "was decided before";
        const std::pair key{Mode::hot, 4 * n};
        EXPECT_EQ(bench_.fastest_copies().at(key), name);
    }
    EXPECT_TRUE(copy_at(Mode::host, 100).empty());
    EXPECT_EQ(bench_.fastest_copies().size(), 3u);
}

TEST_F(BenchTest, TellsPhasesWhereThereAreSome) {
    const Round round = measure_all({.operation = Operation::compact, .n = 1000, .kept = 0.5});
    for (const Measurement& row : round.measured)
        EXPECT_EQ(row.phases.has_value(),
                  find(rows(), Operation::compact, row.algorithm)->has_phases)
            << row.algorithm;
}

TEST_F(BenchTest, AnEmptyLaunchTakesTime) {
    for (const Mode mode : {Mode::cold, Mode::hot, Mode::graph})
        EXPECT_GT(bench_.empty_launch_us(mode), 0);
}

TEST_F(BenchTest, TellsOnlyWhatWasDoneAfterAStop) {
    stop_ = true;
    const Contender contender{rows().rows.data(), {}};
    const Round round = bench_.measure({.n = 10}, {&contender, 1});
    EXPECT_TRUE(round.measured.empty());
    EXPECT_TRUE(round.skipped.empty());
}

TEST_F(BenchTest, SkipsWhatDoesNotFitAndGoesOn) {
    Algorithm huge = *find(rows(), Operation::scan, "naive");
    huge.workspace_bytes = [](std::size_t, const Tuning&) { return std::size_t{1} << 60; };
    const Contender contenders[] = {{&huge, huge.tuned},
                                    {find(rows(), Operation::scan, "naive"), huge.tuned}};
    const Round round = bench_.measure({.n = 100}, contenders);
    ASSERT_EQ(round.measured.size(), 1u);
    ASSERT_EQ(round.skipped.size(), 1u);
    EXPECT_TRUE(round.skipped[0].reason.starts_with("skipped: needs 1073741824."))
        << round.skipped[0].reason;
    EXPECT_FALSE(round.skipped[0].failed);
}

TEST_F(BenchTest, StreamsWhatDoesNotFit) {
    const Contender contenders[] = {{find(rows(), Operation::scan, "single_pass"), {}},
                                    {find(rows(), Operation::scan, "streamed"), {}}};
    const Setting setting{.mode = Mode::host, .n = 20'000};  // 160 KB
    simt::limit_memory(simt::held_bytes() + (64 << 10));
    const Round round = bench_.measure(setting, contenders);
    simt::limit_memory(std::numeric_limits<std::size_t>::max());
    ASSERT_EQ(round.measured.size(), 1u);
    EXPECT_EQ(round.measured[0].algorithm, "streamed");
    EXPECT_EQ(round.measured[0].wrong, std::nullopt);
    EXPECT_EQ(round.measured[0].copy_us, std::nullopt) << "of an array that has no room either";
    ASSERT_EQ(round.skipped.size(), 1u);
    EXPECT_EQ(round.skipped[0].algorithm, "single_pass");
    EXPECT_FALSE(round.skipped[0].failed);
}

/// Functions that allocate memory in each call would lack the memory that a plan holds.
TEST_F(BenchTest, MeasuresOnlyAfterOthersAPlanThatLeavesThemNoMemory) {
    const Algorithm& onesweep = *find(rows(), Operation::sort, "onesweep");
    const Contender contenders[] = {{find(rows(), Operation::sort, "streamed"), {}},
                                    {&onesweep, onesweep.tuned}};
    const Setting setting{.operation = Operation::sort, .mode = Mode::host, .n = 200'000};
    simt::limit_memory(simt::held_bytes() + device_bytes(onesweep, setting.n, onesweep.tuned) +
                       (64 << 10));
    const Round round = bench_.measure(setting, contenders);
    simt::limit_memory(std::numeric_limits<std::size_t>::max());
    EXPECT_TRUE(round.skipped.empty()) << round.skipped[0].reason;
    ASSERT_EQ(round.measured.size(), 2u);
    EXPECT_EQ(round.measured[0].algorithm, "onesweep");
    EXPECT_EQ(round.measured[1].algorithm, "streamed");
    for (const Measurement& row : round.measured) EXPECT_EQ(row.wrong, std::nullopt);
}

/// Plans that do what a test asks for.
template <class Enqueue>
class FakePlan final : public Plan {
  public:
    explicit FakePlan(std::size_t) {}
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                 Stopwatch*) override {
        Enqueue{}(in, out, count, n);
    }
};

template <class Enqueue>
Algorithm fake(Operation operation, Enqueue) {
    return {.operation = operation,
            .name = "fake",
            .description = "what a test wants",
            .runs_on = Place::host,
            .run = nullptr,
            .make_plan = [](std::size_t n, const Tuning&) -> std::unique_ptr<Plan> {
                return std::make_unique<FakePlan<Enqueue>>(n);
            },
            .workspace_bytes = [](std::size_t, const Tuning&) -> std::size_t { return 0; },
            .asynchronous = false};
}

TEST_F(BenchTest, FindsAWrongResult) {
    const Algorithm wrong =
        fake(Operation::scan, [](const int* in, int* out, std::size_t*, std::size_t n) {
            std::memcpy(out, in, n * sizeof(int));
        });
    const Contender contender{&wrong, {}};
    const Round round = bench_.measure({.n = 100}, {&contender, 1});
    ASSERT_EQ(round.measured.size(), 1u);
    EXPECT_NE(round.measured[0].wrong, std::nullopt);
    EXPECT_EQ(round.measured[0].microseconds.samples, 1u);
}

#if defined(SIMT_EMULATED)
TEST_F(BenchTest, KeepsAWrongResultIfALaterRowsFaultEndsTheDevice) {
    const Algorithm wrong =
        fake(Operation::scan, [](const int*, int*, std::size_t*, std::size_t) {});
    const Algorithm fatal = fake(Operation::scan, [](const int*, int*, std::size_t*, std::size_t) {
        simt::refuse_call(1);  // as CUDA does after a fault
        throw simt::Error("on purpose");
    });
    for (const Mode mode : {Mode::cold, Mode::hot}) {
        const Contender contenders[] = {{&wrong, {}}, {&fatal, {}}};
        const Round round = bench_.measure({.mode = mode, .n = 100}, contenders);
        EXPECT_TRUE(round.fault);
        ASSERT_EQ(round.measured.size(), 1u);
        EXPECT_NE(round.measured[0].wrong, std::nullopt);
    }
}
#endif

TEST_F(BenchTest, BlamesNobodyElseForAFailure) {
    const Algorithm failing =
        fake(Operation::scan,
             [](const int*, int*, std::size_t*, std::size_t) { throw simt::Error("on purpose"); });
    const Contender contenders[] = {{&failing, {}}, {find(rows(), Operation::scan, "cpu"), {}}};
    const Round round = bench_.measure({.n = 100}, contenders);
    ASSERT_EQ(round.measured.size(), 1u);
    EXPECT_EQ(round.measured[0].wrong, std::nullopt);
    ASSERT_EQ(round.skipped.size(), 1u);
    EXPECT_TRUE(round.skipped[0].failed);
    EXPECT_NE(round.skipped[0].reason.find("on purpose"), std::string::npos);
}

TEST(Bench, SamplesAsLongAsTheProtocolSays) {
    const std::atomic<bool> stop = false;
    Bench bench({.min_samples = 12, .min_seconds = 0.001, .max_seconds = 1e9}, kSmallFlush, stop,
                [] { return GpuClock{.is_throttled = true}; });
    const Contender contender{find(rows(), Operation::scan, "cpu"), {}};
    const Measurement row = bench.measure({.n = 100}, {&contender, 1}).measured.at(0);
    EXPECT_GE(row.microseconds.samples, 12u);
    EXPECT_FALSE(row.throttled) << "a GPU's heat is none of a CPU's business";
}

TEST(Bench, FlagsWhatWasMeasuredOnAThrottledDevice) {
    const std::atomic<bool> stop = false;
    Bench bench({.samples = 3}, kSmallFlush, stop, [] { return GpuClock{.is_throttled = true}; });
    const Algorithm& naive = *find(rows(), Operation::scan, "naive");
    const Contender contender{&naive, naive.tuned};
    EXPECT_TRUE(bench.measure({.n = 100}, {&contender, 1}).measured.at(0).throttled);
}

TEST(Bench, TimesEveryCopyOnlyInTheFirstComparison) {
    const std::atomic<bool> stop = false;
    std::size_t readings = 0;  // two for each sample on the device
    Bench bench({.samples = 1}, kSmallFlush, stop, [&] {
        ++readings;
        return GpuClock{};
    });
    const Algorithm& naive = *find(rows(), Operation::scan, "naive");
    const Contender contender{&naive, naive.tuned};
    for (const std::size_t n : {100, 100, 200}) {
        const bool is_known = bench.fastest_copies().contains({Mode::cold, 4 * n});
        const std::size_t before = readings;
        (void)bench.measure({.n = n}, {&contender, 1});
        EXPECT_EQ(readings - before, 2 * (1 + (is_known ? 1 : copies().size())));
    }
    EXPECT_EQ(bench.fastest_copies().size(), 2u);
}

TEST(Bench, CountsTheSamplesThatItDiscardedAndReplaced) {
    const std::atomic<bool> stop = false;
    std::size_t readings = 0;
    const std::size_t low = 1;  // before the row's first sample
    Bench bench({.samples = 3}, kSmallFlush, stop,
                [&] { return GpuClock{.megahertz = ++readings == low ? 345. : 1980.}; });
    const Algorithm& naive = *find(rows(), Operation::scan, "naive");
    const Contender contenders[] = {{&naive, naive.tuned},
                                    {find(rows(), Operation::scan, "cpu"), {}}};
    const Round round = bench.measure({.n = 100}, contenders);
    ASSERT_EQ(round.measured.size(), 2u);
    for (const Measurement& row : round.measured) {
        EXPECT_EQ(row.microseconds.samples, 3u) << row.algorithm;
        EXPECT_EQ(row.samples.size(), 3u) << row.algorithm << ": without the discarded one";
        EXPECT_EQ(row.discarded, row.algorithm == "naive" ? 1u : 0u) << row.algorithm;
        EXPECT_FALSE(row.unsteady_clock) << row.algorithm;
    }
}

TEST(Bench, CountsTheEnergyOfCallsBackToBack) {
    const std::atomic<bool> stop = false;
    double millijoules = 0;
    Bench bench({.samples = 2}, kSmallFlush, stop, no_clock, [&] { return millijoules += 1e6; });
    const Algorithm& naive = *find(rows(), Operation::scan, "naive");
    const Contender contenders[] = {{find(rows(), Operation::scan, "cpu"), {}},
                                    {&naive, naive.tuned}};
    const auto energy = [&](Mode mode) {
        const Round round = bench.measure({.mode = mode, .n = 100}, contenders);
        EXPECT_EQ(round.no_energy, std::nullopt);
        std::vector<std::optional<double>> of_rows;
        for (const Measurement& row : round.measured) of_rows.push_back(row.millijoules);
        return of_rows;
    };
    EXPECT_EQ(energy(Mode::cold), (std::vector<std::optional<double>>(2)));
    EXPECT_EQ(millijoules, 0);
    const auto hot = energy(Mode::hot);
    ASSERT_EQ(hot.size(), 2u);
    EXPECT_NE(hot[0].has_value(), hot[1].has_value());  // the host has no counter
    EXPECT_GT(std::max(hot[0], hot[1]), 0);
}

TEST(Bench, LosesNoRowWhereTheEnergyIsNotKnown) {
    const std::atomic<bool> stop = false;
    Bench bench({.samples = 2}, kSmallFlush, stop, no_clock,
                []() -> double { throw NvmlError("no counter"); });
    const Algorithm& naive = *find(rows(), Operation::scan, "naive");
    const Contender contender{&naive, naive.tuned};
    const Round round = bench.measure({.mode = Mode::hot, .n = 100}, {&contender, 1});
    EXPECT_EQ(round.measured.at(0).millijoules, std::nullopt);
    EXPECT_EQ(round.measured.at(0).microseconds.samples, 2u);
    EXPECT_EQ(round.no_energy, "no counter");
    EXPECT_TRUE(round.skipped.empty());
}

TEST(Bench, SlowRowsStopAtTheLastSecond) {
    const std::atomic<bool> stop = false;
    Bench bench({.max_seconds = 0}, kSmallFlush, stop, no_clock);
    const Contender contender{find(rows(), Operation::scan, "cpu"), {}};
    const Measurement row = bench.measure({.n = 100}, {&contender, 1}).measured.at(0);
    EXPECT_EQ(row.microseconds.samples, 1u);
    EXPECT_EQ(row.wrong, std::nullopt);
    EXPECT_FALSE(row.unsteady_clock) << "nothing was discarded";
}

}  // namespace
}  // namespace stream_compaction
