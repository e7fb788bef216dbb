// Finds the buckets of keys that contain the cuts between the ranks' parts of the sorted sequence
// of all keys. They are computed from histograms of digits, highest digit first, without moving a
// key. At first one bucket contains all keys. Each digit divides the buckets that contain a cut,
// and again one of the sub-buckets contains it. All cuts advance together. If all keys have only a
// few different digits, their buckets are kept as well: few distinct values need not be moved at
// all.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/distributed/buckets.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

class Cuts {
  public:
    /// Keys whose examined bits, the prefix, are the same.
    struct Bucket {
        std::uint64_t prefix;
        std::vector<std::uint64_t> before, inside;  ///< for each rank, how many of its keys

        std::uint64_t begin() const { return sum(before); }  ///< in the sorted sequence
        std::uint64_t size() const { return sum(inside); }
    };

    /// @param targets ascending: how many of all keys are before each cut; neither 0 nor all
    /// @param sizes   number of keys of each rank
    /// @param bits    of a key
    Cuts(std::vector<std::uint64_t> targets, std::span<const std::uint64_t> sizes, unsigned bits)
        : ranks_(sizes.size()), shift_(bits), targets_(std::move(targets)) {
        if (!targets_.empty())
            buckets_.push_back(
                {0, std::vector<std::uint64_t>(ranks_, 0), {sizes.begin(), sizes.end()}});
    }

    /// Low bits of a key that have not been examined yet. 0: each bucket is a single key value.
    unsigned shift() const { return shift_; }

    /// In ascending order of prefixes.
    const std::vector<Bucket>& buckets() const { return buckets_; }

    /// Whether a digit has shown that all keys are in a few buckets. It is false at first.
    bool are_few() const { return are_few_; }

    /// The number of bits of the next digit: as many as there are counters for.
    unsigned digit_bits() const {
        const auto buckets = static_cast<unsigned>(std::bit_width(buckets_.size() - 1));
        return std::min({kMostDigitBits, kCountersLog2 - buckets, shift_});
    }

    /// Divides the buckets by one digit.
    /// @param counts number of keys for each rank, each bucket, and each value of the digit in it,
    ///               in this order of nesting
    void refine(std::span<const std::uint64_t> counts) {
        const unsigned bits = digit_bits();
        const std::size_t digits = std::size_t{1} << bits, used = buckets_.size() * digits;
        std::vector<std::uint64_t> of_all(used);  // counts of all ranks together
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            std::ranges::transform(of_all, counts.subspan(rank * used, used), of_all.begin(),
                                   std::plus());
        const bool has_all = shift_ == all_bits_ || are_few_;
        const auto distinct = static_cast<std::size_t>(
            std::ranges::count_if(of_all, [](std::uint64_t count) { return count > 0; }));
        are_few_ = has_all && distinct <= kFewBuckets;

        std::vector<Bucket> refined;
        auto cut = targets_.begin();
        for (std::size_t b = 0; b < buckets_.size(); ++b) {
            std::vector<std::uint64_t> before = std::move(buckets_[b].before);
            std::uint64_t begin = sum(before);
            for (std::size_t digit = 0; digit < digits; ++digit) {
                const std::uint64_t end = begin + of_all[b * digits + digit];
                bool is_kept = are_few_ && end > begin;
                for (; cut != targets_.end() && *cut <= end; ++cut) is_kept = true;
                const auto count = [&](std::size_t rank) {
                    return counts[rank * used + b * digits + digit];
                };
                if (is_kept) {
                    refined.push_back({buckets_[b].prefix << bits | digit, before, {}});
                    for (std::size_t rank = 0; rank < ranks_; ++rank)
                        refined.back().inside.push_back(count(rank));
                }
                for (std::size_t rank = 0; rank < ranks_; ++rank) before[rank] += count(rank);
                begin = end;
            }
        }
        buckets_ = std::move(refined);
        shift_ -= bits;
    }

  private:
    static std::uint64_t sum(const std::vector<std::uint64_t>& of_ranks) {
        return std::accumulate(of_ranks.begin(), of_ranks.end(), std::uint64_t{0});
    }

    std::size_t ranks_;
    unsigned shift_, all_bits_ = shift_;
    std::vector<std::uint64_t> targets_;
    bool are_few_ = false;
    std::vector<Bucket> buckets_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
