// Parts of an array on the devices of several ranks, and the expected results.
#pragma once

#include "stream_compaction/distributed.h"
#include "tests/guarded_array.h"
#include "tests/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {

using distributed::Communicator;
using distributed::Kept;
using distributed::run_ranks;
using distributed::SortLimits;

inline constexpr SortLimits kTiny{.few = 8};  // so that few keys use all code paths

using Sizes = std::vector<std::size_t>;

/// Ways to divide n elements among ranks.
struct Division {
    std::string name;
    Sizes (*sizes)(std::size_t n, unsigned ranks);
};
inline const Division kDivisions[] = {
    {"even",
     [](std::size_t n, unsigned ranks) {
         Sizes sizes;
         for (unsigned r = 0; r < ranks; ++r)
             sizes.push_back(distributed::even_begin(n, r + 1, ranks) -
                             distributed::even_begin(n, r, ranks));
         return sizes;
     }},
    {"all on the first",
     [](std::size_t n, unsigned ranks) {
         Sizes sizes(ranks, 0);
         sizes.front() = n;
         return sizes;
     }},
    {"all on the last",
     [](std::size_t n, unsigned ranks) {
         Sizes sizes(ranks, 0);
         sizes.back() = n;
         return sizes;
     }},
    {"each twice the one before, every third empty",
     [](std::size_t n, unsigned ranks) {
         Sizes sizes(ranks, 0);
         for (unsigned r = ranks; r-- > 1;)
             if (r % 3 != 2) n -= sizes[r] = n / 2;
         sizes.front() = n;
         return sizes;
     }},
};

template <class T>
std::span<const T> part_of(std::span<const T> whole, const Sizes& sizes, unsigned rank) {
    const std::size_t first = std::accumulate(sizes.begin(), sizes.begin() + rank, std::size_t{0});
    return whole.subspan(first, sizes[rank]);
}

/// An array on the device: only `expected`, at its beginning, may be written.
class Checked {
  public:
    Checked(std::size_t room, std::size_t offset) : array_(Place::device, room, offset) {
        array_.assign({});
    }
    int* data() { return array_.data(); }
    void expect(std::span<const int> expected) {
        std::vector<int> all(array_.read());
        EXPECT_TRUE(equal(std::span(all).first(expected.size()), expected));
        EXPECT_TRUE(std::ranges::all_of(all.begin() + static_cast<std::ptrdiff_t>(expected.size()),
                                        all.end(), [](int x) { return x == kSentinel; }));
    }

  private:
    GuardedArray<int> array_;
};

struct Part {
    Part(std::span<const int> whole, const Sizes& sizes, Communicator& ranks, std::size_t room = 0)
        : n(sizes[ranks.rank()]), array(Place::device, std::max(n, room), 1) {
        array.assign(part_of(whole, sizes, ranks.rank()));
    }
    std::size_t n;
    GuardedArray<int> array;
};

inline void expect_scan(const std::vector<int>& input, const Sizes& sizes, Communicator& ranks) {
    const std::vector<int> whole = reference(Operation::scan, input);
    Part in(input, sizes, ranks);
    Checked out(in.n, 2);
    distributed::Scan scan(in.n, ranks);
    for (int round = 0; round < 2; ++round) scan.enqueue(in.array.data(), out.data(), in.n);
    out.expect(part_of<int>(whole, sizes, ranks.rank()));
    scan.enqueue(in.array.data(), in.array.data(), in.n);
    EXPECT_TRUE(equal(in.array.read(), part_of<int>(whole, sizes, ranks.rank()))) << "in place";
}

inline void expect_compact(const std::vector<int>& input, const Sizes& sizes, Communicator& ranks) {
    const unsigned rank = ranks.rank();
    const std::vector<int> whole = reference(Operation::compact, input);
    const std::vector<int> own = reference(Operation::compact, part_of<int>(input, sizes, rank));
    std::size_t offset = 0;
    for (unsigned r = 0; r < rank; ++r)
        offset += reference(Operation::compact, part_of<int>(input, sizes, r)).size();

    Part in(input, sizes, ranks);
    Checked out(in.n, 3);
    distributed::Compact compact(in.n, ranks);
    const Kept kept = compact.enqueue(in.array.data(), out.data(), in.n);
    EXPECT_EQ(kept, (Kept{own.size(), offset, whole.size()}));
    out.expect(own);

    const std::size_t begin = distributed::even_begin(whole.size(), rank, ranks.size());
    const std::size_t end = distributed::even_begin(whole.size(), rank + 1, ranks.size());
    Checked evened(end - begin + 5, 1);
    EXPECT_EQ(distributed::even_out(ranks, out.data(), kept.count, evened.data(), end - begin),
              (Kept{end - begin, begin, whole.size()}));
    evened.expect(std::span(whole).subspan(begin, end - begin));
}

/// The keys are stored into the memory of other ranks, and they are sent.
/// @param out_sizes empty: equal parts
inline void expect_sort(const std::vector<int>& input, const Sizes& sizes, const Sizes& out_sizes,
                        Communicator& ranks, SortLimits limits = kTiny) {
    const unsigned rank = ranks.rank();
    const std::vector<int> whole = reference(Operation::sort, input);
    const Sizes gets =
        out_sizes.empty() ? kDivisions[0].sizes(input.size(), ranks.size()) : out_sizes;
    const auto expected = part_of<int>(whole, gets, rank);
    const auto wanted = out_sizes.empty() ? std::nullopt : std::optional(gets[rank]);

    for (const bool stores_to_peers : {true, false}) {
        SCOPED_TRACE(stores_to_peers ? "stored" : "sent");
        limits.stores_to_peers = stores_to_peers;
        Part in(input, sizes, ranks, gets[rank]);
        Checked out(gets[rank], 1);
        distributed::Sort<int> sort(in.n, gets[rank], ranks, limits);
        EXPECT_EQ(sort.enqueue(in.array.data(), in.n, out.data(), wanted), gets[rank]);
        out.expect(expected);
        const std::vector<int> kept = in.array.read();
        EXPECT_TRUE(equal(std::span(kept).first(in.n), part_of<int>(input, sizes, rank)))
            << "the input was written";
        EXPECT_EQ(sort.enqueue(in.array.data(), in.n, in.array.data(), wanted), gets[rank]);
        const std::vector<int> sorted = in.array.read();
        EXPECT_TRUE(equal(std::span(sorted).first(gets[rank]), expected)) << "in place";
    }
}

}  // namespace stream_compaction
