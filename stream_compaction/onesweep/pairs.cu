// Sorts of pairs with 32-bit keys.
#include "stream_compaction/onesweep/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

template class BitsSort<unsigned, unsigned>;
template class BitsSort<unsigned, unsigned long long>;

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
