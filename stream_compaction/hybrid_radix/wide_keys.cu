// Sorts of 64-bit keys, in a separate source so that they compile in parallel to those of 32-bit
// keys.
#include "stream_compaction/hybrid_radix/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template class ItemsSort<unsigned long long, onesweep::NoValue>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
