// Sorts of 32-bit keys.
#include "stream_compaction/onesweep.h"

#include "stream_compaction/onesweep/launch.h"
#include "stream_compaction/parts/host_call.h"

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

Thresholds default_thresholds() {
    return {.ranked = most_ranked(simt::device_properties().multiprocessors),
            .clustered = kMostClustered};
}

template class BitsSort<unsigned, NoValue>;

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<int>>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
