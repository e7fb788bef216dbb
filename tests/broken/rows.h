// Rows with faults, which exist only for the tests: the programs must report them like a faulty
// module.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/registry.h"

namespace stream_compaction::inline SIMT_BACKEND {

/// This backend's registry. Its compactions have two more rows, after the reference:
///  * broken_wrong keeps the right elements, but adds one to the middle one;
///  * broken_fault has a kernel that faults.
/// Both need a workspace of n bytes. Its scans have
///  * broken_slow, which reports to a watch that 1 GB of 4 GB has been moved, until the file
///    $BROKEN_SLOW_ENDS exists.
const Registry& registry_with_broken_rows();

}  // namespace stream_compaction::inline SIMT_BACKEND
