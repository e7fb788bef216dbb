// Refuses calls of the device's runtime, so that a test sees what becomes of the others. On the
// emulated backend the device itself does that; on a GPU, functions that the linker puts in front
// of CUDA's.
#pragma once

#include "simt/backend.h"

#if defined(SIMT_EMULATED)
#include "simt/emulated/refusal.h"
#else

#include <cstdint>
#include <optional>

namespace simt::inline gpu {

/// As simt/emulated/refusal.h has them.
enum class Call { allocation, wait, other };
void refuse_call(std::uint64_t k);
std::optional<Call> refused_call();
std::int64_t resources();

}  // namespace simt::inline gpu

#endif
