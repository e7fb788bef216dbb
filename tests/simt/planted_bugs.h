// Kernels with one bug each, and the same kernels without it.
#pragma once

#include "simt/backend.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace simt::inline SIMT_BACKEND::test {

/// The tool that detects a bug. The first three detect it in every build.
enum class FoundBy {
    kernel_error,          ///< thrown by the emulated backend
    wrong_result,          ///< under some order of execution
    wrong_result_or_race,  ///< the same, or ThreadSanitizer under every order
    thread_sanitizer,
    address_sanitizer,  ///< or UndefinedBehaviorSanitizer, which is enabled in the same build
};

/// The kernel reads kBlocks * kThreads words, writes as many, and gets kScratchWords zero words.
using PlantedKernel = void (*)(const int* in, int* out, unsigned* scratch);

struct PlantedBug {
    std::string_view name;
    FoundBy found_by;
    std::string_view complaint;  ///< a part of the KernelError's message
    PlantedKernel broken;
    PlantedKernel fixed;
    int (*expected)(std::size_t i, const std::vector<int>& in);  ///< the i-th word of the output
    bool needs_bulk_copies = false;
};

inline constexpr unsigned kBlocks = 16;
inline constexpr unsigned kThreads = 128;
inline constexpr unsigned kWords = kBlocks * kThreads;
inline constexpr unsigned kScratchWords = 4;

std::span<const PlantedBug> planted_bugs();

/// Whether its kernels are compiled for a GPU that has the features they need.
bool can_run(const PlantedBug& bug);

/// Launches one version of the kernel. Returns whether its result is correct.
/// @throws KernelError
bool gives_right_result(const PlantedBug& bug, PlantedKernel version);

}  // namespace simt::inline SIMT_BACKEND::test
