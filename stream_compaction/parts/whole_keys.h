// Sorts by a range of key bits need a stable sort.
#pragma once

#include "stream_compaction/key_order.h"

#include <stdexcept>
#include <string>

namespace stream_compaction {

/// For sorts that do not keep the order of equal keys, and so cannot sort by a part of them.
/// @throws std::invalid_argument
template <class Bits>
void require_whole_keys(const std::string& module, const SortOptions& options) {
    constexpr unsigned kBits = 8 * sizeof(Bits);
    if (options.begin_bit != 0 || (options.end_bit != 0 && options.end_bit != kBits))
        throw std::invalid_argument(module +
                                    " compares whole keys; onesweep can sort by a range of bits");
}

}  // namespace stream_compaction
