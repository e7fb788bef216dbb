// An array in the memory of a plan, between guard words that must not be written.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace stream_compaction {

/// The initial value of arrays, and the value of guard words. It is no sum or element of an input.
inline constexpr int kSentinel = 0x5EEDF00D;

template <class T>
class GuardedArray {
  public:
    /// @param offset elements from a 16-byte boundary to the array's start
    GuardedArray(Place place, std::size_t n, std::size_t offset = 0)
        : first_(kGuards + offset), n_(n), words_(first_ + n + kGuards, kSentinel) {
        if (place == Place::device) on_device_ = simt::DeviceArray<T>(words_);
    }

    T* data() { return (on_device_.size() > 0 ? on_device_.data() : words_.data()) + first_; }

    /// Writes the first elements; the others are set to the sentinel.
    void assign(std::span<const T> values) {
        std::ranges::fill(words_, T{kSentinel});
        std::ranges::copy(values, words_.begin() + first_);
        if (on_device_.size() > 0) on_device_.copy_from(words_);
    }

    /// All elements, after all work on the device. Fails the test if a guard word has changed.
    std::vector<T> read() const {
        std::vector<T> words = words_;
        if (on_device_.size() > 0) on_device_.copy_to(words);
        const auto first = words.begin() + first_, last = first + n_;
        EXPECT_EQ(std::count(words.begin(), first, T{kSentinel}), first - words.begin())
            << "a word before the array was written";
        EXPECT_EQ(std::count(last, words.end(), T{kSentinel}), words.end() - last)
            << "a word after the array was written";
        return {first, last};
    }

  private:
    static constexpr std::size_t kGuards = 64;  // a multiple of 16 bytes

    std::size_t first_;
    std::size_t n_;
    std::vector<T> words_;  // the content that was last written to the device
    simt::DeviceArray<T> on_device_;
};

}  // namespace stream_compaction
