// How ranks check that all of them call the same operation, and that all can perform it.
#pragma once

#include "stream_compaction/distributed.h"
#include "stream_compaction/parts/overlap.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// The properties of a call that must be the same on all ranks.
struct Call {
    std::string name;
    std::size_t bytes = sizeof(int);  ///< of an element
    KeyOrder order = order_of<int>();
};

/// The words that ranks gather first: the same number of words in every call.
class FirstWords {
  public:
    static constexpr std::size_t kOwn = 10;  ///< maximum number of words of the call itself

    /// Collective.
    /// @throws std::invalid_argument, on all ranks, if they call different operations
    FirstWords(Communicator& ranks, const Call& call, std::span<const std::uint64_t> own) {
        std::uint64_t words[kWords] = {ranks.next_call(), call.bytes, call.order.is_signed,
                                       call.order.is_floating, call.order.is_descending};
        call.name.copy(reinterpret_cast<char*>(words + kName), sizeof(std::uint64_t));
        std::ranges::copy(own, words + kHeader);
        all_ = ranks.all_gather(words);
        for (unsigned rank = 1; rank < ranks.size(); ++rank)
            if (!std::equal(header(rank), header(rank) + kHeader, header(0)))
                throw std::invalid_argument("rank 0 calls " + text(header(0)) + ", rank " +
                                            std::to_string(rank) + " calls " + text(header(rank)) +
                                            "; all must make the same call");
    }

    /// A rank's own words.
    const std::uint64_t* of(unsigned rank) const { return header(rank) + kHeader; }

  private:
    static constexpr std::size_t kName = 5, kHeader = 6, kWords = kHeader + kOwn;

    const std::uint64_t* header(unsigned rank) const { return &all_[rank * kWords]; }

    /// @param words a header
    static std::string text(const std::uint64_t* words) {
        const char* const name = reinterpret_cast<const char*>(words + kName);
        return std::string(name, std::find(name, name + sizeof(std::uint64_t), '\0')) + " of " +
               (words[3] != 0   ? "float"
                : words[2] != 0 ? "int"
                                : "uint") +
               std::to_string(8 * words[1]) + (words[4] != 0 ? ", descending," : "") +
               " as its call " + std::to_string(words[0]);
    }

    std::vector<std::uint64_t> all_;
};

/// A pointer as a word that ranks can gather.
inline std::uint64_t word_of(const void* array) { return reinterpret_cast<std::uintptr_t>(array); }

/// The addresses of another rank's array, given its word.
inline Addresses addresses(std::uint64_t word, std::uint64_t bytes) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): ranks gather words, and only compare the pointers
    return {reinterpret_cast<const char*>(static_cast<std::uintptr_t>(word)), bytes};
}

/// Calls f, and adds the rank to the message of its exceptions.
/// @throws std::invalid_argument
template <class F>
void of_rank(unsigned rank, F f) {
    try {
        f();
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("rank " + std::to_string(rank) + ": " + error.what());
    }
}

/// @param n of rank `rank`
/// @throws std::invalid_argument if n is more than `most`
inline void require_room(unsigned rank, std::uint64_t n, std::uint64_t most) {
    if (n > most)
        throw std::invalid_argument("rank " + std::to_string(rank) + ": has room for " +
                                    std::to_string(most) + " elements, but needs " +
                                    std::to_string(n));
}

/// The number of elements of all ranks.
/// @throws std::invalid_argument if it exceeds kLargestSize
inline std::uint64_t total_of(std::span<const std::uint64_t> counts) {
    std::uint64_t total = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        if (counts[rank] > kLargestSize - total)
            throw std::invalid_argument(
                "rank " + std::to_string(rank) + ": has " + std::to_string(counts[rank]) +
                " elements; all ranks together may have at most " + std::to_string(kLargestSize));
        total += counts[rank];
    }
    return total;
}

/// Collective check for operations on ints that work in place.
/// @throws std::invalid_argument, on all ranks, if one has more elements than its capacity, its
///         arrays overlap, or the ranks call different operations
inline void require_parts(Communicator& ranks, const char* name, const int* in, const int* out,
                          std::size_t n, std::size_t capacity) {
    const std::uint64_t own[] = {n, capacity, word_of(in), word_of(out)};
    const FirstWords all(ranks, {name}, own);
    for (unsigned rank = 0; rank < ranks.size(); ++rank) {
        const std::uint64_t* const its = all.of(rank);
        require_room(rank, its[0], its[1]);
        of_rank(rank, [&] {
            const std::uint64_t bytes = its[0] * sizeof(int);
            require_same_or_apart(addresses(its[2], bytes), addresses(its[3], bytes));
        });
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
