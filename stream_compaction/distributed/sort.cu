// Every rank receives its keys in pieces. Histograms of digits, which all ranks share, determine
// the cuts between all pieces in the sorted sequence of all keys (cuts.h). When few keys are left
// in the buckets that contain cuts, a partition divides a rank's keys by piece:
//
//     | piece 0 | piece 1 | ...        | last piece |  bucket 0  | bucket 1 | ... |
//
// The buckets after the pieces are sorted, and further digits of their keys are counted until each
// cut is known exactly. Until then all keys are read once per digit (usually one digit), and once
// more to be moved. A piece receives one range of its own and one range of the buckets.
//
// The ranges of a piece are sent while the previous piece is sorted.
#include "stream_compaction/distributed/agree.h"
#include "stream_compaction/distributed/cuts.h"
#include "stream_compaction/distributed/guarded.h"
#include "stream_compaction/distributed/partition.h"
#include "stream_compaction/hybrid_radix.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

constexpr std::size_t kMostPieces = 8;
constexpr std::uint64_t kEven = std::numeric_limits<std::uint64_t>::max();  ///< the default n_out

/// The largest number of pieces of a rank: all pieces together have one cut less.
std::size_t most_pieces(unsigned ranks) {
    if (ranks > kMostCuts + 1)
        throw std::invalid_argument("a sort for " + std::to_string(ranks) +
                                    " ranks, expected at most " + std::to_string(kMostCuts + 1));
    return std::min<std::size_t>(kMostPieces, (kMostCuts + 1) / ranks);
}

/// How many of a rank's n keys may be left in buckets.
std::size_t few_of(std::size_t n, const SortLimits& limits) {
    return std::max(n / 16, std::min(n, limits.few));
}

/// The largest number of keys that is sorted at once.
std::size_t sorted_at_once(std::size_t n, std::size_t n_out, unsigned ranks,
                           const SortLimits& limits) {
    const std::size_t piece = std::max(limits.piece, ceil_div(n_out, most_pieces(ranks)));
    return std::max(few_of(n, limits), std::min(n_out, piece));
}

template <class Bits>
hybrid_radix::Thresholds sorts_thresholds() {
    return hybrid_radix::BitsSort<Bits>::default_thresholds();
}

}  // namespace

/// The sizes of all ranks, known to every rank.
struct Sizes {
    std::vector<std::uint64_t> in, out;
    std::size_t pieces;  ///< of each rank

    /// The begin of a piece of a rank's result in the sorted sequence of all keys.
    std::uint64_t begin(unsigned rank, std::size_t piece) const {
        return even_begin(out[rank], static_cast<unsigned>(piece), static_cast<unsigned>(pieces));
    }
    /// The boundaries between pieces in the sorted sequence of all keys.
    std::vector<std::uint64_t> cuts() const {
        std::vector<std::uint64_t> all;
        std::uint64_t before = 0;
        for (unsigned rank = 0; rank < out.size(); ++rank) {
            for (std::size_t piece = 0; piece < pieces; ++piece)
                all.push_back(before + begin(rank, piece));
            before += out[rank];
        }
        all.erase(all.begin());
        return all;
    }
};

/// For a partitioned rank: how many of its keys are before each cut, separately for the pieces' own
/// ranges and for the buckets. Both lists begin with a 0 and end with the total.
struct Ends {
    std::vector<std::uint64_t> own = {0}, in_buckets = {0};
};

template <class Bits>
struct BitsSort<Bits>::Machinery {
    Machinery(std::size_t n, std::size_t n_out, Communicator& ranks, KeyOrder order,
              SortLimits limits)
        : ranks(ranks),
          n(Capacity(n)),
          n_out(Capacity(n_out)),
          limits(limits),
          most_pieces(distributed::most_pieces(ranks.size())),
          multiprocessors(static_cast<unsigned>(simt::device_properties().multiprocessors)),
          order(order),
          map(order),
          parted(n),
          sort(sorted_at_once(n, n_out, ranks.size(), limits), order, {}, sorts_thresholds<Bits>()),
          prefixes(kMostCuts),
          counts(kCounters),
          prefixes_on_host(kMostCuts),
          counts_on_host(kCounters) {
        for (std::size_t i = 0; i < most_pieces; ++i)
            arrived.push_back(simt::Event::without_time());
    }

    Sizes agree(const Bits* in, std::size_t n, const Bits* out, std::optional<std::size_t> n_out);
    void run(const Bits* in, Bits* out, const Sizes& sizes, simt::stream_t stream);

    unsigned blocks(std::size_t keys) const {
        constexpr unsigned kBlocksOfMultiprocessor = 8;
        return std::min(blocks_for(keys, kTile<Bits>), kBlocksOfMultiprocessor * multiprocessors);
    }
    Buckets<Bits> enqueue_buckets(const Cuts& cuts);
    void count(const Bits* keys, std::size_t size, Cuts& cuts);
    void part(const Bits* in, std::size_t size, const Cuts& cuts);
    std::vector<Ends> cut(const Bits* in, const Sizes& sizes);
    void move_and_sort(Bits* out, const Sizes& sizes, const std::vector<Ends>& ends);

    Communicator& ranks;
    std::size_t n, n_out;
    SortLimits limits;
    std::size_t most_pieces;
    unsigned multiprocessors;
    KeyOrder order;
    KeyMap<Bits> map;
    simt::DeviceArray<Bits> parted;
    hybrid_radix::BitsSort<Bits> sort;
    simt::DeviceArray<Bits> prefixes;
    simt::DeviceArray<unsigned long long> counts;  // also the cursors of a partition
    simt::PinnedArray<Bits> prefixes_on_host;
    simt::PinnedArray<unsigned long long> counts_on_host;
    simt::Stream working, moving;
    simt::Event brought = simt::Event::without_time();  // the prefixes have been copied
    simt::Event before = simt::Event::without_time();   // what the other stream has to wait for
    std::vector<simt::Event> arrived;                   // one for each piece
};

template <class Bits>
Sizes BitsSort<Bits>::Machinery::agree(const Bits* its_in, std::size_t its_n, const Bits* its_out,
                                       std::optional<std::size_t> its_n_out) {
    const std::uint64_t own[] = {
        its_n,        n,          its_n_out.value_or(kEven), n_out,
        limits.piece, limits.few, word_of(its_in),           word_of(its_out)};
    const FirstWords all(ranks, {"sort", sizeof(Bits), order}, own);
    Sizes sizes;
    std::uint64_t total = 0, wanted = 0;
    for (unsigned rank = 0; rank < ranks.size(); ++rank) {
        const std::uint64_t* const its = all.of(rank);
        if (its[4] != all.of(0)[4] || its[5] != all.of(0)[5])
            throw std::invalid_argument("ranks have different limits");
        if ((its[2] == kEven) != (all.of(0)[2] == kEven))
            throw std::invalid_argument(
                "some ranks specify how many keys they receive, others do not");
        require_room(rank, its[0], its[1]);
        sizes.in.push_back(its[0]);
        total += its[0];
    }
    for (unsigned rank = 0; rank < ranks.size(); ++rank) {
        const std::uint64_t* const its = all.of(rank);
        sizes.out.push_back(its[2] != kEven ? its[2]
                                            : even_begin(total, rank + 1, ranks.size()) -
                                                  even_begin(total, rank, ranks.size()));
        require_room(rank, sizes.out.back(), its[3]);
        of_rank(rank, [&] {
            require_same_or_apart(addresses(its[6], its[0] * sizeof(Bits)),
                                  addresses(its[7], sizes.out.back() * sizeof(Bits)));
        });
        wanted += sizes.out.back();
    }
    if (wanted != total)
        throw std::invalid_argument("the ranks have " + std::to_string(total) +
                                    " keys, but ask for " + std::to_string(wanted));
    const std::size_t largest = *std::ranges::max_element(sizes.out);
    sizes.pieces = std::clamp<std::size_t>(
        ceil_div(largest, std::max<std::size_t>(limits.piece, 1)), 1, most_pieces);
    return sizes;
}

/// Copies the prefixes to the device.
template <class Bits>
Buckets<Bits> BitsSort<Bits>::Machinery::enqueue_buckets(const Cuts& cuts) {
    const std::vector<std::uint64_t> all = cuts.prefixes();
    brought.synchronize();  // the last prefixes have left the pinned buffer
    std::ranges::transform(all, prefixes_on_host.data(),
                           [](std::uint64_t prefix) { return static_cast<Bits>(prefix); });
    simt::copy_async(prefixes.data(), prefixes_on_host.data(), all.size() * sizeof(Bits),
                     working.get());
    brought.record(working.get());
    return {prefixes.data(), static_cast<unsigned>(all.size()), cuts.shift(), map};
}

/// Counts the next digit of all keys that are in buckets, and refines the cuts.
template <class Bits>
void BitsSort<Bits>::Machinery::count(const Bits* keys, std::size_t size, Cuts& cuts) {
    const std::size_t used = cuts.buckets() << cuts.digit_bits();
    simt::fill_async(counts.data(), 0, used * sizeof(unsigned long long), working.get());
    const Buckets<Bits> buckets = enqueue_buckets(cuts);
    if (size > 0)
        simt::launch(count_digits<Bits>,
                     {blocks(size), kThreads, buckets.size * sizeof(Bits), working.get()}, keys,
                     size, buckets, cuts.digit_bits(), counts.data());
    simt::copy_async(counts_on_host.data(), counts.data(), used * sizeof(unsigned long long),
                     working.get());
    ranks.wait(working.get());
    cuts.refine(ranks.all_gather(
        std::vector<std::uint64_t>(counts_on_host.data(), counts_on_host.data() + used)));
}

/// Partitions the keys into `parted`: the ranges of the pieces, then the buckets.
template <class Bits>
void BitsSort<Bits>::Machinery::part(const Bits* in, std::size_t size, const Cuts& cuts) {
    if (size == 0) return;
    const unsigned rank = ranks.rank();
    const Buckets<Bits> buckets = enqueue_buckets(cuts);
    std::uint64_t in_buckets = size - cuts.inside(rank);
    // of_pieces: keys before the bucket that are in no bucket; passed: keys in earlier buckets.
    std::uint64_t of_pieces = 0, passed = 0;
    for (std::size_t b = 0; b < cuts.buckets(); ++b) {
        counts_on_host.data()[2 * b] = of_pieces;
        counts_on_host.data()[2 * b + 1] = in_buckets;
        of_pieces = cuts.before(rank, b) - passed;
        passed += cuts.inside(rank, b);
        in_buckets += cuts.inside(rank, b);
    }
    counts_on_host.data()[2 * cuts.buckets()] = of_pieces;
    simt::copy_async(counts.data(), counts_on_host.data(),
                     buckets.bins() * sizeof(unsigned long long), working.get());
    simt::launch(
        partition<Bits>,
        {blocks(size), kThreads, PartitionMemory<Bits>::bytes(buckets.bins()), working.get()}, in,
        parted.data(), size, buckets, counts.data());
}

/// Partitions the keys, finds the cuts, and returns each rank's part of each piece.
template <class Bits>
std::vector<Ends> BitsSort<Bits>::Machinery::cut(const Bits* in, const Sizes& sizes) {
    const unsigned rank = ranks.rank();
    Cuts cuts(sizes.cuts(), sizes.in, 8 * sizeof(Bits));
    std::vector<Ends> ends(ranks.size());

    const auto few_are_left = [&] {
        for (unsigned r = 0; r < ranks.size(); ++r)
            if (cuts.inside(r) > few_of(sizes.in[r], limits)) return false;
        return true;
    };
    while (cuts.shift() > 0 && !few_are_left()) count(in, sizes.in[rank], cuts);

    part(in, sizes.in[rank], cuts);
    for (unsigned r = 0; r < ranks.size(); ++r) {
        // For each bucket, the keys in the buckets before it
        std::vector<std::uint64_t> passed = {0};
        for (std::size_t b = 0; b < cuts.buckets(); ++b)
            passed.push_back(passed.back() + cuts.inside(r, b));
        for (std::size_t c = 0; c < cuts.size(); ++c) {
            const std::size_t b = cuts.bucket_of(c);
            ends[r].own.push_back(cuts.before(r, b) - passed[b]);
        }
        ends[r].own.push_back(sizes.in[r] - passed.back());
    }
    const std::size_t left = cuts.inside(rank);
    Bits* const buckets = parted.data() + (sizes.in[rank] - left);
    if (cuts.shift() > 0) {
        if (left > 0) sort.enqueue(buckets, buckets, left, working.get());
        while (cuts.shift() > 0) count(buckets, left, cuts);
    }

    for (std::size_t c = 0; c < cuts.size(); ++c) {
        const std::vector<std::uint64_t> before = cuts.keys_before(c);
        for (unsigned r = 0; r < ranks.size(); ++r)
            ends[r].in_buckets.push_back(before[r] - ends[r].own[c + 1]);
    }
    for (unsigned r = 0; r < ranks.size(); ++r)
        ends[r].in_buckets.push_back(sizes.in[r] - ends[r].own.back());
    return ends;
}

template <class Bits>
void BitsSort<Bits>::Machinery::move_and_sort(Bits* out, const Sizes& sizes,
                                              const std::vector<Ends>& ends) {
    const unsigned own_rank = ranks.rank();
    before.record(working.get());
    moving.wait(before);
    for (std::size_t piece = 0; piece < sizes.pieces; ++piece) {
        std::vector<Communicator::Outgoing> outgoing;
        std::vector<Communicator::Incoming> incoming;
        const Bits* const buckets = parted.data() + ends[own_rank].own.back();
        Bits* const first = out + sizes.begin(own_rank, piece);
        Bits* to = first;
        // The begin and end of a rank's part of a piece.
        const auto part_of = [&](const std::vector<std::uint64_t>& its_ends, unsigned of_rank) {
            const std::size_t i = of_rank * sizes.pieces + piece;
            return std::pair(its_ends[i], its_ends[i + 1]);
        };
        for (unsigned rank = 0; rank < ranks.size(); ++rank) {
            const auto send = [&](const Bits* from, const std::vector<std::uint64_t>& its_ends) {
                const auto [begin, end] = part_of(its_ends, rank);
                if (end > begin)
                    outgoing.push_back({rank, from + begin, (end - begin) * sizeof(Bits)});
            };
            send(parted.data(), ends[own_rank].own);
            send(buckets, ends[own_rank].in_buckets);
            for (const auto* const its_ends : {&ends[rank].own, &ends[rank].in_buckets}) {
                const auto [begin, end] = part_of(*its_ends, own_rank);
                if (end > begin) incoming.push_back({rank, to, (end - begin) * sizeof(Bits)});
                to += end - begin;
            }
        }
        ranks.exchange(outgoing, incoming, moving.get());
        arrived[piece].record(moving.get());
        working.wait(arrived[piece]);
        if (to > first)
            sort.enqueue(first, first, static_cast<std::size_t>(to - first), working.get());
    }
    ranks.wait(working.get());
}

template <class Bits>
void BitsSort<Bits>::Machinery::run(const Bits* in, Bits* out, const Sizes& sizes,
                                    simt::stream_t stream) {
    before.record(stream);
    working.wait(before);
    move_and_sort(out, sizes, cut(in, sizes));
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, std::size_t n_out, Communicator& ranks, KeyOrder order,
                         SortLimits limits)
    : machinery_(guarded(
          ranks, [&] { return std::make_unique<Machinery>(n, n_out, ranks, order, limits); })) {}

template <class Bits>
BitsSort<Bits>::BitsSort(BitsSort&&) noexcept = default;
template <class Bits>
BitsSort<Bits>::~BitsSort() = default;

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n, std::size_t n_out, unsigned ranks,
                                            SortLimits limits) {
    require_size(n);
    require_size(n_out);
    return simt::checked_sum(
               simt::checked_product(n, sizeof(Bits)),
               hybrid_radix::BitsSort<Bits>::workspace_bytes(
                   sorted_at_once(n, n_out, ranks, limits), sorts_thresholds<Bits>())) +
           kMostCuts * sizeof(Bits) + kCounters * sizeof(unsigned long long);
}

template <class Bits>
std::size_t BitsSort<Bits>::enqueue(const Bits* in, std::size_t n, Bits* out,
                                    std::optional<std::size_t> n_out, simt::stream_t stream) {
    if (!machinery_) throw std::logic_error("the plan was moved from");
    Machinery& machinery = *machinery_;
    const Sizes sizes = machinery.agree(in, n, out, n_out);
    guarded(machinery.ranks, [&] { machinery.run(in, out, sizes, stream); });
    return sizes.out[machinery.ranks.rank()];
}

template class BitsSort<unsigned>;
template class BitsSort<unsigned long long>;

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
