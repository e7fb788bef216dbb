#include "stream_compaction/distributed/agree.h"
#include "stream_compaction/distributed/guarded.h"
#include "stream_compaction/parts/host_call.h"

#include <algorithm>
#include <numeric>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

/// Returns the part of `rank`, given every rank's number of elements.
Kept place_of(unsigned rank, std::span<const std::uint64_t> counts) {
    const auto own = counts.begin() + rank;
    return {.count = *own,
            .offset = std::accumulate(counts.begin(), own, std::uint64_t{0}),
            .total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})};
}

}  // namespace

Compact::Compact(std::size_t n, Communicator& ranks) try
    : ranks_(ranks), compact_(n), capacity_(n), count_(1) {
} catch (const std::exception& error) {
    ranks.fail(error.what());
}

std::size_t Compact::workspace_bytes(std::size_t n) {
    return single_pass::BasicCompact<int, single_pass::NonZero>::workspace_bytes(n);
}

Kept Compact::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, 0);
    require_parts(ranks_, "compact", in, out, n, capacity_);
    return guarded(ranks_, [&] {
        std::uint64_t count = 0;
        if (n > 0) {
            compact_.enqueue(in, out, count_.data(), n, stream);  // it writes the count to the host
            ranks_.wait(stream);
            count = *count_.data();
            require_possible(count, n);
        }
        return place_of(ranks_.rank(), ranks_.all_gather(std::span(&count, 1)));
    });
}

Kept even_out(Communicator& ranks, const int* in, std::size_t count, int* out, std::size_t room,
              simt::stream_t stream) {
    const std::uint64_t own[] = {count, room, word_of(in), word_of(out)};
    const FirstWords all(ranks, {"even_out"}, own);
    std::vector<std::uint64_t> counts, wanted;
    for (unsigned rank = 0; rank < ranks.size(); ++rank) counts.push_back(all.of(rank)[0]);
    const std::size_t total = total_of(counts);
    const auto begin = [&](unsigned rank) { return even_begin(total, rank, ranks.size()); };
    for (unsigned rank = 0; rank < ranks.size(); ++rank) {
        wanted.push_back(begin(rank + 1) - begin(rank));
        const std::uint64_t* const its = all.of(rank);
        require_room(rank, wanted[rank], its[1]);
        of_rank(rank, [&] {
            require_apart(addresses(its[2], counts[rank] * sizeof(int)),
                          addresses(its[3], wanted[rank] * sizeof(int)));
        });
    }
    return guarded(ranks, [&] {
        std::vector<Communicator::Outgoing> outgoing;
        std::vector<Communicator::Incoming> incoming;
        const Kept had = place_of(ranks.rank(), counts), gets = place_of(ranks.rank(), wanted);
        // The intersection of two ranges of the whole array.
        const auto common = [](const Kept& a, const Kept& b) {
            const std::size_t first = std::max(a.offset, b.offset);
            const std::size_t last = std::min(a.offset + a.count, b.offset + b.count);
            return std::pair(first, last > first ? last - first : 0);
        };
        for (unsigned rank = 0; rank < ranks.size(); ++rank) {
            const auto [to, sent] = common(had, place_of(rank, wanted));
            if (sent > 0) outgoing.push_back({rank, in + (to - had.offset), sent * sizeof(int)});
            const auto [from, received] = common(place_of(rank, counts), gets);
            if (received > 0)
                incoming.push_back({rank, out + (from - gets.offset), received * sizeof(int)});
        }
        ranks.exchange(outgoing, incoming, stream);
        ranks.wait(stream);
        return gets;
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
