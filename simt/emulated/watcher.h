// Interface through which the emulation reports what kernels do. Only the build that count_accesses
// is linked with has SIMT_COUNTED defined; other builds contain no trace of it.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/block.h"

#include <cstddef>

namespace simt::inline SIMT_BACKEND {

/// Calls during a block come from the OS thread that runs all of that block; other calls come from
/// the thread that calls the device.
class Watcher {
  public:
    virtual ~Watcher() = default;

    virtual void allocated(const void* memory, std::size_t bytes) = 0;
    virtual void released(const void* memory) = 0;

    virtual void launch_starts(const LaunchConfig& config, const void* kernel) = 0;
    virtual void launch_ends() = 0;  ///< not called if the kernel failed
    virtual void block_starts(const void* shared, std::size_t shared_bytes) = 0;
    virtual void block_ends() = 0;

    /// The thread leaves a barrier or a collective, together with the other threads named until
    /// barrier_completes() or collective_completes().
    virtual void meets(unsigned thread) = 0;
    virtual void barrier_completes() = 0;
    virtual void collective_completes() = 0;

    virtual void bulk_load(unsigned bytes) = 0;
};

#if defined(SIMT_COUNTED)
/// Set before memory is allocated; nullptr: no watcher.
inline constinit Watcher* watcher = nullptr;
#endif

namespace detail {

/// Calls f(watcher) if there is one.
template <class F>
void tell([[maybe_unused]] F f) {
#if defined(SIMT_COUNTED)
    if (watcher != nullptr) f(*watcher);
#endif
}

}  // namespace detail
}  // namespace simt::inline SIMT_BACKEND
