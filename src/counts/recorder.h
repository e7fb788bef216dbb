// Counts what kernels do: finds the requests of warps in the accesses of threads, which the
// emulation runs one after another.
//
// Accesses of two lanes belong to one request where the lanes are of one warp and execute the same
// instruction, reached by the same calls, in the same iteration of each loop around it. A loop is
// an execution that goes back in its function's code; iterations are counted since all lanes of the
// warp last met in a collective or a barrier, or since the block began. So lanes that take
// different ways meet again as soon as the source lets them: as a GPU's compiler arranges it, where
// nothing keeps it from that.
#pragma once

#include "simt/emulated/watcher.h"
#include "src/counts/counts.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

enum class Access {
    load,
    store,
    atomic_load,  ///< may turn out to be the first half of a `replace`
    replace,      ///< of a value that was loaded before: how the emulation makes its atomics
    update,       ///< any other atomic operation
};

// What instrumented code tells, anywhere and any time; of the thread of a kernel that runs, if one
// does. `code` is where it tells it from.

void note_access(Access kind, std::uintptr_t address, unsigned bytes, std::uintptr_t code);
void enter_function(std::uintptr_t called_from, std::uintptr_t code);
void leave_function();
void reach(std::uintptr_t code);

class BlockRecorder;

/// Watches the device as long as it lives. There can be one; it knows the memory that is allocated
/// while it lives.
class Recorder final : public simt::Watcher {
  public:
    Recorder();
    ~Recorder() override;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// The launches since the last call, in their order.
    std::vector<Launch> take();

    void allocated(const void* memory, std::size_t bytes) override;
    void released(const void* memory) override;
    void launch_starts(const simt::LaunchConfig& config, const void* kernel) override;
    void launch_ends() override;
    void block_starts(const void* shared, std::size_t shared_bytes) override;
    void block_ends() override;
    void meets(unsigned thread) override;
    void barrier_completes() override;
    void collective_completes() override;
    void bulk_load(unsigned bytes) override;

    /// Whether the address is one of device memory.
    bool is_global(std::uintptr_t address) const;

  private:
    std::mutex mutex_;  ///< guards the map of blocks
    std::map<std::thread::id, std::unique_ptr<BlockRecorder>> blocks_;
    std::map<std::uintptr_t, std::size_t> memory_;  ///< begin and bytes
    std::vector<Launch> launches_;
    Launch launch_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
