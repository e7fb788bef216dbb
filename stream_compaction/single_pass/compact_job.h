// How a warp processes its rows in a compaction.
#pragma once

#include "stream_compaction/single_pass/rows.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// @tparam kPartition whether the rejected elements are also written
template <class T, class Predicate, bool kPartition>
struct CompactJob {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) >= 4 && sizeof(T) <= 64);

    using Element = T;
    using Operator = Plus;
    using Aggregate = unsigned;    ///< number of elements that a tile keeps
    using Prefix = std::uint64_t;  ///< number of elements kept before a tile
    static constexpr T kPadding{};
    static constexpr unsigned kDepth = 3;  ///< tiles that a worker of the pipeline holds

    /// The part of a tile that a warp holds until the prefix is known: the kept elements,
    /// contiguous in shared memory, followed by the rejected ones, and the number of kept elements.
    template <int>
    struct Held {
        unsigned kept;
    };
    template <int kRows>
    struct Staging {
        T element[kRows * kRow<T>];
    };

    const T* in;
    T* out;
    T* rejected;
    std::size_t* count;

    /// Whether whole tiles can be read as vectors. The output may have any alignment.
    bool is_aligned() const { return single_pass::is_aligned(in); }

    bool is_in_place(std::size_t n) const { return overlap(static_cast<const T*>(out), in, n); }

    template <bool kWhole, int kRows>
    __device__ unsigned reduce(const Vector<T> (&rows)[kRows], std::size_t first,
                               const Extent& extent) const {
        unsigned kept = 0;
#pragma unroll
        for (int r = 0; r < kRows; ++r)
#pragma unroll
            for (unsigned c = 0; c < kPerVector<T>; ++c)
                kept += keeps<kWhole>(rows[r].item[c], first + first_of_lane<T>(r) + c, extent.n);
        return reduce_lanes<Plus>(kept);
    }

    template <bool kWhole, int kRows>
    __device__ void hold(const Vector<T> (&rows)[kRows], unsigned kept, std::size_t first,
                         const Extent& extent, Held<kRows>& held, Staging<kRows>& staging) const {
        held.kept = kept;
        if (!kPartition && kept == 0) return;

        // A row keeps at most 128 elements, so the counts of four rows fit in one word, and one
        // scan over the lanes scans all four.
        static_assert(kRow<T> <= 128);
        constexpr int kWords = (kRows + 3) / 4;
        unsigned own[kWords] = {}, up_to_lane[kWords], of_row[kWords];
#pragma unroll
        for (int r = 0; r < kRows; ++r)
#pragma unroll
            for (unsigned c = 0; c < kPerVector<T>; ++c)
                if (keeps<kWhole>(rows[r].item[c], first + first_of_lane<T>(r) + c, extent.n))
                    own[r / 4] += 1u << 8 * (r % 4);
#pragma unroll
        for (int w = 0; w < kWords; ++w) up_to_lane[w] = own[w];
        scan_lanes(up_to_lane, Plus());
#pragma unroll
        for (int w = 0; w < kWords; ++w)
            of_row[w] = __shfl_sync(kAllLanes, up_to_lane[w], kLanes - 1);
        unsigned kept_before_row = 0;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            unsigned to = kept_before_row + byte_of(up_to_lane, r) - byte_of(own, r);
            [[maybe_unused]] unsigned rejected_to = kept + first_of_lane<T>(r) - to;
#pragma unroll
            for (unsigned c = 0; c < kPerVector<T>; ++c) {
                const std::size_t i = first + first_of_lane<T>(r) + c;
                if (keeps<kWhole>(rows[r].item[c], i, extent.n)) {
                    staging.element[to++] = rows[r].item[c];
                } else if constexpr (kPartition) {
                    if (kWhole || i < extent.n) staging.element[rejected_to++] = rows[r].item[c];
                }
            }
            kept_before_row += byte_of(of_row, r);
        }
        __syncwarp();
    }

    template <int>
    struct Prepared {};
    template <int kRows>
    __device__ Prepared<kRows> prepare(const Held<kRows>&) const {
        return {};
    }

    /// @param kept_before elements kept before the warp's elements
    template <bool kWhole, int kRows>
    __device__ void finish(const Held<kRows>& held, const Prepared<kRows>&, std::size_t first,
                           const Extent& extent, std::uint64_t kept_before,
                           Staging<kRows>& staging) const {
        copy_out<kRows>(staging.element, held.kept, out + kept_before);
        if constexpr (kPartition) {
            constexpr unsigned kSize = kRows * kRow<T>;
            const std::size_t left = first < extent.n ? extent.n - first : 0;
            const unsigned size =
                kWhole ? kSize : static_cast<unsigned>(min(left, std::size_t{kSize}));
            // Otherwise nothing follows the kept elements, and there is no memory for it.
            if (size > held.kept)
                copy_out<kRows>(staging.element + held.kept, size - held.kept,
                                rejected + first - kept_before);
        }
        __syncwarp();  // before the next elements are staged
    }

    /// Called once, by one thread, with the total number of kept elements.
    __device__ void end(std::uint64_t total) const { *count = total; }

  private:
    template <bool kWhole>
    __device__ static bool keeps(const T& element, std::size_t i, std::size_t n) {
        return (kWhole || i < n) && Predicate()(element);
    }

    template <int kWords>
    __device__ static unsigned byte_of(const unsigned (&words)[kWords], int row) {
        return words[row / 4] >> 8 * (row % 4) & 0xFF;
    }

    /// The type that elements are copied as: a lane moves one word of a record, so a warp moves
    /// whole cache lines.
    using Word = std::conditional_t<alignof(T) >= 8, std::uint64_t,
                                    std::conditional_t<alignof(T) == 4, std::uint32_t, T>>;
    static constexpr unsigned kWordsOfElement = sizeof(T) / sizeof(Word);

    /// Lanes are assigned to addresses such that all accesses except the first and the last cover
    /// whole cache lines.
    template <int kRows>
    __device__ static void copy_out(const T* staged, unsigned size, T* to) {
        const Word* const from_words = reinterpret_cast<const Word*>(staged);
        Word* const to_words = reinterpret_cast<Word*>(to);
        const unsigned skew = reinterpret_cast<std::uintptr_t>(to) / sizeof(Word) % kLanes;
        const unsigned end = size * kWordsOfElement + skew, lane = threadIdx.x % kLanes;
        const auto is_there = [&](unsigned j) { return j >= skew && j < end; };
        if constexpr (kRows <= 2) {
            // Latency dominates here, so everything is read before the first store.
            constexpr unsigned kTrips = kRows * kRow<T> * kWordsOfElement / kLanes + 1;
            Word moved[kTrips];
#pragma unroll
            for (unsigned trip = 0; trip < kTrips; ++trip) {
                const unsigned j = trip * kLanes + lane;
                moved[trip] = from_words[is_there(j) ? j - skew : 0];
            }
#pragma unroll
            for (unsigned trip = 0; trip < kTrips; ++trip) {
                const unsigned j = trip * kLanes + lane;
                if (is_there(j)) store_element(to_words + (j - skew), moved[trip]);
            }
        } else {
#pragma unroll 4
            for (unsigned j = lane; j < end; j += kLanes)
                if (is_there(j)) store_element(to_words + (j - skew), from_words[j - skew]);
        }
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
