// Copies between global and shared memory that run in parallel to the kernel (Hopper's bulk
// copies), the barriers that signal their completion, and barriers for a part of a block. In a few
// lines:
//
//     barrier.init(1);  fence_barrier_init();  __syncthreads();            // one thread, then all
//     barrier.arrive_expect_tx(bytes);  bulk_load(tile, in, bytes, barrier);         // one thread
//     barrier.wait(0);                                   // all readers of the tile; then 1, 0, ...
//
//     fence_async();  __syncthreads();                                // all writers of the tile
//     bulk_store(out, tile, bytes);  bulk_commit();  bulk_wait_read<0>();            // one thread
//
// Addresses and sizes are multiples of 16 bytes. On GPUs before compute capability 9.0 all of this
// compiles, and all but named_barrier traps.
//
// The emulated backend runs a copy as late as possible: a load when its barrier is waited for, a
// store when its thread waits for the store. This detects tiles that are read before the wait, or
// reused before the store has read them. It cannot detect a missing fence_async() or
// fence_barrier_init().
#pragma once

#if defined(SIMT_EMULATED)
#include "simt/emulated/async_copy.h"
#else
#include "simt/cuda/async_copy.h"
#endif
