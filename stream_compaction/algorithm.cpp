#include "stream_compaction/algorithm.h"

#include <algorithm>
#include <stdexcept>

namespace stream_compaction {
namespace {

constexpr int kAbsentPadding = Tuning{}.padding;  ///< of modules without this parameter

/// @param absent the value if the module does not have the parameter
bool is_legal(std::span<const int> legal, int value, int absent = 0) {
    return legal.empty() ? value == absent : std::ranges::find(legal, value) != legal.end();
}

void require(std::span<const int> legal, int value, std::string_view parameter, int absent = 0) {
    if (is_legal(legal, value, absent)) return;
    std::string text = std::string(parameter) + " is " + std::to_string(value) + ", expected";
    if (legal.empty())
        text += ' ' + std::to_string(absent) + ": the algorithm does not have this parameter";
    for (const int choice : legal) text += ' ' + std::to_string(choice);
    throw std::invalid_argument(text);
}

}  // namespace

std::string_view to_string(Operation operation) {
    switch (operation) {
        case Operation::scan:
            return "scan";
        case Operation::compact:
            return "compact";
        case Operation::sort:
            return "sort";
    }
    throw std::invalid_argument("an operation that does not exist");
}

bool LegalTuning::contains(const Tuning& tuning) const {
    return is_legal(block_sizes, tuning.block_size) &&
           is_legal(items_per_thread, tuning.items_per_thread) &&
           is_legal(paddings, tuning.padding, kAbsentPadding);
}

void require(const LegalTuning& legal, const Tuning& tuning) {
    require(legal.block_sizes, tuning.block_size, "block size");
    require(legal.items_per_thread, tuning.items_per_thread, "items per thread");
    require(legal.paddings, tuning.padding, "padding", kAbsentPadding);
}

}  // namespace stream_compaction
