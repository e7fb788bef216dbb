// Sorts of pairs. Apart from those of keys, so that they compile beside them.
#include "stream_compaction/hybrid_radix/items_sort.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template class ItemsSort<unsigned, unsigned>;

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
