#include "src/bench/bench.h"

#include "simt/device.h"
#include "simt/error.h"
#include "simt/memory.h"
#include "src/bench/bytes_moved.h"
#include "src/bench/copies/copies.h"
#include "src/bench/skip.h"
#include "src/program/host_memory.h"

#include <algorithm>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// The bytes that the algorithm must move; nothing if the number is unknown.
std::optional<std::size_t> bytes_to_move(const Algorithm& algorithm, std::size_t n,
                                         std::size_t count) {
    if (const Variant* const variant = algorithm.variant)
        return variant->bytes_moved != nullptr ? std::optional(variant->bytes_moved(n, count))
                                               : std::nullopt;
    const auto once = static_cast<std::size_t>(bytes_moved(n, count));
    if (algorithm.operation != Operation::sort) return once;
    if (algorithm.sort_passes == 0) return std::nullopt;
    return static_cast<std::size_t>(algorithm.sort_passes) * once;
}

}  // namespace

Bench::Bench(const Protocol& protocol, const FlushSizes& flush, const std::atomic<bool>& stop,
             std::function<GpuClock()> clock, EnergyCounter energy)
    : stop_(stop),
      device_(flush.device),
      host_(flush.host),
      turns_(protocol, stop, std::move(clock), std::move(energy)) {}

Round Bench::measure(const Setting& setting, std::span<const Contender> contenders) {
    Round round;
    std::optional<Ceiling> ceiling;
    const bool on_device = std::ranges::any_of(
        contenders, [](const Contender& c) { return c.algorithm->runs_on == Place::device; });
    if (setting.mode == Mode::host) device_.release();  // host functions allocate their own memory

    // All contenders take turns if their plans fit in memory together. Those that do not fit run
    // when the others have finished.
    std::vector<Contender> waiting(contenders.begin(), contenders.end()), later;
    for (; !waiting.empty() && !stop_; waiting = std::exchange(later, {})) {
        std::vector<Entrant> entrants;
        try {
            enter_all(setting, waiting, on_device && !ceiling, entrants, later, round);
            // Rows on the host run among themselves: they are so slow that an idle GPU would lower
            // its clock.
            std::vector<Entrant*> on_host, others;
            for (Entrant& entrant : entrants)
                (entrant.is_on_host() ? on_host : others).push_back(&entrant);
            turns_.take(others, setting, round);
            turns_.take(on_host, setting, round);
        } catch (const simt::Error& error) {
            round.fault = error.what();
        }

        if (!ceiling && !round.fault) ceiling = ceiling_of(setting, entrants);
        for (const Entrant& entrant : entrants) {
            if (entrant.is_copy() || !has_finished(entrant)) continue;
            if (round.fault && !entrant.seen.wrong) continue;
            round.measured.push_back(row_of(entrant, setting, ceiling));
        }
        if (round.fault) break;
    }
    return round;
}

bool Bench::has_finished(const Entrant& entrant) const {
    const Entrant::Seen& seen = entrant.seen;
    return !seen.failed && !seen.samples.empty() && turns_.is_done(seen);
}

std::optional<Bench::Ceiling> Bench::ceiling_of(const Setting& setting,
                                                std::span<const Entrant> entrants) {
    std::vector<Ceiling> finished;
    for (const Entrant& entrant : entrants)
        if (entrant.is_copy() && has_finished(entrant))
            finished.push_back(
                {entrant.copy, summarize(turns_.steady(entrant.seen).microseconds).median});
    if (finished.empty()) return std::nullopt;
    const Ceiling fastest = std::ranges::min(finished, {}, &Ceiling::microseconds);
    if (setting.mode != Mode::host)
        fastest_copies_.try_emplace({setting.mode, setting.n * setting.in_bytes()}, fastest.copy);
    return fastest;
}

Measurement Bench::row_of(const Entrant& entrant, const Setting& setting,
                          const std::optional<Ceiling>& ceiling) const {
    const Algorithm& algorithm = *entrant.contender.algorithm;
    SteadySamples steady = turns_.steady(entrant.seen);
    Measurement row{.setting = setting,
                    .algorithm = std::string(algorithm.name),
                    .tuning = entrant.contender.tuning,
                    .is_on_host = entrant.is_on_host(),
                    .microseconds = summarize(steady.microseconds),
                    .samples = std::move(steady.microseconds),
                    .moved_bytes = bytes_to_move(algorithm, setting.n, entrant.arena->count()),
                    .phases = entrant.seen.phases,
                    .millijoules = entrant.seen.millijoules,
                    .wrong = entrant.seen.wrong,
                    .throttled = entrant.seen.throttled,
                    .discarded = steady.discarded,
                    .unsteady_clock = steady.discarded > 0 && turns_.lacks_samples(entrant.seen)};
    if (algorithm.runs_on == Place::host || !ceiling) return row;
    row.copy = ceiling->copy;
    row.copy_us = ceiling->microseconds;
    if (row.moved_bytes && setting.mode != Mode::host && setting.n > 0)
        row.roof_us = ceiling->microseconds * static_cast<double>(*row.moved_bytes) /
                      static_cast<double>(2 * setting.n * setting.in_bytes());
    return row;
}

void Bench::enter_all(const Setting& setting, std::span<const Contender> contenders,
                      bool with_copies, std::vector<Entrant>& entrants,
                      std::vector<Contender>& later, Round& round) {
    // Memory that is free, or held by this object.
    const std::size_t available = simt::memory_info().free + device_.bytes();
    // In mode host a row may need less device memory than an array.
    const bool copy_fits =
        setting.mode != Mode::host || setting.n * setting.in_bytes() <= available;
    bool has_copies = !with_copies || !copy_fits;
    // Host functions allocate memory in each call, which plans that live at that time must leave
    // free.
    std::size_t of_a_call = 0;
    if (setting.mode == Mode::host)
        for (const auto& [algorithm, tuning] : contenders)
            if (algorithm->runs_on == Place::device && !algorithm->host_arrays &&
                !too_large(setting, {algorithm, tuning}, available))
                of_a_call = std::max(of_a_call, device_bytes(*algorithm, setting.n, tuning));
    for (const Contender& contender : contenders) {
        const Algorithm& algorithm = *contender.algorithm;
        const bool is_first = entrants.empty();
        const bool on_device = algorithm.runs_on == Place::device;
        const auto enter_if_it_fits = [&] {
            if (const auto reason = too_large(setting, contender, available))
                return skip(setting, contender, *reason, round);
            if (on_device && !has_copies) {
                enter_copies(setting, entrants);
                has_copies = true;
            }
            const bool has_plan = on_device && setting.mode != Mode::host;
            if (has_plan && !is_first &&
                algorithm.workspace_bytes(setting.n, contender.tuning) > simt::memory_info().free)
                return later.push_back(contender);
            Entrant entrant = enter(setting, contender);
            if (algorithm.host_arrays && simt::memory_info().free < of_a_call)
                return later.push_back(contender);
            // Before the next row enters, which may fault: nothing can be checked after that.
            turns_.sample_and_check(entrant);
            entrants.push_back(std::move(entrant));
        };
        (void)try_to(enter_if_it_fits, setting, contender, round);
    }
}

Entrant Bench::enter(const Setting& setting, const Contender& contender) {
    const Algorithm& algorithm = *contender.algorithm;
    // For a row whose work includes the copies, a call of the plan is the complete call.
    if (setting.mode == Mode::host && !algorithm.host_arrays) {
        host_.prepare(setting);
        return {contender, nullptr, host_.call_sampler(contender), &host_};
    }
    if (algorithm.arrays_on() == Place::host) {
        host_.prepare(setting);
        auto plan = algorithm.make_plan(setting.n, contender.tuning);
        auto sampler = host_.sampler(setting.mode, contender, *plan);
        return {contender, std::move(plan), std::move(sampler), &host_};
    }
    device_.prepare(setting);
    auto plan = algorithm.make_plan(setting.n, contender.tuning);
    simt::synchronize();  // a plan may have initialised its memory on the default stream
    auto sampler = device_.sampler(setting.mode, *plan, algorithm.asynchronous);
    return {contender, std::move(plan), std::move(sampler), &device_};
}

/// Device to device in the same mode; in mode host, to the device and back.
void Bench::enter_copies(const Setting& setting, std::vector<Entrant>& entrants) {
    if (setting.mode == Mode::host) {
        host_.prepare(setting);
        entrants.push_back({.sampler = host_.copy_sampler()});
        return;
    }
    device_.prepare(setting);
    const auto fastest = fastest_copies_.find({setting.mode, setting.n * setting.in_bytes()});
    for (const Copy& copy : copies())
        if (fastest == fastest_copies_.end() || fastest->second == copy.name)
            entrants.push_back(
                {.sampler = device_.copy_sampler(setting.mode, copy), .copy = copy.name});
}

std::optional<std::string> Bench::too_large(const Setting& setting, const Contender& contender,
                                            std::size_t available) const {
    const auto reason = [](std::size_t needed, std::size_t free) {
        return "skipped: needs " + with_unit(needed) + ", " + with_unit(free) + " free";
    };
    const Algorithm& algorithm = *contender.algorithm;
    if (algorithm.runs_on == Place::host || setting.mode == Mode::host) {
        // two arrays, and the memory of a plan
        const std::size_t needed = setting.n * (2 * sizeof(int) + kHostPlanBytes);
        const std::size_t held = host_.bytes();
        const std::size_t free = available_host_bytes();
        if (needed > held && needed - held > free) return reason(needed, free + held) + " (host)";
    }
    if (setting.variant != nullptr) {  // variants are prepared and checked on the host
        const std::size_t needed =
            setting.n * (sizeof(int) + setting.in_bytes() + setting.out_bytes());
        if (needed > available_host_bytes())
            return reason(needed, available_host_bytes()) + " (host)";
    }
    if (algorithm.runs_on == Place::host) return std::nullopt;
    const std::size_t needed =
        device_bytes(algorithm, setting.n, contender.tuning) + device_.flush_bytes(setting.mode);
    if (needed > available) return reason(needed, available);
    return std::nullopt;
}

double Bench::empty_launch_us(Mode mode) {
    const auto sampler = device_.empty_launch_sampler(mode);
    return summarize(sampler->take(Sampler::kMostSamples)).median;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
