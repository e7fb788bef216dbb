// A grid, and how it fails. Part of the executor; fiber.h explains how it is compiled.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/executor.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simt::inline SIMT_BACKEND::detail {

/// Thrown when a kernel breaks a rule.
struct Violation {
    std::string what;
};

/// Thrown to unwind the threads of a block that is abandoned.
struct Abandoned {};

/// SplitMix64: good enough for the executor, and not shared with instrumented code.
class Random {
  public:
    explicit Random(std::uint64_t seed = 0) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    unsigned below(unsigned bound) { return static_cast<unsigned>(next() % bound); }

  private:
    std::uint64_t state_;
};

/// Blocks that can use each other's shared memory.
struct Cluster {
    static constexpr unsigned kMaxBlocks = 16;

    std::uint64_t arrivals = 0;  // at its barrier; only kernels access it, atomically
    std::array<std::atomic<std::byte*>, kMaxBlocks> shared{};  // of running blocks
};

/// One grid that the workers are executing.
struct Grid {
    const LaunchConfig& config;
    void (*thread)(const void*);
    const void* arguments;
    Options options;
    std::uint64_t blocks;
    unsigned threads;  // of a block
    int compute_capability;

    std::atomic<bool> stopped = false;
    std::atomic<bool> out_of_memory = false;
    /// The progress of each worker, written only by that worker.
    struct alignas(64) Progress {
        static constexpr std::uint64_t kLeft = ~std::uint64_t{0};  // the worker runs no more blocks

        std::atomic<std::uint64_t> events = 0;       // steps of progress, without spinning
        std::atomic<std::uint64_t> idle_rounds = 0;  // of spinning; or kLeft
    };
    std::vector<Progress> progress;
    std::vector<Cluster> clusters;  // empty without clusters
    std::function<void()> call_helpers;
    unsigned missing_helpers = 0;  // threads that the machine could not start
};

inline uint3 coordinates(std::uint64_t linear, dim3 extent) {
    return {static_cast<unsigned>(linear % extent.x),
            static_cast<unsigned>(linear / extent.x % extent.y),
            static_cast<unsigned>(linear / extent.x / extent.y)};
}

inline std::string describe(uint3 i) {
    return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

inline std::string describe(Location location) {
    return std::string(location.file_name()) + ":" + std::to_string(location.line());
}

}  // namespace simt::inline SIMT_BACKEND::detail
