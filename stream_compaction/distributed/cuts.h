// Finds the buckets of keys that contain the cuts between the ranks' parts of the sorted sequence
// of all keys. They are computed from histograms of digits, highest digit first, without moving a
// key. At first one bucket contains all keys. Each digit divides the buckets that contain a cut,
// and again one of the sub-buckets contains it. All cuts advance together.
#pragma once

#include "simt/backend.h"

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

inline constexpr unsigned kMostRanks = 128;     ///< that sort: one more than there are cuts
inline constexpr unsigned kMostDigitBits = 11;  ///< of one bucket, except the first
/// Room for 128 buckets with 64 digit values each.
inline constexpr unsigned kCountersLog2 = 13;
/// The first digit, of the bucket that contains all keys: at most this many bits, because a block
/// counts in its shared memory, here 128 KB.
inline constexpr unsigned kMostFirstBits = 15;

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
    /// @param first_bits  of the first digit
    Cuts(std::vector<std::uint64_t> targets, std::span<const std::uint64_t> sizes, unsigned bits,
         unsigned first_bits)
        : ranks_(sizes.size()),
          bits_(bits),
          shift_(bits),
          first_bits_(first_bits),
          targets_(std::move(targets)) {
        if (!targets_.empty())
            buckets_.push_back(
                {0, std::vector<std::uint64_t>(ranks_, 0), {sizes.begin(), sizes.end()}});
    }

    unsigned bits() const { return bits_; }              ///< of a key
    unsigned first_bits() const { return first_bits_; }  ///< of the first digit

    /// Low bits of a key that have not been examined yet. 0: each bucket is a single key value.
    unsigned shift() const { return shift_; }

    /// In ascending order of prefixes.
    const std::vector<Bucket>& buckets() const { return buckets_; }

    /// The number of bits of the next digit: as many as there are counters for.
    unsigned digit_bits() const {
        if (shift_ == bits_) return first_bits_;
        const auto buckets = static_cast<unsigned>(std::bit_width(buckets_.size() - 1));
        return std::min({kMostDigitBits, kCountersLog2 - buckets, shift_});
    }

    /// The counts of the first digit, of all ranks together; empty if it has not been counted.
    std::span<const std::uint64_t> first_counts() const { return first_counts_; }

    /// How many keys of each rank have each value of the highest `bits` bits of the first digit:
    /// counts[value * ranks + rank].
    std::vector<std::uint64_t> counts_of_highest(unsigned bits) const {
        const std::size_t values = std::size_t{1} << bits, of_value = first_counts_.size() / values;
        std::vector<std::uint64_t> counts;
        for (std::size_t value = 0; value < values; ++value)
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                const auto first =
                    first_of_ranks_.begin() +
                    static_cast<std::ptrdiff_t>(rank * first_counts_.size() + value * of_value);
                counts.push_back(std::accumulate(
                    first, first + static_cast<std::ptrdiff_t>(of_value), std::uint64_t{0}));
            }
        return counts;
    }

    /// Divides the buckets by one digit.
    /// @param counts number of keys for each rank, each bucket, and each value of the digit in it,
    ///               in this order of nesting
    void refine(std::vector<unsigned> counts) {
        const unsigned bits = digit_bits();
        const std::size_t digits = std::size_t{1} << bits, used = buckets_.size() * digits;
        std::vector<std::uint64_t> of_all(used);  // counts of all ranks together
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            std::transform(of_all.begin(), of_all.end(), counts.data() + rank * used,
                           of_all.begin(), std::plus<std::uint64_t>());

        std::vector<Bucket> refined;
        auto cut = targets_.begin();
        for (std::size_t b = 0; b < buckets_.size(); ++b) {
            std::vector<std::uint64_t> before = std::move(buckets_[b].before);
            std::uint64_t begin = sum(before);
            std::size_t next = 0;  // `before` includes the keys of smaller digits
            for (std::size_t digit = 0; digit < digits; ++digit) {
                const std::uint64_t end = begin + of_all[b * digits + digit];
                bool has_cut = false;
                for (; cut != targets_.end() && *cut <= end; ++cut) has_cut = true;
                begin = end;
                if (!has_cut) continue;
                Bucket bucket{buckets_[b].prefix << bits | digit, {}, {}};
                for (std::size_t rank = 0; rank < ranks_; ++rank) {
                    const unsigned* const its = counts.data() + rank * used + b * digits;
                    before[rank] += std::accumulate(its + next, its + digit, std::uint64_t{0});
                    bucket.inside.push_back(its[digit]);
                }
                next = digit;
                bucket.before = before;
                refined.push_back(std::move(bucket));
            }
        }
        buckets_ = std::move(refined);
        if (shift_ == bits_) {
            first_counts_ = std::move(of_all);
            first_of_ranks_ = std::move(counts);
        }
        shift_ -= bits;
    }

  private:
    static std::uint64_t sum(const std::vector<std::uint64_t>& of_ranks) {
        return std::accumulate(of_ranks.begin(), of_ranks.end(), std::uint64_t{0});
    }

    std::size_t ranks_;
    unsigned bits_, shift_, first_bits_;
    std::vector<std::uint64_t> targets_;
    std::vector<Bucket> buckets_;
    std::vector<std::uint64_t> first_counts_;
    std::vector<unsigned> first_of_ranks_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
