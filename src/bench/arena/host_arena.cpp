#include "src/bench/arena/host_arena.h"

#include "simt/memory.h"
#include "stream_compaction/stopwatch.h"

#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {

void HostArena::prepare(const Setting& setting) {
    if (prepared_ && prepared_->setting.has_same_input(setting)) return;
    auto prepared = prepared_ ? std::move(prepared_) : std::make_unique<Prepared>();
    prepared->check.reset();
    const std::size_t room = setting.n + HostCheck::kGuard;
    if (prepared->room < room) {
        prepared->in_memory.reset();
        prepared->out_memory.reset();
        prepared->in_memory = std::make_unique_for_overwrite<int[]>(room);
        prepared->out_memory = std::make_unique_for_overwrite<int[]>(room);
        prepared->room = room;
    }
    prepared->setting = setting;
    store(setting.input(), {prepared->in_memory.get(), setting.n});
    prepared->check.emplace(setting.operation, prepared->in());
    // Touches the memory before anything is timed.
    prepared->check->prepare(prepared->guarded_out());
    prepared_ = std::move(prepared);
}

std::size_t HostArena::bytes() const { return prepared_ ? 2 * prepared_->room * sizeof(int) : 0; }

std::size_t HostArena::count() const { return prepared_->check->count(); }

void HostArena::prepare_output() {
    prepared_->count = 0;
    prepared_->check->prepare(prepared_->guarded_out());
}

std::optional<std::string> HostArena::what_is_wrong() {
    return prepared_->check->what_is_wrong(prepared_->guarded_out(), prepared_->count);
}

void HostArena::run(Plan& plan, Stopwatch* watch) const {
    plan.enqueue(prepared_->in().data(), prepared_->out().data(), &prepared_->count,
                 prepared_->setting.n, nullptr, watch);
}

std::optional<Phases> HostArena::phases(Plan& plan) {
    HostStopwatch watch;
    flush_.run();
    watch.mark();
    run(plan, &watch);
    watch.mark();
    return outcome(prepared_->count, watch.laps()).phases;
}

std::unique_ptr<Sampler> HostArena::sampler(Mode mode, const Contender& contender, Plan& plan) {
    const auto call = [this, &plan] { run(plan); };
    const Wake wake = contender.algorithm->wake_threads;
    return mode == Mode::cold ? cold_host_sampler(call, flush_, wake)
                              : hot_host_sampler(call, wake);
}

std::unique_ptr<Sampler> HostArena::call_sampler(const Contender& contender) {
    const auto call = [this, contender] {
        const Algorithm& algorithm = *contender.algorithm;
        prepared_->count = algorithm.run(prepared_->in(), prepared_->out(), contender.tuning).count;
    };
    return hot_host_sampler(call, contender.algorithm->wake_threads);
}

std::unique_ptr<Sampler> HostArena::copy_sampler() {
    return hot_host_sampler([this] {
        const simt::DeviceArray<int> device(prepared_->in());
        device.copy_to(prepared_->out());
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND
