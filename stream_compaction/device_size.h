// A number of elements that the host does not know: what an earlier call of the stream stores.
#pragma once

#include <cstddef>

namespace stream_compaction {

/// Which plan takes it for which elements, its header says (kHasDeviceSize). Both are in the
/// device's memory, which a compaction's `count` may be. They are read and written in stream order,
/// and may be others at each launch of a graph.
struct DeviceSize {
    const std::size_t* n;
    /// Becomes 1 where *n is more than the plan's capacity, which then is taken instead; else it is
    /// left alone. nullptr: nobody is told; nor by a plan for no elements, which launches nothing.
    unsigned* is_too_large = nullptr;
};

}  // namespace stream_compaction
