// Whether an output on the host is right: what DeviceCheck tells, told by all cores.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stream_compaction {

/// Judges outputs of one operation on one input. A scan: out[0] is 0, and each element the one
/// before and its input. A compaction: the count, and every kept element in its place. A sort: in
/// order, and as many keys as the input, with the same sum and xor of their hashes. And nothing is
/// written behind.
class HostCheck {
  public:
    /// Elements that an output array must have room for after the n of the output: nobody may
    /// write them.
    static constexpr std::size_t kGuard = 64;

    /// `in` must stay as it is.
    HostCheck(Operation operation, std::span<const int> in);

    /// How many elements the right output has.
    std::size_t count() const { return count_; }

    /// Overwrites an output of n + kGuard elements, so that what is not written later is noticed.
    void prepare(std::span<int> out) const;

    /// Looks at all of a prepared and then written output. Nothing: it is right.
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
