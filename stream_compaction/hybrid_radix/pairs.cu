// Sorts of pairs, in a separate source so that they compile in parallel to the sorts of keys.
#include "stream_compaction/hybrid_radix/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template class ItemsSort<unsigned, unsigned>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
