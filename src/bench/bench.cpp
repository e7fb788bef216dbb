#include "src/bench/bench.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "src/bench/bytes_moved.h"
#include "src/bench/empty_launch.h"
#include "src/check/device_check.h"
#include "src/check/host_check.h"
#include "src/check/variant_check.h"
#include "src/input/device_input.h"
#include "src/program/host_memory.h"
#include "stream_compaction/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// Settings that differ in nothing but the mode share their input and its check.
bool have_same_input(const Setting& a, Setting b) {
    b.mode = a.mode;
    return a == b;
}

Input input_of(const Setting& setting) {
    return {setting.distribution, setting.kept, setting.n, setting.seed};
}

/// Seconds that f takes.
template <class F>
double seconds_of(F f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What the operation must move, as this algorithm does it; nothing where that is not known.
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

/// The input, an output and what judges it, on the device.
struct Bench::DeviceArrays {
    Setting setting;
    simt::DeviceArray<int> in, out;
    simt::DeviceArray<std::size_t> count{1};
    std::optional<DeviceCheck> check;
    std::optional<VariantCheck> variant_check;  ///< instead, where there is a variant

    template <class F>
    auto with_check(F f) const {
        return variant_check ? f(*variant_check) : f(*check);
    }
    std::size_t bytes() const { return (in.size() + out.size()) * sizeof(int); }
};

/// The same on the host.
struct Bench::HostArrays {
    Setting setting;
    std::unique_ptr<int[]> in_memory, out_memory;
    std::size_t room = 0;
    std::size_t count = 0;
    std::optional<HostCheck> check;

    std::span<const int> in() const { return {in_memory.get(), setting.n}; }
    std::span<int> out() const { return {out_memory.get(), setting.n}; }
    std::span<int> guarded_out() const { return {out_memory.get(), setting.n + HostCheck::kGuard}; }
};

/// Who takes part in a round.
struct Bench::Entrant {
    Contender contender = {};  ///< no algorithm: the copy, the ceiling of the others
    std::unique_ptr<Plan> plan = {};
    std::unique_ptr<Sampler> sampler = {};
    std::function<void()> prepare_output = {};
    std::function<std::optional<std::string>()> what_is_wrong = {};
    std::size_t count = 0;  ///< elements of the right output

    std::vector<double> samples = {};
    double seconds = 0;  ///< spent on the samples, with what surrounds them
    std::optional<std::string> wrong = {};
    std::optional<Phases> phases = {};
    bool throttled = false;
    bool failed = false;

    bool is_on_host() const {
        return contender.algorithm != nullptr && contender.algorithm->runs_on == Place::host;
    }
};

Bench::Bench(const Protocol& protocol, const FlushSizes& flush, const std::atomic<bool>& stop,
             std::function<bool()> throttled)
    : protocol_(protocol),
      stop_(stop),
      throttled_(std::move(throttled)),
      flush_bytes_(flush.device),
      l2_flush_(flush.device),
      host_flush_(flush.host) {}

Bench::~Bench() = default;

// ---- Who takes part ---------------------------------------------------------------------------

Round Bench::measure(const Setting& setting, std::span<const Contender> contenders) {
    Round round;
    std::optional<double> copy_us;
    const bool on_device = std::ranges::any_of(
        contenders, [](const Contender& c) { return c.algorithm->runs_on == Place::device; });
    if (setting.mode == Mode::host) device_.reset();  // host functions take memory of their own

    // All contenders take turns if their plans fit into memory together; what does not fit comes
    // when the others are through.
    std::vector<Contender> waiting(contenders.begin(), contenders.end()), later;
    for (; !waiting.empty() && !stop_; waiting = std::exchange(later, {})) {
        const std::size_t available = available_device_bytes();
        std::vector<Entrant> entrants;
        for (const Contender& contender : waiting) {
            const Algorithm& algorithm = *contender.algorithm;
            const bool is_first = entrants.empty();
            (void)try_to(
                [&] {
                    if (const auto reason = too_large(setting, contender, available))
                        return skip(setting, contender, *reason, round);
                    if (on_device && is_first && !copy_us) entrants.push_back(enter_copy(setting));
                    const bool has_plan =
                        algorithm.runs_on == Place::device && setting.mode != Mode::host;
                    if (has_plan && !is_first &&
                        algorithm.workspace_bytes(setting.n, contender.tuning) >
                            simt::memory_info().free)
                        later.push_back(contender);
                    else
                        entrants.push_back(enter(setting, contender));
                },
                setting, contender, round);
        }
        // Among themselves: a row of the host takes so long that the GPU would fall asleep.
        std::vector<Entrant*> on_host, others;
        for (Entrant& entrant : entrants)
            (entrant.is_on_host() ? on_host : others).push_back(&entrant);
        compete(others, setting, round);
        compete(on_host, setting, round);

        for (const Entrant& entrant : entrants) {
            if (entrant.failed || entrant.samples.empty() || !is_done(entrant)) continue;
            if (entrant.contender.algorithm == nullptr) {
                copy_us = summarize(entrant.samples).median;
                continue;
            }
            const Algorithm& algorithm = *entrant.contender.algorithm;
            Measurement row{.setting = setting,
                            .algorithm = std::string(algorithm.name),
                            .tuning = entrant.contender.tuning,
                            .microseconds = summarize(entrant.samples),
                            .moved_bytes = bytes_to_move(algorithm, setting.n, entrant.count),
                            .phases = entrant.phases,
                            .wrong = entrant.wrong,
                            .throttled = entrant.throttled};
            if (algorithm.runs_on == Place::device) row.copy_us = copy_us;
            if (row.copy_us && row.moved_bytes && setting.mode != Mode::host && setting.n > 0)
                row.roof_us = *copy_us * static_cast<double>(*row.moved_bytes) /
                              static_cast<double>(2 * setting.n * setting.in_bytes());
            round.measured.push_back(std::move(row));
        }
    }
    return round;
}

/// Free, or kept by this object.
std::size_t Bench::available_device_bytes() const {
    return simt::memory_info().free + flush_bytes_ + (device_ ? device_->bytes() : 0);
}

std::optional<std::string> Bench::too_large(const Setting& setting, const Contender& contender,
                                            std::size_t available) const {
    const auto reason = [](std::size_t needed, std::size_t free) {
        return "skipped: needs " + gibibytes(needed) + ", " + gibibytes(free) + " free";
    };
    const Algorithm& algorithm = *contender.algorithm;
    if (algorithm.runs_on == Place::host || setting.mode == Mode::host) {
        // Two arrays, and what a plan takes.
        const std::size_t needed = setting.n * (2 * sizeof(int) + kHostPlanBytes);
        const std::size_t held = host_ ? 2 * host_->room * sizeof(int) : 0;
        const std::size_t free = available_host_bytes();
        if (needed > held && needed - held > free) return reason(needed, free + held) + " (host)";
    }
    if (setting.variant != nullptr) {  // is made and checked on the host
        const std::size_t needed =
            setting.n * (sizeof(int) + setting.in_bytes() + setting.out_bytes());
        if (needed > available_host_bytes())
            return reason(needed, available_host_bytes()) + " (host)";
    }
    if (algorithm.runs_on == Place::host) return std::nullopt;
    const std::size_t needed = device_bytes(algorithm, setting.n, contender.tuning) + flush_bytes_;
    if (needed > available) return reason(needed, available);
    return std::nullopt;
}

void Bench::skip(const Setting& setting, const Contender& contender, std::string reason,
                 Round& round) {
    const std::string name(contender.algorithm != nullptr ? contender.algorithm->name : "copy");
    round.skipped.push_back({.setting = setting,
                             .algorithm = name,
                             .tuning = contender.tuning,
                             .reason = std::move(reason)});
}

/// Calls f. Where that fails, the contender is written down as skipped and the answer is false.
template <class F>
bool Bench::try_to(F f, const Setting& setting, const Contender& contender, Round& round) {
    try {
        f();
        return true;
    } catch (const simt::OutOfMemory& error) {
        skip(setting, contender, std::string("skipped: ") + error.what(), round);
    } catch (const std::bad_alloc&) {
        skip(setting, contender, "skipped: the host is out of memory", round);
    } catch (const std::invalid_argument& error) {
        skip(setting, contender, std::string("skipped: ") + error.what(), round);
    } catch (const std::exception& error) {
        simt::synchronize();  // throws where no later call can work either
        skip(setting, contender, std::string("failed: ") + error.what(), round);
        round.skipped.back().failed = true;
    }
    return false;
}

// ---- What they work on ------------------------------------------------------------------------

void Bench::prepare_device(const Setting& setting) {
    if (device_ && have_same_input(device_->setting, setting)) return;
    auto arrays = device_ ? std::move(device_) : std::make_unique<DeviceArrays>();
    arrays->check.reset();
    arrays->variant_check.reset();
    const std::size_t in_size = setting.n * setting.in_bytes() / sizeof(int);
    const std::size_t out_size =
        setting.n * setting.out_bytes() / sizeof(int) + DeviceCheck::kGuard;
    if (arrays->in.size() < in_size || arrays->out.size() < out_size) {
        arrays->in = {};
        arrays->out = {};
        arrays->in = simt::DeviceArray<int>(in_size);
        arrays->out = simt::DeviceArray<int>(out_size);
    }
    arrays->setting = setting;
    if (setting.variant != nullptr) {
        arrays->variant_check.emplace(*setting.variant, input_of(setting));
        arrays->variant_check->store(arrays->in.data(), stream_);
    } else {
        enqueue_store(input_of(setting), arrays->in.data(), stream_.get());
        stream_.synchronize();
        arrays->check.emplace(setting.operation, arrays->in.data(), setting.n, stream_);
    }
    device_ = std::move(arrays);
}

void Bench::prepare_host(const Setting& setting) {
    if (host_ && have_same_input(host_->setting, setting)) return;
    auto arrays = host_ ? std::move(host_) : std::make_unique<HostArrays>();
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
    store(input_of(setting), {arrays->in_memory.get(), setting.n});
    arrays->check.emplace(setting.operation, arrays->in());
    arrays->check->prepare(arrays->guarded_out());  // touches the memory before anybody is timed
    host_ = std::move(arrays);
}

Bench::Entrant Bench::enter(const Setting& setting, const Contender& contender) {
    const bool on_host = contender.algorithm->runs_on == Place::host;
    if (!on_host && setting.mode != Mode::host) {
        prepare_device(setting);
        return enter_on_device(setting, contender);
    }
    prepare_host(setting);
    Entrant entrant =
        setting.mode == Mode::host ? enter_host_call(contender) : enter_on_host(setting, contender);
    entrant.count = host_->check->count();
    entrant.prepare_output = [this] {
        host_->count = 0;
        host_->check->prepare(host_->guarded_out());
    };
    entrant.what_is_wrong = [this] {
        return host_->check->what_is_wrong(host_->guarded_out(), host_->count);
    };
    return entrant;
}

Bench::Entrant Bench::enter_host_call(const Contender& contender) {
    Entrant entrant{.contender = contender};
    entrant.sampler = hot_host_sampler([this, contender] {
        host_->count = contender.algorithm->run(host_->in(), host_->out(), contender.tuning).count;
    });
    return entrant;
}

Bench::Entrant Bench::enter_on_host(const Setting& setting, const Contender& contender) {
    Entrant entrant{.contender = contender};
    entrant.plan = contender.algorithm->make_plan(setting.n, contender.tuning);
    const auto call = [this, plan = entrant.plan.get()] {
        plan->enqueue(host_->in().data(), host_->out().data(), &host_->count, host_->setting.n);
    };
    entrant.sampler =
        setting.mode == Mode::cold ? cold_host_sampler(call, host_flush_) : hot_host_sampler(call);
    return entrant;
}

Bench::Entrant Bench::enter_on_device(const Setting& setting, const Contender& contender) {
    Entrant entrant{.contender = contender};
    entrant.count = device_->with_check([](const auto& check) { return check.count(); });
    entrant.prepare_output = [this] {
        device_->with_check([this](const auto& check) {
            check.prepare(device_->out.data(), device_->count.data(), stream_);
        });
    };
    entrant.what_is_wrong = [this] {
        return device_->with_check([this](const auto& check) {
            return check.what_is_wrong(device_->out.data(), device_->count.data(), stream_);
        });
    };
    entrant.plan = contender.algorithm->make_plan(setting.n, contender.tuning);
    simt::synchronize();  // a plan may have prepared its memory on the default stream
    entrant.sampler = device_sampler(
        setting.mode,
        [this, plan = entrant.plan.get()](simt::stream_t stream) {
            plan->enqueue(device_->in.data(), device_->out.data(), device_->count.data(),
                          device_->setting.n, stream);
        },
        contender.algorithm->asynchronous);
    return entrant;
}

/// Device to device in the same mode; for host functions, to the device and back.
Bench::Entrant Bench::enter_copy(const Setting& setting) {
    Entrant entrant;
    if (setting.mode == Mode::host) {
        prepare_host(setting);
        entrant.sampler = hot_host_sampler([this] {
            const simt::DeviceArray<int> device(host_->in());
            device.copy_to(host_->out());
        });
        return entrant;
    }
    prepare_device(setting);
    entrant.sampler = device_sampler(
        setting.mode,
        [this](simt::stream_t stream) {
            simt::copy_async(device_->out.data(), device_->in.data(),
                             device_->setting.n * device_->setting.in_bytes(), stream);
        },
        true);
    return entrant;
}

std::unique_ptr<Sampler> Bench::device_sampler(Mode mode, Enqueue enqueue, bool asynchronous) {
    switch (mode) {
        case Mode::cold:
            return cold_sampler(std::move(enqueue), asynchronous, l2_flush_, stream_);
        case Mode::hot:
            return hot_sampler(std::move(enqueue), stream_);
        case Mode::graph:
            return graph_sampler(std::move(enqueue), stream_);
        case Mode::host:
            break;
    }
    throw std::invalid_argument("no work on device arrays is measured in mode host");
}

double Bench::empty_launch_us(Mode mode) {
    const auto sampler = device_sampler(mode, enqueue_nothing, true);
    return summarize(sampler->take(Sampler::kMostSamples)).median;
}

// ---- Turns ------------------------------------------------------------------------------------

void Bench::compete(std::span<Entrant* const> entrants, const Setting& setting, Round& round) {
    const auto attempt = [&](Entrant& entrant, auto f) {
        if (!entrant.failed) entrant.failed = !try_to(f, setting, entrant.contender, round);
    };
    for (Entrant* const entrant : entrants) attempt(*entrant, [&] { sample_and_check(*entrant); });

    for (bool any = true; any && !stop_;) {
        any = false;
        const bool throttled = throttled_();
        for (Entrant* const entrant : entrants) {
            if (entrant->failed || is_done(*entrant) || stop_) continue;
            any = true;
            entrant->throttled |= throttled && !entrant->is_on_host();
            attempt(*entrant, [&] { sample(*entrant); });
        }
    }
    for (Entrant* const one : entrants) {
        Entrant& entrant = *one;
        if (stop_) return;
        if (entrant.wrong || entrant.seconds >= protocol_.max_seconds) continue;
        attempt(entrant, [&] {
            if (entrant.samples.size() != protocol_.samples) sample_and_check(entrant);
            if (setting.mode == Mode::cold && entrant.plan &&
                entrant.contender.algorithm->has_phases)
                entrant.phases = phases(entrant);
        });
    }
}

/// One turn: long enough to keep what surrounds it small, short enough for a drift of the clock to
/// meet all contenders alike.
void Bench::sample(Entrant& entrant) {
    constexpr double kTurnSeconds = 0.02;
    const double seconds = entrant.seconds / static_cast<double>(entrant.samples.size());
    std::size_t turn = static_cast<std::size_t>(
        std::clamp(kTurnSeconds / seconds, 1.0, static_cast<double>(Sampler::kMostSamples)));
    if (protocol_.samples)  // the last one is still to come
        turn = std::min(turn, *protocol_.samples - 1 - entrant.samples.size());
    entrant.seconds += seconds_of([&] {
        const std::vector<double> times = entrant.sampler->take(turn);
        entrant.samples.insert(entrant.samples.end(), times.begin(), times.end());
    });
}

void Bench::sample_and_check(Entrant& entrant) {
    if (entrant.prepare_output) entrant.prepare_output();
    entrant.seconds +=
        seconds_of([&] { entrant.samples.push_back(entrant.sampler->take(1).front()); });
    if (entrant.what_is_wrong) entrant.wrong = entrant.what_is_wrong();
}

/// But for the last sample.
bool Bench::is_done(const Entrant& entrant) const {
    const std::size_t samples = entrant.samples.size() + 1;
    if (entrant.wrong || entrant.seconds >= protocol_.max_seconds) return true;
    if (protocol_.samples) return samples >= *protocol_.samples;
    return samples >= protocol_.min_samples && entrant.seconds >= protocol_.min_seconds;
}

/// As in Mode::cold, in calls of their own: reading the clock between the phases takes time too.
/// Nothing where there is no work to divide.
std::optional<Phases> Bench::phases(const Entrant& entrant) {
    constexpr double kMostSeconds = 1, kMostCalls = 11;
    const double seconds = summarize(entrant.samples).median / 1e6;
    const auto calls = static_cast<std::size_t>(
        std::clamp(kMostSeconds / std::max(seconds, 1e-9), 1.0, kMostCalls));
    std::vector<double> map, scan, scatter;
    for (std::size_t i = 0; i < calls; ++i) {
        const std::optional<Phases> phases =
            entrant.is_on_host() ? phases_on_host(*entrant.plan) : phases_on_device(*entrant.plan);
        if (!phases) return std::nullopt;
        map.push_back(phases->map.count());
        scan.push_back(phases->scan.count());
        scatter.push_back(phases->scatter.count());
    }
    return Phases{.map = Microseconds(summarize(map).median),
                  .scan = Microseconds(summarize(scan).median),
                  .scatter = Microseconds(summarize(scatter).median)};
}

std::optional<Phases> Bench::phases_on_host(Plan& plan) {
    HostStopwatch watch;
    host_flush_.run();
    watch.mark();
    plan.enqueue(host_->in().data(), host_->out().data(), &host_->count, host_->setting.n, nullptr,
                 &watch);
    watch.mark();
    return outcome(host_->count, watch.laps()).phases;
}

std::optional<Phases> Bench::phases_on_device(Plan& plan) {
    const auto enqueue = [&](Stopwatch* watch) {
        plan.enqueue(device_->in.data(), device_->out.data(), device_->count.data(),
                     device_->setting.n, stream_.get(), watch);
    };
    const std::size_t flushes =
        flushes_to_hide([&](simt::stream_t) { enqueue(nullptr); }, l2_flush_, stream_);
    DeviceStopwatch watch(stream_.get());
    for (std::size_t i = 0; i < flushes; ++i) l2_flush_.enqueue(stream_.get());
    watch.mark();
    enqueue(&watch);
    watch.mark();
    return outcome(device_->check->count(), watch.laps()).phases;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
