// Sorts of pairs, in a source of their own, so that they compile beside those of keys.
#include "stream_compaction/hybrid_radix/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template class ItemsSort<unsigned, unsigned>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
