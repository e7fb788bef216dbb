#include "src/harness/selection.h"

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

std::span<const int> values(const std::optional<int>& value) {
    return value ? std::span(&*value, 1) : std::span<const int>();
}

}  // namespace

std::vector<Contender> select_contenders(const Registry& registry, const HarnessOptions& options) {
    const auto rows = named(rows_of(registry.rows, options.operations), options.algorithms);
    const auto block_size = values(options.block_size), items = values(options.items_per_thread),
               padding = values(options.padding);
    std::vector<Contender> contenders;
    for (const Algorithm* const row : rows)
        contenders.push_back(with_tunings(*row, block_size, items, padding).front());
    require_takers(rows, block_size, items, padding);
    return contenders;
}

}  // namespace stream_compaction
