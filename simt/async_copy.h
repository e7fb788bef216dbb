// Copies from global to shared memory that run in parallel to the kernel (Hopper's bulk copies),
// and the barriers that signal their completion. In a few lines:
//
//     barrier.init(1);  fence_barrier_init();  __syncthreads();            // one thread, then all
//     barrier.arrive_expect_tx(bytes);                                               // one thread
//     bulk_load_evict_first(tile, in, bytes, barrier);                               // the same
//     barrier.wait(0);                                   // all readers of the tile; then 1, 0, ...
//
// Addresses and sizes are multiples of 16 bytes. On GPUs before compute capability 9.0 all of this
// compiles, and traps.
//
// The emulated backend copies as late as possible: when the barrier is waited for. This detects
// tiles that are read before the wait. It cannot detect a missing fence_barrier_init().
#pragma once

#if defined(SIMT_EMULATED)
#include "simt/emulated/async_copy.h"
#else
#include "simt/cuda/async_copy.h"
#endif
