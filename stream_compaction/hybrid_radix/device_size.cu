// Sorts of as many keys as the device says. Apart from the others: what a compiler puts into
// several kernels it may compile otherwise in each.
#include "stream_compaction/hybrid_radix/launch.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template <class Bits, class Value>
void ItemsSort<Bits, Value>::enqueue(const Bits* in, Bits* out, DeviceSize n,
                                     simt::stream_t stream) {
    if (const std::size_t most = most_keys(capacity_); most > 0)
        run(in, out, nullptr, nullptr, most, n, stream);
}

template void ItemsSort<unsigned, onesweep::NoValue>::enqueue(const unsigned*, unsigned*,
                                                              DeviceSize, simt::stream_t);

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
