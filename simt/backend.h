// Defines the backend of a translation unit. Every source of the library is compiled once for each
// backend: by default for the GPU, with SIMT_EMULATED defined for the CPU. An inline namespace
// named after the backend keeps the symbols of the builds apart in one executable. With
// SIMT_COUNTED as well, the emulation reports to a watcher what kernels do: see emulated/watcher.h.
#pragma once

#if __has_include("simt/built_backends.h")
#include "simt/built_backends.h"
#if !defined(SIMT_EMULATED) && !SIMT_HAS_CUDA
#error "this library was built without CUDA: compile with -DSIMT_EMULATED, as its CMake target does"
#elif defined(SIMT_EMULATED) && !SIMT_HAS_EMULATION
#error "this library was built without the emulated backend: compile without -DSIMT_EMULATED"
#endif
#endif

#if defined(SIMT_COUNTED)
#define SIMT_BACKEND counted
#elif defined(SIMT_EMULATED)
#define SIMT_BACKEND emulated
#else
#define SIMT_BACKEND gpu
#endif

struct CUstream_st;

namespace simt {

enum class Backend { cuda, emulated };

/// CUDA's own stream handle; the emulated backend hides its streams behind the same type.
/// nullptr is the default stream.
using stream_t = CUstream_st*;

inline namespace SIMT_BACKEND {

/// The backend of this translation unit.
#if defined(SIMT_EMULATED)
inline constexpr Backend kBackend = Backend::emulated;
#else
inline constexpr Backend kBackend = Backend::cuda;
#endif

}  // namespace SIMT_BACKEND
}  // namespace simt
