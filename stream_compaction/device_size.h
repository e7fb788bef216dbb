// A number of elements that only the device knows: the result of an earlier call on the stream.
#pragma once

#include <cstddef>

namespace stream_compaction {

/// The header of each plan says which element types support this (kHasDeviceSize). Both pointers
/// refer to device memory, for example to the `count` of a compaction that is there. They are
/// accessed in stream order; the values may change between launches of a graph.
struct DeviceSize {
    const std::size_t* n;  ///< a null pointer throws std::invalid_argument
    /// Set to 1 if *n exceeds the plan's capacity (the capacity is then used instead); otherwise
    /// unchanged. May be null. A plan for 0 elements launches no kernel and never reports.
    unsigned* is_too_large = nullptr;
};

}  // namespace stream_compaction
