// The sort of many even keys in two steps, between which the keys may move to other GPUs: a first
// partition into arrays that may be anywhere, and the sort of keys that are already partitioned.
// Together they do what sort_even_on_grid does. The caller has counted the first digit.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/hybrid_radix/job.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// The keys of a bin are stored to [to, to + size). If `to` is null, they are not stored.
template <class Bits>
struct BinArray {
    Bits* to;
    unsigned size;
};

constexpr unsigned kMostBinArrays = 512;  ///< see PartitionedSort::array_bits
constexpr unsigned kMostSplits = 255;
constexpr std::size_t kMostPartitionedKeys = std::size_t{1} << 31;

template <class Bits>
class PartitionedSort {
  public:
    /// @throws simt::Error
    explicit PartitionedSort(KeyOrder order);
    static std::size_t workspace_bytes();

    /// The tables of the next calls, in pinned memory. Before they are written again, the stream
    /// that has used them must have been waited for.
    BinArray<Bits>* arrays() { return arrays_on_host_.data(); }
    Bits* splits() { return splits_on_host_.data(); }
    unsigned* begins() { return begins_on_host_.data(); }

    /// A partition on this device has at most 2^array_bits() arrays.
    unsigned array_bits() const;

    /// Stores each key in the array of its bin. The bin is the value of a digit of the key's
    /// number, plus how many splits are less than the number. The sizes of the arrays must be the
    /// exact numbers of keys.
    /// @param n         at most kMostPartitionedKeys
    /// @param base      subtracted from all numbers
    /// @param low_bits  of a number below the digit; there are none above it
    /// @param splits    numbers in ascending order
    void enqueue_partition(const Bits* in, std::size_t n, Bits base, unsigned low_bits,
                           unsigned digit_bits, unsigned splits, simt::stream_t stream);

    /// The bits of the second digit if the largest segment, a bin of the first digit, has this many
    /// keys; 0 if two digits are too few.
    unsigned second_bits(std::size_t largest) const;

    /// Sorts keys that are partitioned by a first digit, whose bins begin at `begins`, with n at
    /// the end. Counts the second digit first. If a bin of both digits is too large for a block,
    /// nothing is sorted.
    /// @param n        from 1 to kMostPartitionedKeys
    /// @param segments bins of the first digit, at most kMostBinArrays / 2
    /// @param low_bits of a number below the first digit, at least second_bits
    /// @param second_bits from 2 to array_bits()
    void enqueue(const Bits* from, Bits* out, std::size_t n, unsigned segments, unsigned low_bits,
                 unsigned second_bits, simt::stream_t stream);

    /// Whether the last call of enqueue() has sorted the keys. Its stream must have been waited
    /// for.
    bool has_sorted() const { return *for_onesweep_.data() == 0; }

  private:
    KeyMap<Bits> map_;
    bool has_large_blocks_;
    unsigned blocks_of_partition_ = 0, blocks_of_sort_ = 0;  ///< that the device holds at once
    simt::DeviceArray<BinArray<Bits>> arrays_;
    simt::DeviceArray<Bits> splits_;
    simt::DeviceArray<unsigned> first_begins_, begins_;
    simt::DeviceArray<unsigned> histogram_;  ///< zero between calls
    simt::DeviceArray<Taken> taken_of_arrays_, taken_;
    simt::DeviceArray<Progress> progress_;
    simt::PinnedArray<BinArray<Bits>> arrays_on_host_;
    simt::PinnedArray<Bits> splits_on_host_;
    simt::PinnedArray<unsigned> begins_on_host_;
    simt::PinnedArray<unsigned> for_onesweep_;  ///< the word of the last call's Progress
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
