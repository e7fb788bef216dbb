// Memory for the stacks of fibers. Part of the executor; fiber.h explains how it is compiled.
#pragma once

#include "simt/backend.h"

#include <cstddef>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace simt::inline SIMT_BACKEND::detail {

/// The system maps no more memory for stacks; the message names the limit.
class NoStack : public std::bad_alloc {
  public:
    explicit NoStack(std::string why) : why_(std::move(why)) {}
    const char* what() const noexcept override { return why_.c_str(); }

  private:
    std::string why_;
};

/// Stacks that are released together. They share a few large mappings, because a Linux process may
/// have only 65,530 mappings, and hundreds of emulated GPUs have more fibers. Below each stack is a
/// page that faults.
class Stacks {
  public:
    /// @param bytes of each stack, a multiple of the page size
    explicit Stacks(std::size_t bytes) : bytes_(bytes) {}
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;
    ~Stacks() { release(); }

    /// Returns the top of a stack that no fiber has used.
    /// @throws NoStack
    void* take();

    /// Releases all stacks. No fiber may exist any more.
    void release() noexcept;

    std::size_t bytes() const { return bytes_; }

  private:
    struct Mapping {
        std::byte* memory;
        std::size_t bytes;
    };

    void map(std::size_t stacks);

    const std::size_t bytes_;
    std::vector<Mapping> mappings_;
    std::size_t taken_ = 0;
    std::size_t left_ = 0;  // unused stacks of the last mapping
};

}  // namespace simt::inline SIMT_BACKEND::detail
