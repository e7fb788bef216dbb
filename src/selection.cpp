#include "src/selection.h"

#include "src/usage_error.h"

#include <algorithm>
#include <span>
#include <string>

namespace stream_compaction {
namespace {

template <class Value, class Range>
bool contains(const Range& range, const Value& value) {
    return std::ranges::find(range, value) != std::ranges::end(range);
}

std::string listed(std::span<const int> values) {
    std::string text;
    for (const int value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
}

void require_names_exist(std::span<const Algorithm* const> rows,
                         std::span<const std::string> names) {
    for (const std::string& name : names) {
        if (std::ranges::any_of(rows, [&](const auto* row) { return row->name == name; })) continue;
        std::vector<std::string_view> legal;
        for (const Algorithm* row : rows)
            if (!contains(legal, row->name)) legal.push_back(row->name);
        std::string text;
        for (const std::string_view choice : legal)
            text.append(text.empty() ? "" : ", ").append(choice);
        throw UsageError("--algorithm", name, text);
    }
}

/// Gives the rows that have the parameter its value.
void apply(std::string_view option, int value, std::span<const int> LegalTuning::*legal_values,
           int Tuning::*parameter, std::span<SelectedRow> rows) {
    bool applied = false;
    for (SelectedRow& row : rows) {
        const std::span<const int> legal = row.algorithm->legal.*legal_values;
        if (legal.empty()) continue;
        if (!contains(legal, value))
            throw UsageError(option, std::to_string(value),
                             listed(legal) + " for " + std::string(row.algorithm->name) + ' ' +
                                 std::string(to_string(row.algorithm->operation)));
        row.tuning.*parameter = value;
        applied = true;
    }
    if (!applied)
        throw UsageError(option, std::to_string(value),
                         "nothing: no selected row has such a parameter");
}

}  // namespace

std::vector<SelectedRow> select_rows(const Registry& registry, const Options& options) {
    std::vector<const Algorithm*> candidates;
    for (const Algorithm& row : registry.rows)
        if (options.operations.empty() || contains(options.operations, row.operation))
            candidates.push_back(&row);
    require_names_exist(candidates, options.algorithms);

    std::vector<SelectedRow> rows;
    for (const Algorithm* row : candidates)
        if (options.algorithms.empty() || contains(options.algorithms, row->name))
            rows.push_back({row, row->tuned});
    if (options.block_size)
        apply("--block-size", *options.block_size, &LegalTuning::block_sizes, &Tuning::block_size,
              rows);
    if (options.items_per_thread)
        apply("--items-per-thread", *options.items_per_thread, &LegalTuning::items_per_thread,
              &Tuning::items_per_thread, rows);
    return rows;
}

}  // namespace stream_compaction
