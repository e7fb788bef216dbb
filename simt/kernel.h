// The one header that a kernel source includes. The source is ordinary CUDA, with four rules:
//  * a launch is a function: simt::launch(kernel, {grid, block, shared_bytes, stream}, args...);
//  * dynamic shared memory is simt::dynamic_shared<T>();
//  * every spin loop calls simt::relax();
//  * words that blocks exchange are simt::DeviceAtomic<T>.
// nvcc compiles it for the GPU; a C++20 compiler, with SIMT_EMULATED defined, for the CPU.
#pragma once

#if defined(SIMT_EMULATED)
#include "simt/emulated/kernel.h"
#else
#include "simt/cuda/kernel.h"
#endif
