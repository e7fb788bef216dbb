// Arrays on the device between guard bytes.
#pragma once

#include "simt/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// An array on the device between bytes that must not be written.
template <class T>
class Guarded {
  public:
    explicit Guarded(std::size_t n, std::size_t offset = 0)
        : first_(kGuards + offset), n_(n), bytes_((first_ + n + kGuards) * sizeof(T), kGuard) {
        array_ = simt::DeviceArray<std::byte>(std::span<const std::byte>(bytes_));
    }
    Guarded(const std::vector<T>& values, std::size_t offset = 0) : Guarded(values.size(), offset) {
        std::ranges::copy(std::as_bytes(std::span(values)), bytes_.begin() + first_ * sizeof(T));
        array_.copy_from(bytes_);
    }

    T* data() { return reinterpret_cast<T*>(array_.data()) + first_; }

    /// The first n elements; all others must be unchanged.
    std::vector<T> read(std::size_t n) const {
        std::vector<std::byte> now(bytes_.size());
        array_.copy_to(now);
        const std::size_t begin = first_ * sizeof(T), end = begin + n * sizeof(T);
        EXPECT_EQ(0, std::memcmp(now.data(), bytes_.data(), begin)) << "written before the array";
        EXPECT_EQ(0, std::memcmp(now.data() + end, bytes_.data() + end, now.size() - end))
            << "written after " << n << " elements";
        std::vector<T> values(n);
        std::copy(now.begin() + begin, now.begin() + end,
                  std::as_writable_bytes(std::span(values)).begin());
        return values;
    }
    std::vector<T> read() const { return read(n_); }

  private:
    static constexpr std::size_t kGuards = 16;
    static constexpr std::byte kGuard{0xA5};

    std::size_t first_, n_;
    std::vector<std::byte> bytes_;
    simt::DeviceArray<std::byte> array_;
};

template <class T>
testing::AssertionResult same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size())
        return testing::AssertionFailure() << a.size() << " elements, not " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0)
            return testing::AssertionFailure() << "they differ from element " << i << " on";
    return testing::AssertionSuccess();
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
