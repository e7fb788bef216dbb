// Rows that exist for the tests alone: what the programs say of them, they would say of a module
// with such a fault.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/registry.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// This backend's registry; its compactions have two more, behind the reference:
///  * broken_wrong keeps the right elements, but adds one to that in the middle;
///  * broken_fault has a kernel that faults.
/// Both take a workspace of n bytes. Its scans have
///  * broken_slow, which says to whoever watches its call that of 4 GB it has moved one, until the
///    file $BROKEN_SLOW_ENDS is there.
const Registry& registry_with_broken_rows();

}  // namespace stream_compaction::inline SIMT_BACKEND
