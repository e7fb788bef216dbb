#include "src/bench/recorded_call.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "src/check/host_check.h"
#include "stream_compaction/stopwatch.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// The best of a few copies.
BusRates measure_bus() {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // a millisecond and more
    constexpr int kRounds = 5;
    constexpr double kLeastUs = 1e-3;  // no clock resolves more
    const std::size_t bytes = std::clamp<std::size_t>(simt::memory_info().free / 4, 1, kMostBytes);
    const simt::PinnedArray<char> from(bytes), to(bytes);
    simt::DeviceArray<char> up_memory(bytes), down_memory(bytes);
    const simt::Stream up, down;
    simt::Event up_begin, up_end, down_begin, down_end;
    BusRates rates;
    for (int round = 0; round < kRounds; ++round) {
        up_begin.record(up.get());
        down_begin.record(down.get());
        simt::copy_async(up_memory.data(), from.data(), bytes, up.get());
        simt::copy_async(to.data(), down_memory.data(), bytes, down.get());
        up_end.record(up.get());
        down_end.record(down.get());
        const auto rate = [&](const simt::Event& begin, const simt::Event& end) {
            return static_cast<double>(bytes) / std::max(end.microseconds_since(begin), kLeastUs);
        };
        rates.up = std::max(rates.up, rate(up_begin, up_end));
        rates.down = std::max(rates.down, rate(down_begin, down_end));
    }
    return rates;
}

}  // namespace

RecordedCall record_call(const Setting& setting, const Contender& contender) {
    const Algorithm& algorithm = *contender.algorithm;
    RecordedCall call{.setting = setting, .algorithm = std::string(algorithm.name)};
    call.bus = measure_bus();

    std::vector<int> input(setting.n), guarded(setting.n + HostCheck::kGuard);
    store(setting.input(), input);
    const HostCheck check(setting.operation, input);
    const auto plan = algorithm.make_plan(setting.n, contender.tuning);
    std::size_t count = setting.n;
    const auto enqueue = [&] { plan->enqueue(input.data(), guarded.data(), &count, setting.n); };
    enqueue();  // loads the kernels
    check.prepare(guarded);

    Timeline timeline;
    HostStopwatch watch;
    watch.mark();
    enqueue();
    watch.mark();
    call.elapsed = watch.laps().front();
    call.spans = timeline.spans();
    call.wrong = check.what_is_wrong(guarded, count);
    return call;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
