// Checks an output in host memory, as DeviceCheck does on the device, on all cores.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction {

/// Checks outputs of one operation on one input. A scan: out[0] is 0, and each element is the
/// previous one plus its input. A compaction: the count, and every kept element at its position. A
/// sort: the keys are in order, their number is that of the input, and the sum and xor of their
/// hashes match. In each case nothing is written after the output.
class HostCheck {
  public:
    /// Elements that an output array must have after its n elements: they must not be written.
    static constexpr std::size_t kGuard = 64;

    /// `in` must not change afterwards.
    HostCheck(Operation operation, std::span<const int> in);

    /// The number of elements of the correct output.
    std::size_t count() const { return count_; }

    /// Overwrites an output of n + kGuard elements, so that elements that are not written are
    /// detected.
    void prepare(std::span<int> out) const;

    /// Checks a complete output that was prepared before it was written. Returns nothing if it is
    /// correct.
    std::optional<std::string> what_is_wrong(std::span<const int> out, std::size_t count) const;

  private:
    std::optional<std::string> wrong_scan(std::span<const int> out) const;
    std::optional<std::string> wrong_compaction(std::span<const int> out, std::size_t count) const;
    std::optional<std::string> wrong_sort(std::span<const int> out) const;

    Operation operation_;
    std::span<const int> in_;
    std::size_t count_;
};

}  // namespace stream_compaction
