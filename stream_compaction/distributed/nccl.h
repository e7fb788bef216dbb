// GPUs that exchange data with NCCL: over NVLink or PCIe in a host, over the network between hosts.
#pragma once

#include "stream_compaction/distributed.h"

#include <chrono>
#include <memory>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// A communicator that exchanges device memory with NCCL, between the ranks' current devices.
/// Everything else goes through `host`, which must live as long. Called by all ranks, each with its
/// own device.
///
/// NCCL is loaded on first use: the file that STREAM_COMPACTION_NCCL names in the environment,
/// otherwise libnccl.so.2 from the system's library path.
/// @throws simt::Error if it cannot be loaded or fails; RankFailed
std::unique_ptr<Communicator> over_nccl(Communicator& host,
                                        std::chrono::milliseconds patience = kPatience);

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
