// GPUs that exchange over NCCL: over NVLink or PCIe on a host, over its network between hosts.
#pragma once

#include "stream_compaction/distributed.h"

#include <chrono>
#include <memory>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// Exchanges over NCCL, between the ranks' current devices; all else the hosts do, by `host`, which
/// must live as long. Called by all ranks, each with a device of its own.
///
/// NCCL is loaded when it is first needed: the file that STREAM_COMPACTION_NCCL names in the
/// environment, else libnccl.so.2 where the system looks for libraries.
/// @throws simt::Error where it cannot be loaded, or fails; RankFailed
std::unique_ptr<Communicator> over_nccl(Communicator& host,
                                        std::chrono::milliseconds patience = kPatience);

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
