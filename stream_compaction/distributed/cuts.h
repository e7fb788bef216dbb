// Finds the splitters ("cuts") of all ranks' keys: where the sorted sequence of all keys would be
// cut. They are computed from histograms of digits, highest digit first, without moving a key. For
// every cut there is a bucket that contains it, the keys that share the digits examined so far. The
// next digit divides that bucket, and again one of the sub-buckets contains the cut. All cuts
// advance together. Keys that are equal in all digits are divided in the order of ranks.
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
    /// @param targets ascending: how many of all keys must be before each cut
    /// @param sizes   number of keys of each rank
    /// @param bits    of a key
    Cuts(std::vector<std::uint64_t> targets, std::span<const std::uint64_t> sizes, unsigned bits)
        : ranks_(sizes.size()), shift_(bits), targets_(std::move(targets)) {
        if (targets_.empty()) return;
        bucket_of_.assign(targets_.size(), 0);
        buckets_.push_back(
            {0, std::vector<std::uint64_t>(ranks_, 0), {sizes.begin(), sizes.end()}});
    }

    std::size_t size() const { return targets_.size(); }

    /// Low bits of a key that have not been examined yet. 0: each bucket is a single key value.
    unsigned shift() const { return shift_; }

    /// The buckets that contain a cut: the examined bits of their keys, ascending, without
    /// duplicates.
    std::vector<std::uint64_t> prefixes() const {
        std::vector<std::uint64_t> all;
        for (const Bucket& bucket : buckets_) all.push_back(bucket.prefix);
        return all;
    }

    /// The number of bits of the next digit: as many as there are counters for.
    unsigned digit_bits() const {
        const auto buckets = static_cast<unsigned>(std::bit_width(buckets_.size() - 1));
        return std::min({kMostDigitBits, kCountersLog2 - buckets, shift_});
    }

    /// Refines the cuts by one digit.
    /// @param counts number of keys for each rank, each bucket, and each value of the digit in it,
    ///               in this order of nesting
    void refine(std::span<const std::uint64_t> counts) {
        const unsigned bits = digit_bits();
        const std::size_t digits = std::size_t{1} << bits;
        std::vector<Bucket> refined;
        std::vector<std::uint64_t> up_to(ranks_ * digits), of_all(digits);
        for (std::size_t b = 0, cut = 0; b < buckets_.size(); ++b) {
            const Bucket& bucket = buckets_[b];
            std::ranges::fill(of_all, sum(bucket.before));
            for (std::size_t rank = 0; rank < ranks_; ++rank) {
                const auto count = counts.subspan((rank * buckets_.size() + b) * digits, digits);
                const auto its = std::span(up_to).subspan(rank * digits, digits);
                std::inclusive_scan(count.begin(), count.end(), its.begin());
                std::ranges::transform(of_all, its, of_all.begin(), std::plus());
            }
            for (; cut < size() && bucket_of_[cut] == b; ++cut) {
                const auto digit = static_cast<std::size_t>(
                    std::ranges::lower_bound(of_all, targets_[cut]) - of_all.begin());
                const std::uint64_t prefix = bucket.prefix << bits | digit;
                if (refined.empty() || refined.back().prefix != prefix) {
                    Bucket next{prefix, bucket.before, std::vector<std::uint64_t>(ranks_)};
                    for (std::size_t rank = 0; rank < ranks_; ++rank) {
                        const std::uint64_t* const its = &up_to[rank * digits];
                        const std::uint64_t smaller = digit == 0 ? 0 : its[digit - 1];
                        next.before[rank] += smaller;
                        next.inside[rank] = its[digit] - smaller;
                    }
                    refined.push_back(std::move(next));
                }
                bucket_of_[cut] = refined.size() - 1;
            }
        }
        buckets_ = std::move(refined);
        shift_ -= bits;
    }

    std::size_t bucket_of(std::size_t cut) const { return bucket_of_[cut]; }
    std::size_t buckets() const { return buckets_.size(); }
    /// A rank's keys before a bucket; and in it.
    std::uint64_t before(std::size_t rank, std::size_t bucket) const {
        return buckets_[bucket].before[rank];
    }
    std::uint64_t inside(std::size_t rank, std::size_t bucket) const {
        return buckets_[bucket].inside[rank];
    }
    /// A rank's keys in all buckets.
    std::uint64_t inside(std::size_t rank) const {
        std::uint64_t all = 0;
        for (const Bucket& bucket : buckets_) all += bucket.inside[rank];
        return all;
    }

    /// How many keys of each rank are before a cut. Requires shift() == 0.
    std::vector<std::uint64_t> keys_before(std::size_t cut) const {
        const Bucket& bucket = buckets_[bucket_of_[cut]];
        std::vector<std::uint64_t> keys = bucket.before;
        std::uint64_t missing = targets_[cut] - sum(keys);
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            const std::uint64_t taken = std::min(missing, bucket.inside[rank]);
            keys[rank] += taken;
            missing -= taken;
        }
        return keys;
    }

  private:
    struct Bucket {
        std::uint64_t prefix;
        std::vector<std::uint64_t> before, inside;  ///< for each rank
    };

    static std::uint64_t sum(const std::vector<std::uint64_t>& of_ranks) {
        return std::accumulate(of_ranks.begin(), of_ranks.end(), std::uint64_t{0});
    }

    std::size_t ranks_;
    unsigned shift_;
    std::vector<std::uint64_t> targets_;
    std::vector<std::size_t> bucket_of_;  // of each cut
    std::vector<Bucket> buckets_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
