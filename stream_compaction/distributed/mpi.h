// Ranks that are processes, of one host or of many, started by mpirun. Not a part of the library,
// which so needs no MPI: whoever uses it compiles mpi.cpp, too.
#pragma once

#include "stream_compaction/distributed.h"

#include <chrono>
#include <functional>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// A process among those that mpirun has started.
struct Process {
    Communicator& ranks;  ///< what is exchanged goes through the hosts' memory
    unsigned of_host;     ///< its number among those of its host
    unsigned on_host;     ///< how many these are
};

/// Starts MPI, calls `work`, and ends MPI. Once in a process, on its first thread.
/// @throws what `work` throws, when the others know; MPI is not ended then, so that mpirun ends all
///         processes as soon as this one ends
void run_process(const std::function<void(const Process&)>& work,
                 std::chrono::milliseconds patience = kPatience);

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
