// Moves the keys to their owners: by a partition that stores each key in its owner's memory, or, if
// a GPU cannot store into the memory of all others, by a partition in its own memory and messages.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/distributed.h"
#include "stream_compaction/distributed/layout.h"
#include "stream_compaction/distributed/shareable.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/hybrid_radix/partitioned.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// A rank receives the keys of its range, and after them, from the next line of 128 bytes on, those
/// of a bucket.
template <class Bits>
class Exchange {
  public:
    /// @param n      the most keys that this rank has
    /// @param n_out  the most keys that it receives
    /// @param few    the most keys of a bucket that it receives
    Exchange(std::size_t n, std::size_t n_out, std::size_t few, Communicator& ranks,
             bool stores_to_peers)
        : n_(n),
          ranks_(ranks),
          may_store_(stores_to_peers),
          received_(shareable<Bits>(bucket_begin(n_out) + few)) {}

    /// Device memory of the constructor and the first call.
    static std::size_t workspace_bytes(std::size_t n, std::size_t n_out, std::size_t few) {
        return simt::checked_product(n + kGaps + bucket_begin(n_out) + few, sizeof(Bits));
    }

    /// Whether the ranks store keys in each other's memory. The first call, which all ranks must
    /// make, finds this out.
    bool stores_to_peers() {
        if (!std::exchange(is_connected_, true)) {
            if (may_store_) peers_ = ranks_.share(received_);
            if (peers_.empty()) parted_ = simt::DeviceArray<Bits>(n_ + kGaps);
        }
        return !peers_.empty();
    }

    /// Moves all keys that a layout moves. If they are stored to peers, they have arrived when the
    /// partitions of all ranks have ended.
    /// @param base  subtracted from all numbers
    void enqueue(const Bits* in, const Parts& parts, const Layout& layout, Bits base,
                 hybrid_radix::PartitionedSort<Bits>& partition, simt::stream_t stream) {
        std::vector<Communicator::Outgoing> outgoing;
        std::vector<Communicator::Incoming> incoming;
        if (stores_to_peers())
            place_at_peers(parts, layout, partition.arrays());
        else
            place_here(parts, layout, partition.arrays(), outgoing, incoming);
        std::ranges::transform(layout.splits(), partition.splits(),
                               [](std::uint64_t last) { return static_cast<Bits>(last); });
        partition.enqueue_partition(in, parts.in[ranks_.rank()], base, layout.low_bits(),
                                    layout.digit_bits(),
                                    static_cast<unsigned>(layout.splits().size()), stream);
        if (!stores_to_peers()) ranks_.exchange(outgoing, incoming, stream);
    }

    /// The received keys of this rank's range.
    const Bits* received() const { return static_cast<const Bits*>(received_.get()); }
    /// The received keys of a bucket that this rank owns.
    Bits* bucket(const Parts& parts) const {
        return static_cast<Bits*>(received_.get()) + bucket_begin(parts.capacities[ranks_.rank()]);
    }

    /// Gives each rank its pieces of the buckets, which their owners have sorted.
    void divide_buckets(Bits* out, const Parts& parts, const Layout& layout,
                        simt::stream_t stream) {
        const auto is_divided = [](const Layout::Bin& bin) {
            return bin.is_bucket && bin.is_moved;
        };
        if (std::ranges::none_of(layout.bins(), is_divided)) return;
        const unsigned own_rank = ranks_.rank();
        std::vector<Communicator::Outgoing> outgoing;
        std::vector<Communicator::Incoming> incoming;
        if (stores_to_peers()) ranks_.barrier(stream);
        for (const Layout::Bin& bin : layout.bins()) {
            if (!is_divided(bin)) continue;
            const auto& memory = stores_to_peers() ? peers_[bin.owner] : received_;
            const auto from = [&](const Parts::Piece& piece) {
                return arrival(memory, parts, layout, bin) + (piece.begin - bin.begin);
            };
            const Parts::Piece own = parts.piece(bin.begin, bin.size, own_rank);
            if (own.size > 0) {
                Bits* const to = out + (own.begin - parts.out_begin[own_rank]);
                if (stores_to_peers() || bin.owner == own_rank)
                    simt::copy_async(to, from(own), own.size * sizeof(Bits), stream);
                else
                    incoming.push_back({bin.owner, to, own.size * sizeof(Bits)});
            }
            if (stores_to_peers() || bin.owner != own_rank) continue;
            for (unsigned rank = 0; rank < ranks_.size(); ++rank) {
                const Parts::Piece its = parts.piece(bin.begin, bin.size, rank);
                if (rank != own_rank && its.size > 0)
                    outgoing.push_back({rank, from(its), its.size * sizeof(Bits)});
            }
        }
        if (!stores_to_peers()) ranks_.exchange(outgoing, incoming, stream);
    }

  private:
    using BinArray = hybrid_radix::BinArray<Bits>;

    static constexpr std::size_t kOfVector = 16 / sizeof(Bits);
    /// The most unused places between bins in `parted_`: there are at most two bins per rank, and
    /// before each of them fewer than two vectors.
    static constexpr std::size_t kGaps = std::size_t{2} * kMostRanks * 2 * kOfVector;

    static constexpr std::size_t bucket_begin(std::size_t n_out) {
        return ceil_div(n_out, kLanes) * kLanes;
    }

    /// The place of a bin's keys in the memory of its owner.
    static Bits* arrival(const std::shared_ptr<void>& memory, const Parts& parts,
                         const Layout& layout, const Layout::Bin& bin) {
        return static_cast<Bits*>(memory.get()) + layout.arrival(bin) +
               (bin.is_bucket ? bucket_begin(parts.capacities[bin.owner]) : 0);
    }

    /// Places each bin at its owner, after the keys of earlier ranks.
    void place_at_peers(const Parts& parts, const Layout& layout, BinArray* array) const {
        const unsigned own_rank = ranks_.rank();
        for (const Layout::Bin& bin : layout.bins()) {
            Bits* to = nullptr;
            if (bin.is_moved)
                to = arrival(peers_[bin.owner], parts, layout, bin) + bin.before(own_rank);
            *array++ = {to, static_cast<unsigned>(bin.inside[own_rank])};
        }
    }

    /// Places the bins that this rank owns where they belong, and the others one after the other.
    /// Lists the messages. NCCL copies fast between addresses that are multiples of 16 bytes, so
    /// the keys before such an address at the receiver are a message of their own, and the sender
    /// places the bin accordingly.
    void place_here(const Parts& parts, const Layout& layout, BinArray* array,
                    std::vector<Communicator::Outgoing>& outgoing,
                    std::vector<Communicator::Incoming>& incoming) {
        const unsigned own_rank = ranks_.rank();
        std::size_t from = 0;  // in `parted_`
        const auto add = [](auto& messages, unsigned rank, Bits* keys, std::size_t phase,
                            std::size_t size) {
            const std::size_t head = std::min(size, (kOfVector - phase) % kOfVector);
            if (head > 0) messages.push_back({rank, keys, head * sizeof(Bits)});
            if (size > head) messages.push_back({rank, keys + head, (size - head) * sizeof(Bits)});
        };
        for (const Layout::Bin& bin : layout.bins()) {
            const auto phase = [&](unsigned rank) {
                return (layout.arrival(bin) + bin.before(rank)) % kOfVector;
            };
            const std::size_t own = bin.inside[own_rank];
            Bits* place = nullptr;
            if (bin.is_moved && bin.owner == own_rank) {
                Bits* const to = arrival(received_, parts, layout, bin);
                place = to + bin.before(own_rank);
                for (unsigned rank = 0; rank < ranks_.size(); ++rank)
                    if (rank != own_rank)
                        add(incoming, rank, to + bin.before(rank), phase(rank), bin.inside[rank]);
            } else if (bin.is_moved) {
                from = ceil_div(from, kOfVector) * kOfVector + phase(own_rank);
                place = parted_.data() + from;
                add(outgoing, bin.owner, place, phase(own_rank), own);
                from += own;
            }
            *array++ = {place, static_cast<unsigned>(own)};
        }
    }

    std::size_t n_;
    Communicator& ranks_;
    bool may_store_, is_connected_ = false;
    std::shared_ptr<void> received_;            ///< here other ranks store keys
    simt::DeviceArray<Bits> parted_;            ///< if they cannot
    std::vector<std::shared_ptr<void>> peers_;  ///< `received_` of all ranks, or nothing
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
