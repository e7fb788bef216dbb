#include "src/harness/selection.h"

#include "src/command_line/usage_error.h"

#include <algorithm>
#include <span>

namespace stream_compaction {
namespace {

std::vector<const Algorithm*> rows_of(std::span<const Algorithm> rows,
                                      std::span<const Operation> operations) {
    std::vector<const Algorithm*> found;
    for (const Algorithm& row : rows)
        if (operations.empty() || std::ranges::find(operations, row.operation) != operations.end())
            found.push_back(&row);
    return found;
}

/// A value that no row would take is a mistake.
void require_a_taker(std::string_view option, std::span<const int> value,
                     std::span<const int> LegalTuning::*legal,
                     std::span<const Algorithm* const> rows) {
    if (value.empty() || std::ranges::any_of(rows, [=](const Algorithm* row) {
            return !(row->legal.*legal).empty();
        }))
        return;
    throw UsageError(option, std::to_string(value.front()),
                     "nothing: no selected row has such a parameter");
}

std::span<const int> values(const std::optional<int>& value) {
    return value ? std::span(&*value, 1) : std::span<const int>();
}

}  // namespace

std::vector<Contender> select_contenders(const Registry& registry, const HarnessOptions& options) {
    const auto rows = named(rows_of(registry.rows, options.operations), options.algorithms);
    const auto block_size = values(options.block_size), items = values(options.items_per_thread);
    std::vector<Contender> contenders;
    for (const Algorithm* const row : rows)
        contenders.push_back(with_tunings(*row, block_size, items).front());
    require_a_taker("--block-size", block_size, &LegalTuning::block_sizes, rows);
    require_a_taker("--items-per-thread", items, &LegalTuning::items_per_thread, rows);
    return contenders;
}

}  // namespace stream_compaction
