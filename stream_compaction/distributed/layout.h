// The destination of each rank's keys. The buckets that contain cuts, and the ranges of keys
// between them, are the bins of a partition:
//
//     | range 0 | bucket 0 | range 1 | bucket 1 | ... | range B |
//
// A range lies within the part of one rank, its owner. A bucket is divided among several ranks; its
// owner is the rank that gets its first key, which sorts it and then sends each rank its piece. If
// the keys of a bucket are equal, they are not moved: each rank writes its piece.
#pragma once

#include "stream_compaction/distributed/cuts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// The sizes of all ranks, known to every rank.
struct Parts {
    std::vector<std::uint64_t> in;         ///< number of keys of each rank
    std::vector<std::uint64_t> out_begin;  ///< of each rank's part of the sorted sequence; the end

    std::uint64_t total() const { return out_begin.back(); }
    std::uint64_t out(unsigned rank) const { return out_begin[rank + 1] - out_begin[rank]; }

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
        bool is_moved = false;                   ///< false: there are no keys, or equal ones
        std::uint64_t begin = 0, size = 0;       ///< in the sorted sequence
        std::vector<std::uint64_t> inside = {};  ///< how many keys of each rank
        std::uint64_t prefix = 0;                ///< of a bucket

        /// The number of keys of earlier ranks, which arrive before the keys of this rank.
        std::uint64_t before(unsigned rank) const {
            return std::accumulate(inside.begin(), inside.begin() + rank, std::uint64_t{0});
        }
    };

    /// A range of positions in the sorted sequence.
    struct Piece {
        std::uint64_t begin, size;
    };

    Layout(const Cuts& cuts, const Parts& parts) : parts_(parts) {
        std::vector<std::uint64_t> end(parts.in.size(), 0);  // of the last bucket, on each rank
        const auto add = [&](bool is_bucket, const std::vector<std::uint64_t>& its_end,
                             std::uint64_t prefix) {
            Bin bin{.is_bucket = is_bucket, .prefix = prefix};
            bin.begin = std::accumulate(end.begin(), end.end(), std::uint64_t{0});
            for (std::size_t rank = 0; rank < end.size(); ++rank)
                bin.inside.push_back(its_end[rank] - end[rank]);
            bin.size = bin.before(static_cast<unsigned>(end.size()));
            bin.is_moved = bin.size > 0 && !(is_bucket && cuts.shift() == 0);
            if (bin.size > 0) bin.owner = parts.owner(bin.begin);
            end = its_end;
            bins_.push_back(std::move(bin));
        };
        for (const Cuts::Bucket& bucket : cuts.buckets()) {
            add(false, bucket.before, 0);
            std::vector<std::uint64_t> its_end = bucket.before;
            for (std::size_t rank = 0; rank < its_end.size(); ++rank)
                its_end[rank] += bucket.inside[rank];
            add(true, its_end, bucket.prefix);
        }
        add(false, parts.in, 0);
    }

    const std::vector<Bin>& bins() const { return bins_; }

    bool is_anything_moved() const { return std::ranges::any_of(bins_, &Bin::is_moved); }

    /// How many keys a rank moves to others.
    std::uint64_t sent(unsigned rank) const {
        std::uint64_t keys = 0;
        for (const Bin& bin : bins_)
            if (bin.is_moved && bin.owner != rank) keys += bin.inside[rank];
        return keys;
    }

    /// The part of a bin that a rank gets; the size may be 0.
    Piece piece(const Bin& bin, unsigned rank) const {
        const std::uint64_t begin = std::max(bin.begin, parts_.out_begin[rank]);
        const std::uint64_t end = std::min(bin.begin + bin.size, parts_.out_begin[rank + 1]);
        return {begin, end > begin ? end - begin : 0};
    }

  private:
    const Parts& parts_;
    std::vector<Bin> bins_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
