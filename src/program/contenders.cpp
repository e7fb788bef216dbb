#include "src/program/contenders.h"

#include "src/command_line/usage_error.h"

#include <algorithm>
#include <ranges>

namespace stream_compaction {
namespace {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
    return std::ranges::find(range, value) != std::ranges::end(range);
}

/// The values to use for one parameter of an algorithm.
std::vector<int> values_for(std::string_view option, std::span<const int> asked,
                            std::span<const int> legal, int tuned, const Algorithm& row) {
    if (asked.empty() || legal.empty()) return {tuned};
    for (const int value : asked) {
        if (contains(legal, value)) continue;
        std::vector<std::string> choices;
        for (const int choice : legal) choices.push_back(std::to_string(choice));
        throw UsageError(option, std::to_string(value),
                         joined(choices) + " for " + std::string(row.name) + ' ' +
                             std::string(to_string(row.operation)));
    }
    return {asked.begin(), asked.end()};
}

void require_a_taker(std::string_view option, std::span<const int> values,
                     std::span<const int> LegalTuning::*legal,
                     std::span<const Algorithm* const> rows) {
    if (values.empty() || std::ranges::any_of(rows, [=](const Algorithm* row) {
            return !(row->legal.*legal).empty();
        }))
        return;
    throw UsageError(std::string(option) + ": no selected algorithm has this parameter");
}

}  // namespace

void require_takers(std::span<const Algorithm* const> rows, std::span<const int> block_sizes,
                    std::span<const int> items_per_thread, std::span<const int> paddings) {
    require_a_taker("--block-size", block_sizes, &LegalTuning::block_sizes, rows);
    require_a_taker("--items-per-thread", items_per_thread, &LegalTuning::items_per_thread, rows);
    require_a_taker("--padding", paddings, &LegalTuning::paddings, rows);
}

std::vector<const Algorithm*> named(
    std::string_view option, std::span<const Algorithm* const> rows,
    std::span<const std::string> names,
    const std::function<std::string_view(const Algorithm*)>& name_of) {
    for (const std::string& name : names) {
        if (contains(rows | std::views::transform(name_of), name)) continue;
        std::vector<std::string_view> legal;
        for (const Algorithm* const row : rows)
            if (!contains(legal, name_of(row))) legal.push_back(name_of(row));
        throw UsageError(option, name,
                         legal.empty() ? "nothing: no such row can run here" : joined(legal));
    }
    std::vector<const Algorithm*> found;
    for (const Algorithm* const row : rows)
        if (names.empty() || contains(names, name_of(row))) found.push_back(row);
    return found;
}

std::vector<const Algorithm*> named(std::span<const Algorithm* const> rows,
                                    std::span<const std::string> names) {
    return named("--algorithm", rows, names, [](const Algorithm* row) { return row->name; });
}

std::vector<Contender> with_tunings(const Algorithm& row, std::span<const int> block_sizes,
                                    std::span<const int> items_per_thread,
                                    std::span<const int> paddings) {
    std::vector<Contender> contenders;
    for (const int block_size :
         values_for("--block-size", block_sizes, row.legal.block_sizes, row.tuned.block_size, row))
        for (const int items :
             values_for("--items-per-thread", items_per_thread, row.legal.items_per_thread,
                        row.tuned.items_per_thread, row))
            for (const int padding :
                 values_for("--padding", paddings, row.legal.paddings, row.tuned.padding, row))
                contenders.push_back(
                    {&row,
                     {.block_size = block_size, .items_per_thread = items, .padding = padding}});
    return contenders;
}

}  // namespace stream_compaction
