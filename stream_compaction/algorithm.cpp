#include "stream_compaction/algorithm.h"

#include <algorithm>
#include <stdexcept>

namespace stream_compaction {
namespace {

bool is_legal(std::span<const int> legal, int value) {
    return legal.empty() ? value == 0 : std::ranges::find(legal, value) != legal.end();
}

void require(std::span<const int> legal, int value, std::string_view parameter) {
    if (is_legal(legal, value)) return;
    std::string text = std::string(parameter) + " is " + std::to_string(value) + ", expected";
    if (legal.empty()) text += " 0: the algorithm does not have this parameter";
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
           is_legal(items_per_thread, tuning.items_per_thread);
}

void require(const LegalTuning& legal, const Tuning& tuning) {
    require(legal.block_sizes, tuning.block_size, "block size");
    require(legal.items_per_thread, tuning.items_per_thread, "items per thread");
}

}  // namespace stream_compaction
