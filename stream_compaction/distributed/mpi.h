// Ranks that are processes, of one host or of many, started by mpirun. Not a part of the library,
// which therefore needs no MPI: to use it, compile mpi.cpp into your program.
#pragma once

#include "stream_compaction/distributed.h"

#include <chrono>
#include <functional>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// One of the processes that mpirun has started.
struct Process {
    /// Exchanges through the memory of the hosts. If all processes are on one host, they share
    /// device memory (CUDA IPC). Memory that a plan has shared is released by the next collective
    /// call after all ranks have destroyed the plan; all_gather({}) is the simplest one.
    Communicator& ranks;
    unsigned of_host;  ///< its index among the processes of its host
    unsigned on_host;  ///< the number of processes of its host
};

/// Starts MPI, calls `work`, and ends MPI. Once in a process, on its first thread.
/// @throws the exception of `work`, after the other ranks have been informed; MPI is not ended
///         then, so that mpirun ends all processes when this process ends
void run_process(const std::function<void(const Process&)>& work,
                 std::chrono::milliseconds patience = kPatience);

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
