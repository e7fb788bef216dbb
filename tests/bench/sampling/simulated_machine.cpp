#include "tests/bench/sampling/simulated_machine.h"

#include "simt/error.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "src/bench/sampling/cache_flush.h"
#include "src/bench/sampling/host_clock.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using stream_compaction::DeviceWork;
using stream_compaction::machine;
using stream_compaction::SimulatedMachine;

/// The work being captured; nullptr if none is.
std::vector<DeviceWork>* captured = nullptr;

void run_on_device(double us) {
    machine.device_us = std::max(machine.device_us, machine.host_us) + us;
}

double take_from_l2(const DeviceWork& work) {
    return std::exchange(machine.l2_is_cold, false) ? work.cold_us : work.warm_us;
}

}  // namespace

namespace stream_compaction {

SimulatedMachine machine;

void SimulatedMachine::run(const DeviceWork& work) {
    if (captured != nullptr) return captured->push_back(work);
    const double us = take_from_l2(work);
    for (std::size_t i = 0; i < work.launches; ++i) {
        host_us += work.enqueue_us;
        run_on_device(us);
    }
}

void SimulatedMachine::run_on_host(double cold_us, double warm_us) {
    host_us += std::exchange(host_cache_is_cold, false) ? cold_us : warm_us;
}

double host_clock_us() { return machine.host_us; }

inline namespace SIMT_BACKEND {

void HostCacheFlush::run() {
    machine.host_us += SimulatedMachine::kFlushUs;
    machine.host_cache_is_cold = true;
}

void L2Flush::enqueue(simt::stream_t) {
    run_on_device(SimulatedMachine::kFlushUs);
    machine.l2_is_cold = true;
    ++machine.l2_flushes;
}

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction

namespace simt::inline SIMT_BACKEND {

void* allocate(std::size_t, std::source_location) { return nullptr; }
void release(void*, std::size_t) noexcept {}
void synchronize(std::source_location) {}

Stream::Stream(std::source_location) { handle_.reset(reinterpret_cast<stream_t>(&machine)); }
void Stream::Destroy::operator()(stream_t) const noexcept {}

void synchronize(stream_t, std::source_location where) {
    machine.host_us = std::max(machine.host_us, machine.device_us);
    if (machine.has_faulted) throw Error("a kernel faulted", where);
}

Event::Event(std::source_location) { handle_.reset(new double(0)); }
void Event::Destroy::operator()(void* event) const noexcept { delete static_cast<double*>(event); }

void Event::record(stream_t, std::source_location) {
    run_on_device(0);
    *static_cast<double*>(handle_.get()) = machine.device_us;
}

double Event::microseconds_since(const Event& start, std::source_location) const {
    const double end = *static_cast<const double*>(handle_.get());
    machine.host_us = std::max(machine.host_us, end);
    return end - *static_cast<const double*>(start.handle_.get());
}

/// Whether it was launched before, and its content.
using Recording = std::pair<bool, std::vector<DeviceWork>>;

Graph::Graph(const void* work, void (*enqueue)(const void*, stream_t), std::source_location) {
    auto recording = std::make_unique<Recording>();
    captured = &recording->second;
    enqueue(work, nullptr);
    captured = nullptr;
    handle_.reset(recording.release());
}

void Graph::launch(stream_t, std::source_location) const {
    auto& [is_on_device, works] = *static_cast<Recording*>(handle_.get());
    if (!std::exchange(is_on_device, true)) run_on_device(SimulatedMachine::kFirstGraphUs);
    machine.host_us += 1;
    for (const DeviceWork& work : works)
        run_on_device(static_cast<double>(work.launches) * take_from_l2(work));
}

void Graph::Destroy::operator()(void* graph) const noexcept {
    delete static_cast<Recording*>(graph);
}

}  // namespace simt::inline SIMT_BACKEND
