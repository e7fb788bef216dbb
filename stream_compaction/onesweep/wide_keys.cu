// Sorts of 64-bit keys, and of pairs with them.
#include "stream_compaction/onesweep/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

template class BitsSort<unsigned long long, NoValue>;
template class BitsSort<unsigned long long, unsigned>;
template class BitsSort<unsigned long long, unsigned long long>;

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
