// Counting sort of 8-bit and 16-bit keys: keys are counted instead of moved. Each value is written
// as often as it occurs, so a sort reads its input once and writes its output once: 2 n or 4 n
// bytes.
//
// A block counts in shared memory. With 8-bit keys each lane has its own counters, so equal keys do
// not wait for each other. With 16-bit keys two counters share a word; if a multiprocessor's shared
// memory is too small for 65,536 counters, each block counts one half or one quarter of the values,
// and the keys are read two or four times.
//
// The output is filled in parts of equal size, whatever the keys are. If few values begin in a
// part, each output element searches for its value among them. If thousands do (few 16-bit keys),
// each value marks the position where it begins, and a running maximum of the marks gives every
// element its value. Each of the three kernels of a call starts while the previous one ends.
//
// Counting visits all 256 or 65,536 counters, however few the keys are. A few thousand keys are
// therefore compared with each other, as in onesweep.
//
// Source: Knuth, "The art of computer programming", vol. 3, 5.2, algorithm D (distribution
// counting). The keys need not be read again, because they carry no values.
#pragma once

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/loan.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::counting {

/// Integers and floating-point numbers of 8 or 16 bits, the latter in the order that Sortable
/// defines.
template <class Key>
concept Countable = (std::is_integral_v<Key> && sizeof(Key) <= 2) || kIsSmallFloat<Key>;

/// The part of Sort that does not depend on the type of its keys: for std::uint8_t and
/// std::uint16_t.
template <class Bits>
class BitsSort {
  public:
    BitsSort(std::size_t n, KeyOrder order, const SortOptions& options, std::size_t most_ranked);
    /// Returns the largest n whose keys are ranked, each by comparing it with all others, on the
    /// current device.
    /// @throws simt::Error
    static std::size_t default_most_ranked();
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream);

  private:
    Capacity capacity_;
    KeyOrder order_;
    std::size_t most_ranked_;
    unsigned value_groups_;                      ///< each is counted by its own blocks
    unsigned counting_blocks_, filling_blocks_;  ///< that the device holds at once
    bool starts_early_ = false;                  ///< a kernel, while the previous one ends
    simt::DeviceArray<std::byte> workspace_;
    /// Whether the counts are zero; false after a launch that failed to start.
    bool is_clear_ = true;
};

/// Keys in ascending order, or descending.
template <Countable Key>
class Sort {
  public:
    using Bits = std::conditional_t<sizeof(Key) == 1, std::uint8_t, std::uint16_t>;

    /// Allocates 48 KB for 8-bit keys, 512 KB for 16-bit keys; for more than 2^31 keys 80 KB and 1
    /// MB.
    /// @param most_ranked below 2^24; for tests
    /// @throws std::invalid_argument for a range of bits (which needs a stable sort: onesweep.h),
    ///         and for memory that is too small, not aligned, or lent to another plan; simt::Error
    explicit Sort(std::size_t n, const SortOptions& options = {},
                  std::size_t most_ranked = BitsSort<Bits>::default_most_ranked())
        : loan_(options.memory, workspace_bytes(n)),
          sort_(n, order_of<Key>(options), options, most_ranked) {}

    /// The workspace of a plan on any device. Queries no GPU, and never decreases as n grows.
    static std::size_t workspace_bytes(std::size_t n) { return BitsSort<Bits>::workspace_bytes(n); }

    /// May work in place; other overlaps are refused.
    /// @throws std::invalid_argument if n exceeds the plan's capacity or the arrays overlap,
    ///         std::logic_error if the plan was moved from, simt::Error
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr) {
        loan_.require_outside(n, in, out);
        sort_.enqueue(reinterpret_cast<const Bits*>(in), reinterpret_cast<Bits*>(out), n, stream);
    }

  private:
    Loan loan_;
    BitsSort<Bits> sort_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
