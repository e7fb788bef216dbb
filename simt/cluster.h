// Clusters: neighbouring blocks that run at the same time, near each other, and can use each
// other's shared memory (Hopper's distributed shared memory). In a few lines:
//
//     simt::launch(kernel, {.grid = 16, .block = 512, ..., .cluster = 16}, ...);
//
//     cluster_arrive();  cluster_wait();              // all have started
//     *of_block(counts, 3) = 7;                       // in the cluster's block 3
//     cluster_arrive();  cluster_wait();              // now all can read it
//
// No block may end while another may still use its shared memory. On GPUs before compute capability
// 9.0 all of this compiles, and traps.
//
// The emulated backend runs all blocks of a launch with clusters at the same time. of_block()
// throws for a block that has not started or has ended.
#pragma once

#if defined(SIMT_EMULATED)
#include "simt/emulated/cluster.h"
#else
#include "simt/cuda/cluster.h"
#endif
