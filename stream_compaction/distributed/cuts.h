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

inline constexpr unsigned kMostRanks = 128;  ///< that sort: one more than there are cuts
inline constexpr unsigned kMostDigitBits = 11;
/// Room for 128 buckets with 64 digit values each.
inline constexpr unsigned kCountersLog2 = 13;

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
    /// @param bits    of a number, at least first_bits
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

    unsigned bits() const { return bits_; }              ///< of a number
    unsigned first_bits() const { return first_bits_; }  ///< of the first digit

    /// Low bits of a number that have not been examined yet. 0: each bucket is a single value.
    unsigned shift() const { return shift_; }

    /// In ascending order of prefixes.
    const std::vector<Bucket>& buckets() const { return buckets_; }

    /// The number of bits of the next digit: as many as there are counters for.
    unsigned digit_bits() const {
        if (shift_ == bits_) return first_bits_;
        const auto buckets = static_cast<unsigned>(std::bit_width(buckets_.size() - 1));
        return std::min({kMostDigitBits, kCountersLog2 - buckets, shift_});
    }

    /// Whether the first digit has been counted.
    bool has_first() const { return !first_counts_.empty(); }

    /// How many keys of a rank have one of `size` values of the first digit, from `first` on.
    std::uint64_t first_count(std::size_t rank, std::size_t first, std::size_t size) const {
        const auto its = first_counts_of(rank).subspan(first, size);
        return std::accumulate(its.begin(), its.end(), std::uint64_t{0});
    }

    /// How many keys of all ranks have been counted by the first digit.
    std::uint64_t first_total() const { return sum(first_counts_); }

    /// Divides the buckets by one digit.
    /// @param counts number of keys for each rank, each bucket, and each value of the digit in it,
    ///               in this order of nesting
    void refine(std::vector<std::uint64_t> counts) {
        constexpr std::size_t kTogether = 256;  // values; most of them are without a cut
        const unsigned bits = digit_bits();
        const std::size_t digits = std::size_t{1} << bits, used = buckets_.size() * digits;
        std::vector<Bucket> refined;
        auto cut = targets_.begin();
        for (std::size_t b = 0; b < buckets_.size(); ++b) {
            std::vector<std::uint64_t> before = std::move(buckets_[b].before), inside(ranks_);
            const auto count = [&](std::size_t digit, std::size_t size) {
                for (std::size_t rank = 0; rank < ranks_; ++rank) {
                    const auto* const its = counts.data() + rank * used + b * digits + digit;
                    inside[rank] = std::accumulate(its, its + size, std::uint64_t{0});
                }
            };
            const auto advance = [&] {
                std::ranges::transform(before, inside, before.begin(), std::plus());
            };
            for (std::size_t first = 0; first < digits; first += kTogether) {
                const std::size_t size = std::min(kTogether, digits - first);
                count(first, size);
                if (cut == targets_.end() || *cut > sum(before) + sum(inside)) {
                    advance();
                    continue;
                }
                for (std::size_t digit = first; digit < first + size; ++digit) {
                    count(digit, 1);
                    const std::uint64_t end = sum(before) + sum(inside);
                    if (cut != targets_.end() && *cut <= end)
                        refined.push_back({buckets_[b].prefix << bits | digit, before, inside});
                    while (cut != targets_.end() && *cut <= end) ++cut;
                    advance();
                }
            }
        }
        buckets_ = std::move(refined);
        if (shift_ == bits_) first_counts_ = std::move(counts);
        shift_ -= bits;
    }

  private:
    static std::uint64_t sum(const std::vector<std::uint64_t>& of_ranks) {
        return std::accumulate(of_ranks.begin(), of_ranks.end(), std::uint64_t{0});
    }

    std::span<const std::uint64_t> first_counts_of(std::size_t rank) const {
        const std::size_t size = std::size_t{1} << first_bits_;
        return std::span(first_counts_).subspan(rank * size, size);
    }

    std::size_t ranks_;
    unsigned bits_, shift_, first_bits_;
    std::vector<std::uint64_t> targets_;
    std::vector<Bucket> buckets_;
    std::vector<std::uint64_t> first_counts_;  // of each rank and value
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
