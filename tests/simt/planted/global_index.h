// The index of a thread in its grid.
#pragma once

#include "simt/kernel.h"
#include "tests/simt/planted_bugs.h"

namespace simt::inline SIMT_BACKEND::test {

inline __device__ unsigned global_index() { return blockIdx.x * kThreads + threadIdx.x; }

}  // namespace simt::inline SIMT_BACKEND::test
