// Sorts of 64-bit keys, in a source of their own, so that they compile beside those of 32 bits.
#include "stream_compaction/hybrid_radix/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template class ItemsSort<unsigned long long, onesweep::NoValue>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
