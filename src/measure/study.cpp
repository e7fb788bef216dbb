#include "src/measure/study.h"

#include "src/command_line/usage_error.h"
#include "src/input/key_file.h"

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <span>
#include <string_view>

namespace stream_compaction {
namespace {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
    return std::ranges::find(range, value) != std::ranges::end(range);
}

template <class T>
std::vector<T> or_else(const std::vector<T>& given, std::vector<T> otherwise) {
    return given.empty() ? otherwise : given;
}

/// The rows of the requested operations and variants, in the registry's order.
std::vector<const Algorithm*> candidates(const Request& request, const Registry& registry) {
    const bool takes_all = contains(request.variants, kEveryVariant);
    std::vector<std::string_view> names, found;
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : request.variants.empty() ? registry.rows : registry.variants) {
        if (!request.operations.empty() && !contains(request.operations, row.operation)) continue;
        if (row.variant != nullptr) {
            const std::string_view name = row.variant->name;
            if (!contains(names, name)) names.push_back(name);
            if (!takes_all && !contains(request.variants, name)) continue;
            found.push_back(name);
        }
        rows.push_back(&row);
    }
    for (const std::string& name : request.variants)
        if (name != kEveryVariant && !contains(found, name))
            throw UsageError(
                "--variant", name,
                joined(names).append(names.empty() ? "" : ", ") + std::string(kEveryVariant));
    return rows;
}

/// All keys of a file.
std::size_t usual_size(const Distribution& distribution) {
    constexpr std::size_t kUsualSize = std::size_t{1} << 20;
    return distribution.kind == Distribution::file ? distribution.keys->size() : kUsualSize;
}

/// A compaction keeps half of the elements; with a file, its non-zero elements.
std::vector<std::optional<double>> shares_kept(const Request& request, Operation operation,
                                               const Distribution& distribution) {
    if (operation != Operation::compact) return {std::nullopt};
    if (!request.kept.empty()) return {request.kept.begin(), request.kept.end()};
    if (distribution.kind == Distribution::file) return {std::nullopt};
    return {0.5};
}

/// All settings of an operation.
std::vector<Setting> settings_of(const Request& request, Operation operation,
                                 const Variant* variant) {
    const bool sorts = operation == Operation::sort;
    const auto distributions = or_else<Distribution>(
        request.distributions, {sorts ? Distribution::uniform : Distribution::uniform50});
    std::vector<std::pair<std::size_t, Distribution>> inputs;
    for (const std::size_t n : request.sizes)
        for (const Distribution& distribution : distributions) inputs.emplace_back(n, distribution);
    if (request.sizes.empty())
        for (const Distribution& distribution : distributions)
            inputs.emplace_back(usual_size(distribution), distribution);

    std::vector<Setting> settings;
    for (const auto& [n, distribution] : inputs)
        for (const std::optional<double>& share : shares_kept(request, operation, distribution))
            for (const Mode mode : or_else(request.modes, {Mode::cold}))
                settings.push_back({.operation = operation,
                                    .mode = mode,
                                    .n = n,
                                    .distribution = distribution,
                                    .kept = share,
                                    .seed = request.seed,
                                    .variant = variant});
    return settings;
}

void move_to_skipped(Match& match, std::size_t i, std::string reason) {
    const Contender contender = match.contenders[i];
    match.contenders.erase(match.contenders.begin() + static_cast<std::ptrdiff_t>(i));
    match.skipped.push_back({.setting = match.setting,
                             .algorithm = std::string(contender.algorithm->name),
                             .tuning = contender.tuning,
                             .reason = std::move(reason)});
}

/// Moves the contenders for which `reason_for` returns a reason.
template <class ReasonFor>
void skip_where(Match& match, ReasonFor reason_for) {
    for (std::size_t i = 0; i < match.contenders.size();) {
        if (std::optional<std::string> reason = reason_for(match.contenders[i]))
            move_to_skipped(match, i, *std::move(reason));
        else
            ++i;
    }
}

}  // namespace

std::optional<std::string> reason_against(const Algorithm& algorithm, Mode mode) {
    if (!algorithm.unavailable.empty()) return std::string(algorithm.unavailable);
    if (mode == Mode::host && algorithm.run == nullptr) return "has no function on host arrays";
    if (mode != Mode::host && algorithm.host_arrays)
        return "works on host arrays, so only in mode host";
    if (mode != Mode::graph) return std::nullopt;
    if (algorithm.runs_on == Place::host) return "runs on the host, which has no graphs";
    if (!algorithm.asynchronous) return "waits for the device, so a graph cannot capture it";
    return std::nullopt;
}

std::vector<Match> plan_study(const Request& request, const Registry& registry) {
    const auto rows = named(candidates(request, registry), request.algorithms);
    require_takers(rows, request.block_sizes, request.items_per_thread, request.paddings);
    if (!request.kept.empty() &&
        !contains(rows | std::views::transform(&Algorithm::operation), Operation::compact))
        throw UsageError("--kept: no compaction is selected");
    std::vector<std::pair<Operation, const Variant*>> tasks;
    for (const Algorithm* row : rows)
        if (const std::pair task(row->operation, row->variant); !contains(tasks, task))
            tasks.push_back(task);

    std::vector<Match> matches;
    for (const auto& [operation, variant] : tasks) {
        std::vector<Contender> contenders;
        for (const Algorithm* row : rows) {
            if (row->operation != operation || row->variant != variant) continue;
            const auto of_row =
                with_tunings(*row, request.block_sizes, request.items_per_thread, request.paddings);
            contenders.insert(contenders.end(), of_row.begin(), of_row.end());
        }
        for (const Setting& setting : settings_of(request, operation, variant)) {
            Match& match = matches.emplace_back(Match{setting, contenders, {}});
            skip_where(match, [&](const Contender& contender) {
                auto reason = reason_against(*contender.algorithm, setting.mode);
                if (reason) reason->insert(0, "skipped: ");
                return reason;
            });
        }
    }
    return matches;
}

SlowRows::Key SlowRows::key(const Setting& setting, std::string_view algorithm,
                            const Tuning& tuning) {
    return {
        setting.operation, std::string(algorithm), tuning.block_size,    tuning.items_per_thread,
        tuning.padding,    setting.mode,           setting.distribution, setting.kept.value_or(-1),
        setting.variant};
}

void SlowRows::note(const Measurement& row) {
    if (row.microseconds.median <= limit_us_) return;
    slow_at_.try_emplace(key(row.setting, row.algorithm, row.tuning), row.setting.n);
}

void SlowRows::remove_from(Match& match) const {
    skip_where(match, [&](const Contender& contender) -> std::optional<std::string> {
        const auto slow =
            slow_at_.find(key(match.setting, contender.algorithm->name, contender.tuning));
        if (slow == slow_at_.end() || slow->second >= match.setting.n) return std::nullopt;
        char limit[32];
        const bool is_short = limit_us_ < 1000;
        std::snprintf(limit, sizeof limit, is_short ? "%g us" : "%g s",
                      is_short ? limit_us_ : limit_us_ / 1e6);
        return "skipped: one call took longer than " + std::string(limit) +
               " at n = " + std::to_string(slow->second);
    });
}

}  // namespace stream_compaction
