// Some bits of a key are for sorts that are stable.
#pragma once

#include "stream_compaction/key_order.h"

#include <stdexcept>
#include <string>

namespace stream_compaction {

/// What does not keep equal keys in order cannot sort by a part of them.
/// @throws std::invalid_argument
template <class Bits>
void require_whole_keys(const std::string& module, const SortOptions& options) {
    constexpr unsigned kBits = 8 * sizeof(Bits);
    if (options.begin_bit != 0 || (options.end_bit != 0 && options.end_bit != kBits))
        throw std::invalid_argument(module + " compares whole keys; onesweep sorts by some bits");
}

}  // namespace stream_compaction
