// The sort of many even keys in two steps, between which the keys may move to other GPUs: a first
// partition into arrays that may be anywhere, and the sort of keys that are already partitioned.
// Together they do what sort_even_on_grid does after its histogram. The caller has counted the
// keys.
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

/// The largest partition of every launch shape.
constexpr unsigned kMostBinArrays = 256, kMostSplits = kMostBinArrays - 1;

template <class Bits>
class PartitionedSort {
  public:
    /// @param bins  the largest number of bins that are sorted
    /// @throws simt::Error
    PartitionedSort(KeyOrder order, std::size_t bins);
    static std::size_t workspace_bytes(std::size_t bins);

    /// The tables of the next calls, in pinned memory. Before they are written again, the stream
    /// that has used them must have been waited for.
    BinArray<Bits>* arrays() { return arrays_on_host_.data(); }
    Bits* splits() { return splits_on_host_.data(); }
    unsigned* begins() { return begins_on_host_.data(); }

    /// Stores each key in the array of its bin. The bin is the value of the highest `digit_bits`
    /// bits of the key's number, plus how many splits are less than the number. The sizes of the
    /// arrays must be the exact numbers of keys.
    /// @param n       at most 2^31
    /// @param splits  numbers in ascending order
    void enqueue_partition(const Bits* in, std::size_t n, unsigned digit_bits, unsigned splits,
                           simt::stream_t stream);

    /// The largest bin that is sorted.
    std::size_t most_of_bin() const;

    /// Copies the begins of the bins, and n, to the device: segments * 2^second_bits + 1 words.
    void enqueue_begins(unsigned segments, unsigned second_bits, simt::stream_t stream);

    /// Sorts keys that are partitioned by a first digit, given the begins of the bins of both
    /// digits.
    /// @param n           from 1 to 2^31
    /// @param segments    bins of the first digit, at most 256
    /// @param shift       bits of a number below both digits
    /// @param second_bits at most 8
    void enqueue(const Bits* from, Bits* out, std::size_t n, unsigned segments, unsigned shift,
                 unsigned second_bits, simt::stream_t stream);

  private:
    KeyMap<Bits> map_;
    bool has_large_blocks_;
    unsigned blocks_of_partition_ = 0, blocks_of_sort_ = 0;  ///< that the device holds at once
    std::size_t bins_;
    simt::DeviceArray<BinArray<Bits>> arrays_;
    simt::DeviceArray<Bits> splits_;
    simt::DeviceArray<unsigned> begins_;
    simt::DeviceArray<Taken> taken_;
    simt::DeviceArray<Progress> progress_;
    simt::PinnedArray<BinArray<Bits>> arrays_on_host_;
    simt::PinnedArray<Bits> splits_on_host_;
    simt::PinnedArray<unsigned> begins_on_host_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
