// The ranks first look at samples: if these have few distinct values, the ranks count each value,
// and write their parts from the counts. Otherwise they drop the high bits that all samples share,
// count the highest digit of their keys, gather the counts (key_counts.h), and compute from them
// which keys each rank gets (cuts.h, layout.h). Then each rank partitions its keys, and stores them
// in the memory of their owners, also on other GPUs: this partition is the exchange (exchange.h). A
// rank has received its keys when the partitions of all ranks have ended.
//
// The partition is also the first one of the sort: its bins are those of a digit. The owner
// continues with the second digit, unless a bin of both digits is too large for a block; then
// hybrid_radix sorts the received keys as any others.
//
// A bucket that contains a cut is received apart from the other keys. It is sorted first and
// divided while the other keys are sorted, so every rank gets as many keys as it asked for. If the
// first digit leaves too many keys in such a bucket, they are counted by further digits.
#include "stream_compaction/distributed/agree.h"
#include "stream_compaction/distributed/exchange.h"
#include "stream_compaction/distributed/guarded.h"
#include "stream_compaction/distributed/kernels.h"
#include "stream_compaction/distributed/key_counts.h"
#include "stream_compaction/distributed/layout.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/hybrid_radix/partitioned.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

static_assert(2 * (kMostRanks - 1) <= hybrid_radix::kMostSplits);

/// The bits of the digit by which the keys are exchanged, the first one of the owners' sorts: as
/// many as the partition has bins for. 0 if most keys are in a few of them.
/// @param array_bits  see PartitionedSort
unsigned exchanged_bits(const Cuts& cuts, const Parts& parts, unsigned array_bits) {
    constexpr unsigned kMostShare = 8;  // a bin with an eighth of the keys is one of a few
    const std::size_t ranks = parts.in.size();
    if (!cuts.has_first()) return 0;
    unsigned bits = array_bits;
    while ((1u << bits) + 2 * (ranks - 1) > 1u << array_bits) --bits;
    const std::size_t digits = std::size_t{1} << bits;
    const std::size_t values = std::size_t{1} << (cuts.first_bits() - bits);
    for (std::size_t digit = 0; digit < digits; ++digit) {
        std::uint64_t keys = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            keys += cuts.first_count(rank, digit * values, values);
        if (keys > parts.total() / kMostShare) return 0;
    }
    return bits;
}

/// The largest bucket that a rank sorts apart, given its capacity for sorted keys.
std::size_t few_of(std::size_t n_out, const SortLimits& limits) {
    return std::max(n_out / 16, limits.few);
}

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
          device(simt::device_properties()),
          order(order),
          map(order),
          counts(ranks, map, device, working.get()),
          exchange(n, n_out, few_of(n_out, limits), ranks, limits.stores_to_peers),
          sort(n_out, order, {}, sorts_thresholds<Bits>()),
          bucket_sort(few_of(n_out, limits), order, {}, sorts_thresholds<Bits>()),
          partitioned_sort(order) {}
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

    /// The bins of the exchanged digit in what a rank has received.
    struct Segments {
        unsigned number = 0;
        /// The bits of the digit that follows; 0: the keys are sorted as any others.
        unsigned second_bits = 0;
    };

    /// Gathers the sizes of all ranks.
    /// @throws std::invalid_argument, on all ranks, if they do not fit together
    Parts agree(const Bits* its_in, std::size_t its_n, const Bits* its_out,
                std::optional<std::size_t> its_n_out) {
        const std::uint64_t own[] = {its_n,
                                     n,
                                     n_out,
                                     its_n_out.value_or(0),
                                     limits.few,
                                     limits.stores_to_peers,
                                     word_of(its_in),
                                     word_of(its_out),
                                     its_n_out.has_value(),
                                     partitioned_sort.array_bits()};
        const FirstWords all(ranks, {"sort", sizeof(Bits), order}, own);
        Parts parts;
        array_bits = partitioned_sort.array_bits();
        for (unsigned rank = 0; rank < ranks.size(); ++rank) {
            const std::uint64_t* const its = all.of(rank);
            if (!std::equal(its + 4, its + 6, all.of(0) + 4))
                throw std::invalid_argument("ranks have different limits");
            if (its[8] != all.of(0)[8])
                throw std::invalid_argument(
                    "some ranks specify how many keys they receive, others do not");
            require_room(rank, its[0], its[1]);
            parts.in.push_back(its[0]);
            parts.capacities.push_back(its[2]);
            array_bits = std::min(array_bits, static_cast<unsigned>(its[9]));
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

    void enqueue_fill(Bits* out, const Runs<Bits>& runs) {
        if (runs.size == 0) return;
        const unsigned most = 2 * static_cast<unsigned>(device.multiprocessors);
        simt::launch(fill<Bits>,
                     {std::min(blocks_for(runs.ends[runs.size - 1], kThreads), most), kThreads, 0,
                      working.get()},
                     out, runs, map);
    }

    /// Counts the values of samples. If no key has another one, each rank writes its part, and no
    /// key is moved.
    /// @param values  of the samples of all ranks, at least one and at most kFewValues
    /// @return whether it is written
    bool write_few_values(const Bits* in, Bits* out, const Parts& parts,
                          const std::vector<std::uint64_t>& values) {
        const std::size_t size = parts.in[ranks.rank()];
        const std::vector<std::uint64_t> keys = counts.of_values(in, size, values);
        if (keys.empty() || keys.back() > 0) return false;
        counted.record(working.get());
        exchanged.record(working.get());
        Runs<Bits> runs;
        std::uint64_t begin = 0;
        for (std::size_t i = 0; i < values.size(); begin += keys[i++]) {
            const Parts::Piece own = parts.piece(begin, keys[i], ranks.rank());
            if (own.size == 0) continue;
            runs.numbers[runs.size] = static_cast<Bits>(values[i]);
            runs.ends[runs.size++] = own.begin + own.size - parts.out_begin[ranks.rank()];
        }
        enqueue_fill(out, runs);
        return true;
    }

    /// Counts digits until each bucket is small enough for its owner, or all keys are known.
    /// @param values  of samples; if there are any, the high bits that all of them share are
    ///                dropped from all numbers, unless a key differs in them
    Cuts cut(const Bits* in, const Parts& parts, const std::vector<std::uint64_t>& values) {
        constexpr unsigned kBits = 8 * sizeof(Bits);
        const auto is_large = [&](const Cuts::Bucket& bucket) {
            return bucket.size() > few_of(parts.capacities[parts.owner(bucket.begin())], limits);
        };
        unsigned bits = kBits;
        if (!values.empty())
            bits =
                std::max<unsigned>(kMostDigitBits, std::bit_width(values.front() ^ values.back()));
        for (;;) {
            map.base = bits == kBits ? 0 : static_cast<Bits>(values.front() >> bits << bits);
            Cuts cuts(parts.cuts(), parts.in, bits, kMostDigitBits);
            bool counts_all = bits == kBits;
            while (cuts.shift() > 0 && std::ranges::any_of(cuts.buckets(), is_large)) {
                counts.divide(in, parts.in[ranks.rank()], cuts);
                counts_all = cuts.first_total() == parts.total();
                if (!counts_all) break;
            }
            if (counts_all) return cuts;
            bits = kBits;
        }
    }

    /// Computes where the bins of the exchanged digit begin in this rank's range.
    Segments place_segments(const Cuts& cuts, const Layout& layout) {
        constexpr std::size_t kFewTimes = 64;  // fewer keys are sorted by one kernel, in registers
        const Parts::Piece range = layout.range(ranks.rank());
        const std::uint64_t range_end = range.begin + range.size;
        if (layout.digit_bits() == 0 || range.size <= kFewTimes * limits.few ||
            range.size > hybrid_radix::kMostPartitionedKeys)
            return {};
        const std::size_t values = std::size_t{1} << (cuts.first_bits() - layout.digit_bits());
        const auto in_range = [&](std::uint64_t position) {
            return static_cast<unsigned>(std::clamp(position, range.begin, range_end) -
                                         range.begin);
        };
        unsigned* const begins = partitioned_sort.begins();
        unsigned segments = 0;
        std::uint64_t begin = 0;
        std::uint64_t largest = 0;  // a segment as full as the fullest counted value in it
        for (std::size_t digit = 0; digit < std::size_t{1} << layout.digit_bits(); ++digit) {
            std::uint64_t end = begin;
            for (std::size_t value = digit * values; value < (digit + 1) * values; ++value) {
                const unsigned before = in_range(end);
                for (std::size_t rank = 0; rank < ranks.size(); ++rank)
                    end += cuts.first_count(rank, value, 1);
                largest = std::max(largest, (in_range(end) - before) * std::uint64_t{values});
            }
            if (end > range.begin && begin < range_end) begins[segments++] = in_range(begin);
            begin = end;
        }
        begins[segments] = static_cast<unsigned>(range.size);
        const unsigned second_bits = partitioned_sort.second_bits(largest);
        if (second_bits > layout.low_bits())
            return {};  // for a block, bins of equal keys are too large
        return {segments, second_bits};
    }

    /// The bucket that this rank has received. It is sorted first, and divided while other keys are
    /// sorted.
    void sort_bucket(const Parts& parts, const Layout& layout) {
        for (const Layout::Bin& bin : layout.bins())
            if (bin.is_bucket && bin.is_moved && bin.owner == ranks.rank()) {
                Bits* const keys = exchange.bucket(parts);
                bucket_sort.enqueue(keys, keys, bin.size, working.get());
            }
        before.record(working.get());
        moving.wait(before);
    }

    /// All other keys that this rank has received.
    void sort_range(Bits* out, const Parts& parts, const Layout& layout, Segments segments) {
        const Parts::Piece& range = layout.range(ranks.rank());
        const auto* const from = exchange.received();
        if (range.size == 0) return;
        Bits* const to = out + (range.begin - parts.out_begin[ranks.rank()]);
        if (segments.second_bits > 0)
            partitioned_sort.enqueue(from, to, range.size, segments.number, layout.low_bits(),
                                     segments.second_bits, working.get());
        else
            sort.enqueue(from, to, range.size, working.get());
    }

    /// Each rank gets its pieces of the buckets, or writes them if their keys are equal.
    void divide_buckets(Bits* out, const Parts& parts, const Layout& layout) {
        for (const Layout::Bin& bin : layout.bins())
            if (bin.is_bucket && !bin.is_moved) {
                const Parts::Piece own = parts.piece(bin.begin, bin.size, ranks.rank());
                if (own.size > 0)
                    enqueue_fill(out + (own.begin - parts.out_begin[ranks.rank()]),
                                 {1, {static_cast<Bits>(bin.prefix)}, {own.size}});
            }
        exchange.divide_buckets(out, parts, layout, moving.get());
        before.record(moving.get());
        working.wait(before);
    }

    void run(const Bits* in, Bits* out, const Parts& parts, simt::stream_t stream) {
        is_running = true;
        before.record(stream);
        working.wait(before);
        start.record(working.get());
        if (ranks.size() == 1) {
            counted.record(working.get());
            exchanged.record(working.get());
            sort.enqueue(in, out, parts.total(), working.get());
            end();
        } else {
            exchange_and_sort(in, out, parts);
        }
        is_running = false;
    }

    void exchange_and_sort(const Bits* in, Bits* out, const Parts& parts) {
        const bool stores = exchange.stores_to_peers();
        sent_bytes = 0;
        map.base = 0;
        std::vector<std::uint64_t> values;
        if (parts.total() > limits.few) values = counts.sampled_values(in, parts);
        if (!values.empty() && values.size() <= kFewValues) {
            if (write_few_values(in, out, parts, values)) return end();
            values.clear();  // keys that no sample has are probably anywhere
        }
        const Cuts cuts = cut(in, parts, values);
        counted.record(working.get());
        const Layout layout(cuts, parts, stores ? exchanged_bits(cuts, parts, array_bits) : 0);
        sent_bytes = layout.sent(ranks.rank()) * sizeof(Bits);
        Segments segments;
        if (layout.is_anything_moved()) {
            exchange.enqueue(in, parts, layout, map.base, partitioned_sort, working.get());
            if (stores) {
                segments = place_segments(cuts, layout);
                ranks.barrier(working.get());
            }
        }
        exchanged.record(working.get());
        sort_bucket(parts, layout);
        sort_range(out, parts, layout, segments);
        divide_buckets(out, parts, layout);
        end();
        if (segments.second_bits == 0 || partitioned_sort.has_sorted()) return;
        sort_range(out, parts, layout, {});
        end();
    }

    /// Waits for the end of the sort.
    void end() {
        sorted.record(working.get());
        ranks.wait(working.get());
    }

    Communicator& ranks;
    std::size_t n, n_out;
    SortLimits limits;
    simt::DeviceProperties device;
    KeyOrder order;
    KeyMap<Bits> map;
    simt::Stream working, moving;
    KeyCounts<Bits> counts;
    Exchange<Bits> exchange;
    hybrid_radix::BitsSort<Bits> sort, bucket_sort;
    hybrid_radix::PartitionedSort<Bits> partitioned_sort;
    unsigned array_bits = 0;       ///< of a partition that all ranks can make
    std::uint64_t sent_bytes = 0;  ///< of the last call
    bool is_running = false;
    simt::Event before = simt::Event::without_time();  ///< what the other stream has to wait for
    simt::Event start, counted, exchanged, sorted;
};

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
    if (ranks > 1 && n > hybrid_radix::kMostPartitionedKeys)
        throw std::invalid_argument("a sort of " + std::to_string(n) +
                                    " keys of one rank, expected at most " +
                                    std::to_string(hybrid_radix::kMostPartitionedKeys));
    const std::size_t few = few_of(n_out, limits);
    const auto sort_bytes = [](std::size_t keys) {
        return hybrid_radix::BitsSort<Bits>::workspace_bytes(keys, sorts_thresholds<Bits>());
    };
    return simt::checked_sum(Exchange<Bits>::workspace_bytes(n, n_out, few), sort_bytes(n_out)) +
           sort_bytes(few) + KeyCounts<Bits>::workspace_bytes() +
           hybrid_radix::PartitionedSort<Bits>::workspace_bytes();
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
