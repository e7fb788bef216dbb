// Rows for tests of the programs: correct ones, and ones with a planted fault.
#pragma once

#include "simt/error.h"
#include "stream_compaction/registry.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction::fake {

/// The properties of the fake machine.
struct Machine {
    std::optional<std::string> unavailable;
    std::size_t free_bytes = std::size_t{1} << 40;
    bool dead = false;            ///< every call fails, as after an error in a kernel
    bool host_is_full = false;    ///< the host has no memory for a call
    std::vector<Tuning> tunings;  ///< of the calls of `tunable`
    const simt::DeviceProfile* emulated = nullptr;
};
inline Machine machine;

inline std::optional<std::string> unavailable_reason() noexcept { return machine.unavailable; }

inline simt::DeviceProperties device_properties() {
    return {.name = "Fake GPU",
            .compute_capability = 90,
            .driver_version = 13010,
            .runtime_version = 12080};
}

inline simt::MemoryInfo memory_info() {
    if (machine.dead) throw simt::Error("an illegal memory access was encountered");
    if (machine.host_is_full) throw std::bad_alloc();
    return {.free = machine.free_bytes, .total = std::size_t{1} << 40};
}

inline Outcome right_scan(std::span<const int> in, std::span<int> out, const Tuning&) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        out[i] = static_cast<int>(sum);
        sum += static_cast<unsigned>(in[i]);
    }
    return {.count = in.size(), .elapsed = Microseconds(400), .phases = std::nullopt};
}

inline Outcome fast_scan(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    Outcome outcome = right_scan(in, out, tuning);
    outcome.elapsed = Microseconds(100);
    return outcome;
}

/// The n-th call since `calls` was 0 takes the n-th of these times, later ones the last.
inline std::vector<double> times_us;
inline std::size_t calls = 0;

inline Outcome varying_scan(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    Outcome outcome = right_scan(in, out, tuning);
    const double us = times_us.at(std::min(calls++, times_us.size() - 1));
    outcome.elapsed = Microseconds(us);
    outcome.phases = Phases{Microseconds(us / 2), Microseconds(us / 4), Microseconds(us / 4)};
    return outcome;
}

inline Outcome tunable_scan(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    machine.tunings.push_back(tuning);
    return fast_scan(in, out, tuning);
}

/// The element with index 10 is too large by one.
inline Outcome wrong_scan(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    const Outcome outcome = fast_scan(in, out, tuning);
    if (out.size() > 10) ++out[10];
    return outcome;
}

/// Writes one element too many.
inline Outcome overrunning_scan(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    const Outcome outcome = fast_scan(in, out, tuning);
    out.data()[out.size()] = 13;
    return outcome;
}

/// Works only in the first of two calls.
inline Outcome lazy_scan(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    static int calls = 0;
    if (calls++ % 2 == 0) return fast_scan(in, out, tuning);
    return {.count = in.size(), .elapsed = Microseconds(1), .phases = std::nullopt};
}

inline Outcome throwing_scan(std::span<const int>, std::span<int>, const Tuning&) {
    throw simt::Error("cudaErrorLaunchFailure: unspecified launch failure");
}

/// Leaves the machine in the state after an illegal memory access.
inline Outcome killing_scan(std::span<const int>, std::span<int>, const Tuning&) {
    machine.dead = true;
    throw simt::Error("cudaErrorIllegalAddress: an illegal memory access was encountered");
}

/// Fails, and leaves the host without memory.
inline Outcome filling_scan(std::span<const int>, std::span<int>, const Tuning&) {
    machine.host_is_full = true;
    throw simt::Error("the host is full");
}

inline Outcome choosy_scan(std::span<const int> in, std::span<int>, const Tuning&) {
    throw std::invalid_argument("does not accept " + std::to_string(in.size()) + " elements");
}

inline Outcome greedy_scan(std::span<const int>, std::span<int>, const Tuning&) {
    throw std::bad_alloc();
}

inline Outcome hungry_scan(std::span<const int>, std::span<int>, const Tuning&) {
    throw simt::OutOfMemory("4000 bytes");
}

inline Outcome right_compact(std::span<const int> in, std::span<int> out, const Tuning&) {
    const auto end =
        std::ranges::copy_if(in, out.begin(), [](int value) { return value != 0; }).out;
    return {.count = static_cast<std::size_t>(end - out.begin()),
            .elapsed = Microseconds(100),
            .phases = std::nullopt};
}

/// Drops the last element.
inline Outcome forgetful_compact(std::span<const int> in, std::span<int> out,
                                 const Tuning& tuning) {
    return right_compact(in.first(in.size() - std::min<std::size_t>(in.size(), 1)), out, tuning);
}

/// Writes something after its result.
inline Outcome padding_compact(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    const Outcome outcome = right_compact(in, out, tuning);
    if (outcome.count < out.size()) out[outcome.count] = 0;
    return outcome;
}

/// Reports more elements than there are.
inline Outcome inventive_compact(std::span<const int> in, std::span<int> out,
                                 const Tuning& tuning) {
    Outcome outcome = right_compact(in, out, tuning);
    outcome.count = out.size() + 1000;
    return outcome;
}

inline Outcome right_sort(std::span<const int> in, std::span<int> out, const Tuning&) {
    std::ranges::copy(in, out.begin());
    std::ranges::sort(out.first(in.size()));
    return {.count = in.size(), .elapsed = Microseconds(1000), .phases = std::nullopt};
}

inline std::size_t workspace_bytes(std::size_t n, const Tuning&) { return 4 * n; }

constexpr Algorithm row(Operation operation, std::string_view name, decltype(Algorithm::run) run,
                        Place runs_on = Place::device) {
    return {.operation = operation,
            .name = name,
            .description = "a fake",
            .runs_on = runs_on,
            .run = run,
            .make_plan = nullptr,
            .workspace_bytes = workspace_bytes};
}

inline constexpr int kBlockSizes[] = {64, 128, 256};
inline constexpr int kItems[] = {1, 4};
inline constexpr int kPaddings[] = {0, 1};

constexpr Algorithm tunable(Operation operation, std::string_view name,
                            decltype(Algorithm::run) run) {
    Algorithm algorithm = row(operation, name, run);
    algorithm.tuned = {.block_size = 128, .items_per_thread = 4};
    algorithm.legal = {
        .block_sizes = kBlockSizes, .items_per_thread = kItems, .paddings = kPaddings};
    return algorithm;
}

constexpr Algorithm unavailable(Operation operation, std::string_view name) {
    Algorithm algorithm = row(operation, name, nullptr);
    algorithm.unavailable = "needs a GPU: it has no host backend";
    return algorithm;
}

inline void limit_memory(std::size_t bytes) {
    machine.free_bytes = std::min(machine.free_bytes, bytes);
}

constexpr Registry registry_of(std::span<const Algorithm> rows,
                               simt::Backend backend = simt::Backend::cuda) {
    return {.backend = backend,
            .rows = rows,
            .unavailable_reason = unavailable_reason,
            .device_properties = device_properties,
            .memory_info = memory_info,
            .limit_memory = limit_memory,
            .cub_version = 300102,
            .emulate = [](const simt::DeviceProfile* gpu) { machine.emulated = gpu; }};
}

inline constexpr Algorithm kRightRows[] = {
    row(Operation::scan, "cpu", right_scan, Place::host),
    row(Operation::scan, "fast", fast_scan),
    tunable(Operation::scan, "tunable", tunable_scan),
    unavailable(Operation::scan, "absent"),
    row(Operation::compact, "cpu", right_compact, Place::host),
    tunable(Operation::compact, "tunable", right_compact),
    row(Operation::sort, "cpu", right_sort, Place::host),
    row(Operation::sort, "quick", right_sort),
};

}  // namespace stream_compaction::fake
