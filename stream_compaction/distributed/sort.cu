// Ranks count the highest digits of their keys, gather the counts, and compute from them which keys
// each rank gets (cuts.h, layout.h). Then each rank partitions its keys, and stores them in the
// memory of their owners, also on other GPUs: this partition is the exchange. A rank has received
// its keys when the partitions of all ranks have ended. It sorts them.
//
// A bucket that contains a cut is received apart from the other keys. It is sorted first and
// divided while the other keys are sorted, so every rank gets as many keys as it asked for. After a
// digit or two such a bucket is small.
//
// If a GPU cannot store into the memory of all others, a partition in its own memory is followed by
// an exchange of whole ranges.
#include "stream_compaction/distributed/agree.h"
#include "stream_compaction/distributed/guarded.h"
#include "stream_compaction/distributed/layout.h"
#include "stream_compaction/distributed/partition.h"
#include "stream_compaction/distributed/shareable.h"
#include "stream_compaction/hybrid_radix.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

constexpr std::size_t kMostBins = 2 * kMostRanks - 1;

/// The largest bucket that a rank sorts apart, given its capacity for sorted keys.
std::size_t few_of(std::size_t n_out, const SortLimits& limits) {
    return std::max(n_out / 16, limits.few);
}

/// The place of a received bucket: after all other keys, at the begin of a line of 128 bytes.
constexpr std::size_t bucket_begin(std::size_t n_out) { return ceil_div(n_out, kLanes) * kLanes; }

template <class Bits>
hybrid_radix::Thresholds sorts_thresholds() {
    return hybrid_radix::BitsSort<Bits>::default_thresholds();
}

}  // namespace

template <class Bits>
struct BitsSort<Bits>::Machinery {
    Machinery(std::size_t n, std::size_t n_out, Communicator& ranks, KeyOrder order,
              SortLimits limits)
        : ranks(ranks),
          n(Capacity(n)),
          n_out(Capacity(n_out)),
          limits(limits),
          multiprocessors(static_cast<unsigned>(simt::device_properties().multiprocessors)),
          order(order),
          map(order),
          received(shareable<Bits>(bucket_begin(n_out) + few_of(n_out, limits))),
          sort(n_out, order, {}, sorts_thresholds<Bits>()),
          bucket_sort(few_of(n_out, limits), order, {}, sorts_thresholds<Bits>()),
          prefixes(kMostRanks),
          counts(kCounters),
          arrays(kMostBins),
          prefixes_on_host(kMostRanks),
          counts_on_host(kCounters),
          arrays_on_host(kMostBins) {}
    Machinery(const Machinery&) = delete;
    Machinery& operator=(const Machinery&) = delete;
    /// After an error, kernels may still store into the memory of other ranks, which this plan
    /// holds.
    ~Machinery() {
        if (!is_running) return;
        try {
            working.synchronize();
            moving.synchronize();
        } catch (const std::exception&) {
            return;  // the device does not work any more
        }
    }

    Parts agree(const Bits* in, std::size_t n, const Bits* out, std::optional<std::size_t> n_out);
    void run(const Bits* in, Bits* out, const Parts& parts, simt::stream_t stream);

    unsigned blocks(std::size_t keys) const {
        return std::min(blocks_for(keys, kTile<Bits>), kResident * multiprocessors);
    }
    Buckets<Bits> enqueue_buckets(const Cuts& cuts);
    void count(const Bits* in, std::size_t size, Cuts& cuts);
    Cuts cut(const Bits* in, const Parts& parts);
    void exchange_and_sort(const Bits* in, Bits* out, const Parts& parts);
    void connect();
    void enqueue_partition(const Bits* in, std::size_t size, const Cuts& cuts);
    void store(const Bits* in, const Parts& parts, const Cuts& cuts, const Layout& layout);
    void send(const Bits* in, const Parts& parts, const Cuts& cuts, const Layout& layout);
    void sort_received(Bits* out, const Parts& parts, const Layout& layout);
    void divide_buckets(Bits* out, const Parts& parts, const Layout& layout);

    /// The place of a bin's keys in the memory of the rank that receives them.
    Bits* arrival(const std::shared_ptr<void>& memory, const Layout::Bin& bin) const {
        return static_cast<Bits*>(memory.get()) +
               (bin.is_bucket ? bucket_begin(capacities[bin.owner]) : 0);
    }

    Communicator& ranks;
    std::size_t n, n_out;
    SortLimits limits;
    unsigned multiprocessors;
    KeyOrder order;
    KeyMap<Bits> map;
    std::shared_ptr<void> received;  ///< here other ranks store keys
    simt::DeviceArray<Bits> parted;  ///< if they cannot; allocated by the first call
    hybrid_radix::BitsSort<Bits> sort, bucket_sort;
    simt::DeviceArray<Bits> prefixes;
    simt::DeviceArray<unsigned long long> counts;  ///< also the cursors of a partition
    simt::DeviceArray<Bits*> arrays;               ///< of its destinations
    simt::PinnedArray<Bits> prefixes_on_host;
    simt::PinnedArray<unsigned long long> counts_on_host;
    simt::PinnedArray<Bits*> arrays_on_host;
    std::vector<std::size_t> capacities;  ///< n_out of all ranks
    std::uint64_t sent_bytes = 0;         ///< of the last call
    bool is_connected = false, is_running = false;
    std::vector<std::shared_ptr<void>> peers;  ///< `received` of all ranks, or nothing
    simt::Stream working, moving;
    simt::Event brought = simt::Event::without_time();  ///< the prefixes have been copied
    simt::Event before = simt::Event::without_time();   ///< what the other stream has to wait for
    simt::Event start, counted, exchanged, sorted;
};

template <class Bits>
Parts BitsSort<Bits>::Machinery::agree(const Bits* its_in, std::size_t its_n, const Bits* its_out,
                                       std::optional<std::size_t> its_n_out) {
    const std::uint64_t own[] = {its_n,
                                 n,
                                 n_out,
                                 its_n_out.value_or(0),
                                 limits.few,
                                 limits.stores_to_peers,
                                 word_of(its_in),
                                 word_of(its_out),
                                 its_n_out.has_value()};
    const FirstWords all(ranks, {"sort", sizeof(Bits), order}, own);
    Parts parts;
    capacities.clear();
    for (unsigned rank = 0; rank < ranks.size(); ++rank) {
        const std::uint64_t* const its = all.of(rank);
        if (!std::equal(its + 4, its + 6, all.of(0) + 4))
            throw std::invalid_argument("ranks have different limits");
        if (its[8] != all.of(0)[8])
            throw std::invalid_argument(
                "some ranks specify how many keys they receive, others do not");
        require_room(rank, its[0], its[1]);
        parts.in.push_back(its[0]);
        capacities.push_back(its[2]);
    }
    const std::uint64_t total = total_of(parts.in);
    std::uint64_t end = 0;
    for (unsigned rank = 0; rank < ranks.size(); ++rank) {
        const std::uint64_t* const its = all.of(rank);
        parts.out_begin.push_back(end);
        const std::uint64_t out = its[8] != 0 ? its[3]
                                              : even_begin(total, rank + 1, ranks.size()) -
                                                    even_begin(total, rank, ranks.size());
        require_room(rank, out, its[2]);
        of_rank(rank, [&] {
            require_same_or_apart(addresses(its[6], its[0] * sizeof(Bits)),
                                  addresses(its[7], out * sizeof(Bits)));
        });
        end += out;
    }
    parts.out_begin.push_back(end);
    if (end != total)
        throw std::invalid_argument("the ranks have " + std::to_string(total) +
                                    " keys, but ask for " + std::to_string(end));
    return parts;
}

/// Copies the prefixes to the device.
template <class Bits>
Buckets<Bits> BitsSort<Bits>::Machinery::enqueue_buckets(const Cuts& cuts) {
    brought.synchronize();  // the last prefixes have left the pinned buffer
    std::ranges::transform(cuts.buckets(), prefixes_on_host.data(), [](const Cuts::Bucket& bucket) {
        return static_cast<Bits>(bucket.prefix);
    });
    const std::size_t size = cuts.buckets().size();
    simt::copy_async(prefixes.data(), prefixes_on_host.data(), size * sizeof(Bits), working.get());
    brought.record(working.get());
    return {prefixes.data(), static_cast<unsigned>(size), cuts.shift(), map};
}

/// Counts the next digit of all keys that are in buckets, and divides the buckets.
template <class Bits>
void BitsSort<Bits>::Machinery::count(const Bits* in, std::size_t size, Cuts& cuts) {
    const std::size_t used = cuts.buckets().size() << cuts.digit_bits();
    simt::fill_async(counts.data(), 0, used * sizeof(unsigned long long), working.get());
    const Buckets<Bits> buckets = enqueue_buckets(cuts);
    if (size > 0)
        simt::launch(buckets.shift == 8 * sizeof(Bits) ? count_digits<Bits, 0>
                     : buckets.size == 1               ? count_digits<Bits, 1>
                                                       : count_digits<Bits, kMostRanks>,
                     {blocks(size), kThreads, buckets.size * sizeof(Bits), working.get()}, in, size,
                     buckets, cuts.digit_bits(), counts.data());
    simt::copy_async(counts_on_host.data(), counts.data(), used * sizeof(unsigned long long),
                     working.get());
    ranks.wait(working.get());
    cuts.refine(ranks.all_gather(
        std::vector<std::uint64_t>(counts_on_host.data(), counts_on_host.data() + used)));
}

/// Counts digits until each bucket is small enough for its owner, or all keys are known.
template <class Bits>
Cuts BitsSort<Bits>::Machinery::cut(const Bits* in, const Parts& parts) {
    Cuts cuts(parts.cuts(), parts.in, 8 * sizeof(Bits));
    const auto is_large = [&](const Cuts::Bucket& bucket) {
        return bucket.size() > few_of(capacities[parts.owner(bucket.begin())], limits);
    };
    while (cuts.shift() > 0 && (cuts.are_few() || std::ranges::any_of(cuts.buckets(), is_large)))
        count(in, parts.in[ranks.rank()], cuts);
    return cuts;
}

/// Finds out where this rank stores keys for the others. The first call does it, since it needs all
/// ranks.
template <class Bits>
void BitsSort<Bits>::Machinery::connect() {
    if (std::exchange(is_connected, true)) return;
    if (limits.stores_to_peers) peers = ranks.share(received);
    if (peers.empty()) parted = simt::DeviceArray<Bits>(n);
}

/// Partitions the keys. The destinations, in the order of bins, are in arrays_on_host and
/// counts_on_host.
template <class Bits>
void BitsSort<Bits>::Machinery::enqueue_partition(const Bits* in, std::size_t size,
                                                  const Cuts& cuts) {
    if (size == 0) return;
    const Buckets<Bits> buckets = enqueue_buckets(cuts);
    const unsigned bins = buckets.bins();
    simt::copy_async(arrays.data(), arrays_on_host.data(), bins * sizeof(Bits*), working.get());
    simt::copy_async(counts.data(), counts_on_host.data(), bins * sizeof(unsigned long long),
                     working.get());
    constexpr unsigned kOfOneHost = 7;  // buckets of 8 GPUs
    simt::launch(buckets.size <= 1            ? partition<Bits, 1>
                 : buckets.size <= kOfOneHost ? partition<Bits, kOfOneHost>
                                              : partition<Bits, kMostRanks>,
                 {blocks(size), kThreads, PartitionMemory<Bits>::bytes(bins), working.get()}, in,
                 size, buckets, Destinations<Bits>{arrays.data(), counts.data()});
}

/// Stores each key where its owner receives it, after the keys of earlier ranks.
template <class Bits>
void BitsSort<Bits>::Machinery::store(const Bits* in, const Parts& parts, const Cuts& cuts,
                                      const Layout& layout) {
    std::size_t b = 0;
    for (const Layout::Bin& bin : layout.bins()) {
        arrays_on_host.data()[b] = bin.is_moved ? arrival(peers[bin.owner], bin) : nullptr;
        counts_on_host.data()[b++] = bin.before(ranks.rank());
    }
    enqueue_partition(in, parts.in[ranks.rank()], cuts);
    ranks.barrier(working.get());
}

/// The same by a partition into `parted` and an exchange of whole ranges.
template <class Bits>
void BitsSort<Bits>::Machinery::send(const Bits* in, const Parts& parts, const Cuts& cuts,
                                     const Layout& layout) {
    const unsigned own_rank = ranks.rank();
    std::vector<Communicator::Outgoing> outgoing;
    std::vector<Communicator::Incoming> incoming;
    std::size_t b = 0;
    Bits* from = parted.data();
    for (const Layout::Bin& bin : layout.bins()) {
        arrays_on_host.data()[b] = bin.is_moved ? from : nullptr;
        counts_on_host.data()[b++] = 0;
        if (!bin.is_moved) continue;
        const std::size_t sent = bin.inside[own_rank];
        if (sent > 0) outgoing.push_back({bin.owner, from, sent * sizeof(Bits)});
        from += sent;
        if (bin.owner != own_rank) continue;
        Bits* to = arrival(received, bin);
        for (unsigned rank = 0; rank < ranks.size(); to += bin.inside[rank++])
            if (bin.inside[rank] > 0)
                incoming.push_back({rank, to, bin.inside[rank] * sizeof(Bits)});
    }
    enqueue_partition(in, parts.in[own_rank], cuts);
    ranks.exchange(outgoing, incoming, working.get());
}

/// The rank's bucket first: it is divided while the other keys are sorted.
template <class Bits>
void BitsSort<Bits>::Machinery::sort_received(Bits* out, const Parts& parts, const Layout& layout) {
    const auto own = [&](bool is_bucket) {
        return std::ranges::find_if(layout.bins(), [&](const Layout::Bin& bin) {
            return bin.is_moved && bin.owner == ranks.rank() && bin.is_bucket == is_bucket;
        });
    };
    if (const auto bucket = own(true); bucket != layout.bins().end()) {
        Bits* const keys = arrival(received, *bucket);
        bucket_sort.enqueue(keys, keys, bucket->size, working.get());
    }
    before.record(working.get());
    moving.wait(before);
    if (const auto range = own(false); range != layout.bins().end())
        sort.enqueue(arrival(received, *range),
                     out + (range->begin - parts.out_begin[ranks.rank()]), range->size,
                     working.get());
}

/// Each rank gets its pieces of the buckets, or writes them if their keys are equal.
template <class Bits>
void BitsSort<Bits>::Machinery::divide_buckets(Bits* out, const Parts& parts,
                                               const Layout& layout) {
    const unsigned own_rank = ranks.rank();
    std::vector<Communicator::Outgoing> outgoing;
    std::vector<Communicator::Incoming> incoming;
    bool any_is_moved = false;
    for (const Layout::Bin& bin : layout.bins()) {
        if (!bin.is_bucket || bin.size == 0) continue;
        const Layout::Piece own = layout.piece(bin, own_rank);
        Bits* const to = out + (own.begin - parts.out_begin[own_rank]);
        if (!bin.is_moved) {
            if (own.size > 0)
                simt::launch(fill<Bits>, {blocks(own.size), kThreads, 0, working.get()}, to,
                             own.size, static_cast<Bits>(bin.prefix), map);
            continue;
        }
        any_is_moved = true;
        if (own.size > 0) incoming.push_back({bin.owner, to, own.size * sizeof(Bits)});
        if (bin.owner != own_rank) continue;
        for (unsigned rank = 0; rank < ranks.size(); ++rank) {
            const Layout::Piece its = layout.piece(bin, rank);
            if (its.size > 0)
                outgoing.push_back({rank, arrival(received, bin) + (its.begin - bin.begin),
                                    its.size * sizeof(Bits)});
        }
    }
    if (!any_is_moved) return;
    ranks.exchange(outgoing, incoming, moving.get());
    before.record(moving.get());
    working.wait(before);
}

template <class Bits>
void BitsSort<Bits>::Machinery::run(const Bits* in, Bits* out, const Parts& parts,
                                    simt::stream_t stream) {
    is_running = true;
    before.record(stream);
    working.wait(before);
    start.record(working.get());
    if (ranks.size() == 1) {
        counted.record(working.get());
        exchanged.record(working.get());
        sort.enqueue(in, out, parts.total(), working.get());
    } else {
        exchange_and_sort(in, out, parts);
    }
    sorted.record(working.get());
    ranks.wait(working.get());
    is_running = false;
}

template <class Bits>
void BitsSort<Bits>::Machinery::exchange_and_sort(const Bits* in, Bits* out, const Parts& parts) {
    connect();
    const Cuts cuts = cut(in, parts);
    counted.record(working.get());
    const Layout layout(cuts, parts);
    sent_bytes = layout.sent(ranks.rank()) * sizeof(Bits);
    if (layout.is_anything_moved()) {
        if (peers.empty())
            send(in, parts, cuts, layout);
        else
            store(in, parts, cuts, layout);
    }
    exchanged.record(working.get());
    sort_received(out, parts, layout);
    divide_buckets(out, parts, layout);
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, std::size_t n_out, Communicator& ranks, KeyOrder order,
                         SortLimits limits)
    : machinery_(guarded(ranks, [&] {
          (void)workspace_bytes(n, n_out, ranks.size(), limits);
          return std::make_unique<Machinery>(n, n_out, ranks, order, limits);
      })) {}

template <class Bits>
BitsSort<Bits>::BitsSort(BitsSort&&) noexcept = default;
template <class Bits>
BitsSort<Bits>::~BitsSort() = default;

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n, std::size_t n_out, unsigned ranks,
                                            SortLimits limits) {
    require_size(n);
    require_size(n_out);
    if (ranks > kMostRanks)
        throw std::invalid_argument("a sort for " + std::to_string(ranks) +
                                    " ranks, expected at most " + std::to_string(kMostRanks));
    const std::size_t few = few_of(n_out, limits);
    const auto sort_bytes = [](std::size_t keys) {
        return hybrid_radix::BitsSort<Bits>::workspace_bytes(keys, sorts_thresholds<Bits>());
    };
    const std::size_t keys = n + bucket_begin(n_out) + few;
    return simt::checked_sum(simt::checked_product(keys, sizeof(Bits)), sort_bytes(n_out)) +
           sort_bytes(few) + kMostRanks * sizeof(Bits) + kCounters * sizeof(unsigned long long) +
           kMostBins * sizeof(Bits*);
}

template <class Bits>
std::size_t BitsSort<Bits>::enqueue(const Bits* in, std::size_t n, Bits* out,
                                    std::optional<std::size_t> n_out, simt::stream_t stream) {
    if (!machinery_) throw std::logic_error("the plan was moved from");
    Machinery& machinery = *machinery_;
    const Parts parts = machinery.agree(in, n, out, n_out);
    guarded(machinery.ranks, [&] { machinery.run(in, out, parts, stream); });
    return parts.out(machinery.ranks.rank());
}

template <class Bits>
SortTimes BitsSort<Bits>::last_times() const {
    if (!machinery_) throw std::logic_error("the plan was moved from");
    const Machinery& its = *machinery_;
    return {.count_us = its.counted.microseconds_since(its.start),
            .exchange_us = its.exchanged.microseconds_since(its.counted),
            .sort_us = its.sorted.microseconds_since(its.exchanged),
            .sent_bytes = its.sent_bytes};
}

template class BitsSort<unsigned>;
template class BitsSort<unsigned long long>;

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
