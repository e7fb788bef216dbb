#include "src/distributed/distributed_check.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// The data about `in` and `out` that each rank contributes.
struct Told {
    std::vector<std::uint64_t> words;
    std::size_t each;

    std::uint64_t operator()(unsigned rank, std::size_t word) const {
        return words[rank * each + word];
    }
    std::uint64_t sum(std::size_t word, unsigned ranks) const {
        std::uint64_t all = 0;
        for (unsigned rank = 0; rank < ranks; ++rank) all += (*this)(rank, word);
        return all;
    }
};
template <std::size_t kWords>
Told tell(distributed::Communicator& ranks, const std::uint64_t (&own)[kWords]) {
    return {ranks.all_gather(own), kWords};
}

Multiset multiset_of(std::span<const int> keys) {
    Multiset all;
    for (const int key : keys) {
        const std::uint64_t hash = hash_of_key(key);
        ++all.count;
        all.sum += hash;
        all.exclusive_or ^= hash;
    }
    return all;
}

}  // namespace

std::optional<std::string> wrong_scan(distributed::Communicator& ranks, std::span<const int> in,
                                      std::span<const int> out) {
    std::uint32_t own = 0;
    for (const int x : in) own += static_cast<std::uint32_t>(x);
    auto sum = static_cast<std::uint32_t>(tell(ranks, {own}).sum(0, ranks.rank()));
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (out[i] != static_cast<int>(sum)) return wrong_element(i, static_cast<int>(sum), out[i]);
        sum += static_cast<std::uint32_t>(in[i]);
    }
    return std::nullopt;
}

std::optional<std::string> wrong_compaction(distributed::Communicator& ranks,
                                            std::span<const int> in, std::span<const int> out,
                                            const distributed::Kept& kept) {
    const std::uint64_t own = in.size() - static_cast<std::size_t>(std::ranges::count(in, 0));
    const Told counts = tell(ranks, {own});
    if (kept.count != own) return wrong_count(own, kept.count);
    const std::uint64_t offset = counts.sum(0, ranks.rank()), total = counts.sum(0, ranks.size());
    if (kept.offset != offset)
        return "expected an offset of " + std::to_string(offset) + ", got " +
               std::to_string(kept.offset);
    if (kept.total != total) return wrong_count(total, kept.total);
    std::size_t i = 0;
    for (const int x : in) {
        if (x == 0) continue;
        if (out[i] != x) return wrong_element(i, x, out[i]);
        ++i;
    }
    return std::nullopt;
}

std::optional<std::string> wrong_sort(distributed::Communicator& ranks, std::span<const int> in,
                                      std::span<const int> out) {
    const Multiset had = multiset_of(in), has = multiset_of(out);
    const auto word = [](int key) { return std::uint64_t{static_cast<std::uint32_t>(key)}; };
    const Told told = tell(ranks, {had.count, had.sum, had.exclusive_or, has.count, has.sum,
                                   has.exclusive_or, out.empty() ? 0 : word(out.back())});
    if (const auto descent = std::ranges::adjacent_find(out, std::greater()); descent != out.end())
        return "index " + std::to_string(descent - out.begin() + 1) + ": " +
               std::to_string(descent[1]) + " after " + std::to_string(descent[0]);
    for (unsigned before = ranks.rank(); before-- > 0 && !out.empty();) {
        if (told(before, 3) == 0) continue;
        const int last = static_cast<int>(static_cast<std::uint32_t>(told(before, 6)));
        if (out.front() < last)
            return "index 0: " + std::to_string(out.front()) + " after " + std::to_string(last) +
                   " of rank " + std::to_string(before);
        break;
    }
    const auto all = [&](std::size_t first) {
        Multiset keys{told.sum(first, ranks.size()), told.sum(first + 1, ranks.size()), 0};
        for (unsigned rank = 0; rank < ranks.size(); ++rank)
            keys.exclusive_or ^= told(rank, first + 2);
        return keys;
    };
    if (all(0) != all(3)) return "the keys of all ranks together are not those of the input";
    return std::nullopt;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
