// The destination of each rank's keys. The buckets that contain cuts, and the ranges of keys
// between them, are the bins of a partition:
//
//     | range 0 | bucket 0 | range 1 | bucket 1 | ... | range B |
//
// A range lies within the part of one rank, its owner. A bucket is divided among several ranks; its
// owner is the rank that gets its first key, which sorts it; then each rank gets its piece. If
// the keys of a bucket are equal, they are not moved: each rank writes its piece.
//
// If the partition is also the first one of the owners' sorts, the values of a digit, the highest
// bits, divide the ranges further. The owner of a range owns all its bins.
#pragma once

#include "stream_compaction/distributed/cuts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// The sizes of all ranks, known to every rank.
struct Parts {
    std::vector<std::uint64_t> in;         ///< number of keys of each rank
    std::vector<std::uint64_t> out_begin;  ///< of each rank's part of the sorted sequence; the end
    std::vector<std::uint64_t> capacities = {};  ///< of each rank's plan, for keys that it receives

    std::uint64_t total() const { return out_begin.back(); }
    std::uint64_t out(unsigned rank) const { return out_begin[rank + 1] - out_begin[rank]; }

    /// A range of positions in the sorted sequence.
    struct Piece {
        std::uint64_t begin, size;
    };

    /// Returns the positions of [begin, begin + size) that a rank gets; there may be none.
    Piece piece(std::uint64_t begin, std::uint64_t size, unsigned rank) const {
        const std::uint64_t first = std::max(begin, out_begin[rank]);
        const std::uint64_t end = std::min(begin + size, out_begin[rank + 1]);
        return {first, end > first ? end - first : 0};
    }

    /// The rank whose part contains this position of the sorted sequence.
    unsigned owner(std::uint64_t position) const {
        const auto after = std::ranges::upper_bound(out_begin, position);
        return static_cast<unsigned>(after - out_begin.begin()) - 1;
    }

    /// The boundaries between parts that are not empty.
    std::vector<std::uint64_t> cuts() const {
        std::vector<std::uint64_t> all;
        for (const std::uint64_t begin : out_begin)
            if (begin > 0 && begin < total() && (all.empty() || all.back() != begin))
                all.push_back(begin);
        return all;
    }
};

class Layout {
  public:
    struct Bin {
        unsigned owner = 0;
        bool is_bucket = false;
        bool is_moved = false;                  ///< false: there are no keys, or equal ones
        std::uint64_t begin = 0, size = 0;      ///< in the sorted sequence
        std::uint64_t prefix = 0;               ///< of a bucket
        std::span<const std::uint64_t> inside;  ///< how many keys of each rank

        /// The number of keys of earlier ranks, which arrive before the keys of this rank.
        std::uint64_t before(unsigned rank) const {
            return std::accumulate(inside.begin(), inside.begin() + rank, std::uint64_t{0});
        }
    };

    /// @param digit_bits  of the digit that divides the ranges, at most as many as Cuts has counted
    ///                    first; 0: they are not divided
    Layout(const Cuts& cuts, const Parts& parts, unsigned digit_bits)
        : digit_bits_(digit_bits), low_bits_(cuts.bits() - digit_bits), ranges_(parts.in.size()) {
        const std::size_t ranks = parts.in.size();
        std::vector<std::vector<std::uint64_t>> of_buckets;
        const std::vector<Bound> coarse = bounds_of(cuts, parts, of_buckets);
        for (const Bound& bound : coarse)
            if (bound.last != largest(cuts)) splits_.push_back(bound.last);
        const std::vector<std::uint64_t> of_digits = sums_of_digits(cuts);
        std::vector<Bound> bounds;
        // A bucket ends before a range of the same last number, which is empty.
        std::ranges::merge(coarse, bounds_of_digits(of_digits), std::back_inserter(bounds), {},
                           &Bound::last, &Bound::last);

        const std::vector<std::uint64_t> none(ranks, 0);
        std::span<const std::uint64_t> end(none);  // of the last bin, on each rank
        inside_.resize(bounds.size() * ranks);
        auto inside = inside_.begin();
        std::uint64_t begin = 0;
        for (const Bound& bound : bounds) {
            Bin bin{.is_bucket = bound.is_bucket,
                    .begin = begin,
                    .prefix = bound.prefix,
                    .inside = {inside, ranks}};
            inside = std::ranges::transform(bound.up_to, end, inside, std::minus()).out;
            bin.size = bin.before(static_cast<unsigned>(ranks));
            bin.is_moved = bin.size > 0 && !(bin.is_bucket && cuts.shift() == 0);
            if (bin.size > 0) bin.owner = parts.owner(bin.begin);
            if (bin.is_moved && !bin.is_bucket) {
                Parts::Piece& range = ranges_[bin.owner];
                if (range.size == 0) range.begin = bin.begin;
                range.size += bin.size;
            }
            end = bound.up_to;
            begin += bin.size;
            bins_.push_back(bin);
        }
    }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    unsigned digit_bits() const { return digit_bits_; }
    unsigned low_bits() const { return low_bits_; }  ///< of a number, below the digit

    /// The bin of number x is its digit plus how many splits are less than x.
    const std::vector<Bin>& bins() const { return bins_; }
    const std::vector<std::uint64_t>& splits() const { return splits_; }

    /// All keys that a rank owns, except a bucket.
    const Parts::Piece& range(unsigned rank) const { return ranges_[rank]; }

    /// The number of keys before a bin among those that its owner receives: its range, or the
    /// bucket.
    std::uint64_t arrival(const Bin& bin) const {
        return bin.is_bucket ? 0 : bin.begin - ranges_[bin.owner].begin;
    }

    bool is_anything_moved() const { return std::ranges::any_of(bins_, &Bin::is_moved); }

    /// How many keys a rank moves to others.
    std::uint64_t sent(unsigned rank) const {
        std::uint64_t keys = 0;
        for (const Bin& bin : bins_)
            if (bin.is_moved && bin.owner != rank) keys += bin.inside[rank];
        return keys;
    }

  private:
    /// The end of a bin.
    struct Bound {
        std::uint64_t last;                    ///< the largest number of the bin
        std::span<const std::uint64_t> up_to;  ///< how many keys of each rank are not larger
        bool is_bucket = false;
        std::uint64_t prefix = 0;
    };

    static std::uint64_t largest(const Cuts& cuts) {
        return ~std::uint64_t{0} >> (64 - cuts.bits());
    }

    /// @param up_to  receives the keys up to the end of each bucket
    static std::vector<Bound> bounds_of(const Cuts& cuts, const Parts& parts,
                                        std::vector<std::vector<std::uint64_t>>& up_to) {
        std::vector<Bound> bounds;
        // Before any digit is counted, the only bucket contains all numbers.
        const bool has_all = cuts.shift() == cuts.bits();
        up_to.reserve(cuts.buckets().size());
        for (const Cuts::Bucket& bucket : cuts.buckets()) {
            const std::uint64_t first = has_all ? 0 : bucket.prefix << cuts.shift();
            const std::uint64_t last =
                first + (has_all ? largest(cuts) : (std::uint64_t{1} << cuts.shift()) - 1);
            std::vector<std::uint64_t>& sums = up_to.emplace_back(bucket.before);
            std::ranges::transform(sums, bucket.inside, sums.begin(), std::plus());
            if (first > 0) bounds.push_back({first - 1, bucket.before});
            bounds.push_back({last, sums, true, bucket.prefix});
        }
        if (bounds.empty() || bounds.back().last != largest(cuts))
            bounds.push_back({largest(cuts), parts.in});
        return bounds;
    }

    /// How many keys of each rank are in the digits up to each one, without the last digit.
    std::vector<std::uint64_t> sums_of_digits(const Cuts& cuts) const {
        if (digit_bits_ == 0) return {};
        const std::size_t ranks = ranges_.size(), digits = std::size_t{1} << digit_bits_;
        const std::size_t values = std::size_t{1} << (cuts.first_bits() - digit_bits_);
        std::vector<std::uint64_t> sums((digits - 1) * ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            std::uint64_t sum = 0;
            for (std::size_t digit = 0; digit + 1 < digits; ++digit) {
                sum += cuts.first_count(rank, digit * values, values);
                sums[digit * ranks + rank] = sum;
            }
        }
        return sums;
    }
    std::vector<Bound> bounds_of_digits(std::span<const std::uint64_t> sums) const {
        const std::size_t ranks = ranges_.size();
        std::vector<Bound> bounds;
        for (std::size_t digit = 0; digit < sums.size() / ranks; ++digit)
            bounds.push_back({((digit + 1) << low_bits_) - 1, sums.subspan(digit * ranks, ranks)});
        return bounds;
    }

    unsigned digit_bits_, low_bits_;
    std::vector<Bin> bins_;
    std::vector<std::uint64_t> inside_;  ///< of all bins
    std::vector<std::uint64_t> splits_;
    std::vector<Parts::Piece> ranges_;  ///< of each rank
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
