#include "src/bench/arena/host_arena.h"

#include "simt/memory.h"
#include "stream_compaction/stopwatch.h"

#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {

void HostArena::prepare(const Setting& setting) {
    if (arrays_ && arrays_->setting.has_same_input(setting)) return;
    auto arrays = arrays_ ? std::move(arrays_) : std::make_unique<Arrays>();
    arrays->check.reset();
    const std::size_t room = setting.n + HostCheck::kGuard;
    if (arrays->room < room) {
        arrays->in_memory.reset();
        arrays->out_memory.reset();
        arrays->in_memory = std::make_unique_for_overwrite<int[]>(room);
        arrays->out_memory = std::make_unique_for_overwrite<int[]>(room);
        arrays->room = room;
    }
    arrays->setting = setting;
    store(setting.input(), {arrays->in_memory.get(), setting.n});
    arrays->check.emplace(setting.operation, arrays->in());
    arrays->check->prepare(arrays->guarded_out());  // touches the memory before anything is timed
    arrays_ = std::move(arrays);
}

std::size_t HostArena::bytes() const { return arrays_ ? 2 * arrays_->room * sizeof(int) : 0; }

std::size_t HostArena::count() const { return arrays_->check->count(); }

void HostArena::prepare_output() {
    arrays_->count = 0;
    arrays_->check->prepare(arrays_->guarded_out());
}

std::optional<std::string> HostArena::what_is_wrong() {
    return arrays_->check->what_is_wrong(arrays_->guarded_out(), arrays_->count);
}

void HostArena::run(Plan& plan, Stopwatch* watch) const {
    plan.enqueue(arrays_->in().data(), arrays_->out().data(), &arrays_->count, arrays_->setting.n,
                 nullptr, watch);
}

std::optional<Phases> HostArena::phases(Plan& plan) {
    HostStopwatch watch;
    flush_.run();
    watch.mark();
    run(plan, &watch);
    watch.mark();
    return outcome(arrays_->count, watch.laps()).phases;
}

std::unique_ptr<Sampler> HostArena::sampler(Mode mode, Plan& plan) {
    const auto call = [this, &plan] { run(plan); };
    return mode == Mode::cold ? cold_host_sampler(call, flush_) : hot_host_sampler(call);
}

std::unique_ptr<Sampler> HostArena::call_sampler(const Contender& contender) {
    return hot_host_sampler([this, contender] {
        const Algorithm& algorithm = *contender.algorithm;
        arrays_->count = algorithm.run(arrays_->in(), arrays_->out(), contender.tuning).count;
    });
}

std::unique_ptr<Sampler> HostArena::copy_sampler() {
    return hot_host_sampler([this] {
        const simt::DeviceArray<int> device(arrays_->in());
        device.copy_to(arrays_->out());
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND
