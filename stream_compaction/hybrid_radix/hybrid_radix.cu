// Sorts of 32-bit keys.
#include "stream_compaction/hybrid_radix.h"

#include "stream_compaction/hybrid_radix/launch.h"
#include "stream_compaction/parts/host_call.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template class ItemsSort<unsigned, onesweep::NoValue>;

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<int>>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
