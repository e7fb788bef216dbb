#include "src/bench/turns.h"

#include "src/bench/sampling/host_clock.h"
#include "src/bench/skip.h"

#include <algorithm>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// A turn's clock, from the clocks before and after it: the lower one, because some of the samples
/// may have been taken at that clock. 0 if neither is known.
double lower_clock(const GpuClock& before, const GpuClock& after) {
    if (before.megahertz == 0 || after.megahertz == 0)
        return std::max(before.megahertz, after.megahertz);
    return std::min(before.megahertz, after.megahertz);
}

/// The number of samples of a turn: long enough to make its overhead small, short enough that clock
/// drift affects all contenders equally.
std::size_t samples_of_a_turn(const Entrant::Seen& seen) {
    constexpr double kTurnSeconds = 0.02;
    const double seconds = seen.seconds / static_cast<double>(seen.samples.size());
    return static_cast<std::size_t>(
        std::clamp(kTurnSeconds / seconds, 1.0, static_cast<double>(Sampler::kMostSamples)));
}

/// As in Mode::cold, but in separate calls, because reading the clock between the phases also takes
/// time. Returns nothing if there is no work to divide.
std::optional<Phases> median_phases(const Entrant& entrant) {
    constexpr double kMostSeconds = 1, kMostCalls = 11;
    const double seconds = summarize(entrant.seen.samples).median / 1e6;
    const auto calls = static_cast<std::size_t>(
        std::clamp(kMostSeconds / std::max(seconds, 1e-9), 1.0, kMostCalls));
    std::vector<double> map, scan, scatter;
    for (std::size_t i = 0; i < calls; ++i) {
        const std::optional<Phases> phases = entrant.arena->phases(*entrant.plan);
        if (!phases) return std::nullopt;
        map.push_back(phases->map.count());
        scan.push_back(phases->scan.count());
        scatter.push_back(phases->scatter.count());
    }
    return Phases{.map = Microseconds(summarize(map).median),
                  .scan = Microseconds(summarize(scan).median),
                  .scatter = Microseconds(summarize(scatter).median)};
}

}  // namespace

Turns::Turns(const Protocol& protocol, const std::atomic<bool>& stop,
             std::function<GpuClock()> clock, EnergyCounter energy)
    : protocol_(protocol), stop_(stop), clock_(std::move(clock)), energy_(std::move(energy)) {}

void Turns::take(std::span<Entrant* const> entrants, const Setting& setting, Round& round) const {
    const auto attempt = [&](Entrant& entrant, const auto& f) {
        if (!entrant.seen.failed)
            entrant.seen.failed = !try_to(f, setting, entrant.contender, round);
    };
    for (Entrant* const entrant : entrants)
        if (entrant->seen.samples.empty()) attempt(*entrant, [&] { sample_and_check(*entrant); });

    for (bool any = true; any && !stop_;) {
        any = false;
        for (Entrant* const entrant : entrants) {
            if (entrant->seen.failed || is_done(entrant->seen) || stop_) continue;
            any = true;
            attempt(*entrant, [&] { take_turn(*entrant); });
        }
    }
    for (Entrant* const one : entrants) {
        Entrant& entrant = *one;
        if (stop_) return;
        if (is_over(entrant.seen)) continue;
        attempt(entrant, [&] {
            const Entrant::Seen& seen = entrant.seen;
            bool is_checked = steady(seen).microseconds.size() == protocol_.samples;
            for (; !is_checked || (lacks_samples(seen) && !is_over(seen) && !stop_);
                 is_checked = true)
                sample_and_check(entrant);
            if (setting.mode == Mode::cold && entrant.plan &&
                entrant.contender.algorithm->has_phases)
                entrant.seen.phases = median_phases(entrant);
            if (energy_ && entrant.plan && !entrant.is_on_host() &&
                has_calls_back_to_back(setting.mode))
                count_energy(entrant, round);
        });
    }
}

/// The clock is read before and after the turn, when none of its calls run. For a row on the host
/// the GPU's clock does not matter.
void Turns::sample(Entrant& entrant, std::size_t samples) const {
    const auto read = [&] { return entrant.is_on_host() ? GpuClock{} : clock_(); };
    Entrant::Seen& seen = entrant.seen;
    const GpuClock before = read();
    const double start = host_clock_us();
    const std::vector<double> times = entrant.sampler->take(samples);
    seen.seconds += (host_clock_us() - start) / 1e6;
    const GpuClock after = read();
    seen.samples.insert(seen.samples.end(), times.begin(), times.end());
    seen.megahertz.resize(seen.samples.size(), lower_clock(before, after));
    seen.throttled |= before.is_throttled || after.is_throttled;
}

void Turns::sample_and_check(Entrant& entrant) const {
    if (entrant.arena != nullptr) entrant.arena->prepare_output();
    sample(entrant, 1);
    if (entrant.arena != nullptr) entrant.seen.wrong = entrant.arena->what_is_wrong();
}

void Turns::take_turn(Entrant& entrant) const {
    std::size_t turn = samples_of_a_turn(entrant.seen);
    if (protocol_.samples)  // one sample is still to come
        turn = std::min(turn, *protocol_.samples - 1 - steady(entrant.seen).microseconds.size());
    sample(entrant, turn);
}

/// If the GPU does not report energy, the row keeps its other results.
void Turns::count_energy(Entrant& entrant, Round& round) const {
    try {
        entrant.seen.millijoules =
            millijoules_of_a_call(*entrant.sampler, samples_of_a_turn(entrant.seen), energy_);
    } catch (const NvmlError& error) {
        round.no_energy = error.what();
    }
}

/// Whether no more samples are useful.
bool Turns::is_over(const Entrant::Seen& seen) const {
    return seen.wrong || seen.seconds >= protocol_.max_seconds;
}

bool Turns::is_done(const Entrant::Seen& seen) const {
    if (is_over(seen)) return true;
    const std::size_t samples = steady(seen).microseconds.size() + 1;
    if (protocol_.samples) return samples >= *protocol_.samples;
    return samples >= protocol_.min_samples && seen.seconds >= protocol_.min_seconds;
}

SteadySamples Turns::steady(const Entrant::Seen& seen) const {
    SteadySamples all = steady_samples(seen.samples, seen.megahertz, protocol_.least_clock);
    // Discarded samples count again if the usual clock becomes lower.
    if (protocol_.samples && all.microseconds.size() > *protocol_.samples)
        all.microseconds.resize(*protocol_.samples);
    return all;
}

bool Turns::lacks_samples(const Entrant::Seen& seen) const {
    return steady(seen).microseconds.size() < protocol_.samples.value_or(protocol_.min_samples);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
