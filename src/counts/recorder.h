// Counts the accesses of kernels: reconstructs the requests of warps from the accesses of threads,
// which the emulation runs one after another.
//
// Accesses of two lanes belong to one request if the lanes are in the same warp and execute the
// same instruction, reached by the same calls, in the same iteration of each loop around it. A loop
// is a jump backwards within a function; iterations are counted since all lanes of the warp last
// met in a collective or a barrier, or since the block began. So lanes that diverge are assumed to
// reconverge as soon as the source allows it, as a GPU's compiler arranges it if nothing prevents
// it.
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
    atomic_load,  ///< may be the first half of a `replace`
    replace,      ///< of a value that was loaded before: the emulation's atomics
    update,       ///< any other atomic operation
};

// Called by instrumented code anywhere and at any time; they concern the kernel thread that runs,
// if any. `code` is the address of the caller.

void note_access(Access kind, std::uintptr_t address, unsigned bytes, std::uintptr_t code);
void enter_function(std::uintptr_t called_from, std::uintptr_t code);
void leave_function();
void reach(std::uintptr_t code);

class BlockRecorder;

/// Watches the device while it lives. There can be only one; it knows only memory that is allocated
/// while it lives.
class Recorder final : public simt::Watcher {
  public:
    Recorder();
    ~Recorder() override;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// The launches since the last call, in order.
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

    /// Whether the address is in device memory.
    bool is_global(std::uintptr_t address) const;

  private:
    std::mutex mutex_;  ///< guards the map of blocks
    std::map<std::thread::id, std::unique_ptr<BlockRecorder>> blocks_;
    std::map<std::uintptr_t, std::size_t> memory_;  ///< begin and bytes
    std::vector<Launch> launches_;
    Launch launch_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
