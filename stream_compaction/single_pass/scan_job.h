// How a warp processes its rows in a scan.
#pragma once

#include "stream_compaction/single_pass/rows.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template <class T, class Op>
struct ScanJob {
    using Element = T;
    using Operator = Op;
    using Aggregate = T;  ///< of a tile
    using Prefix = T;     ///< of all elements before a tile
    static constexpr T kPadding = Op::template kIdentity<T>;
    static constexpr unsigned kDepth = 3;  ///< tiles that a worker of the pipeline holds

    /// The part of a tile that a warp holds, in registers and in shared memory, until the prefix is
    /// known.
    template <int kRows>
    struct Held {
        Vector<T> rows[kRows];
    };
    template <int>
    struct Staging {};

    const T* in;
    T* out;
    bool is_inclusive;

    /// Whether whole tiles can be moved as vectors.
    bool is_aligned() const { return single_pass::is_aligned(in) && single_pass::is_aligned(out); }

    bool is_in_place(std::size_t n) const { return overlap(in, static_cast<const T*>(out), n); }

    /// The aggregate of the warp's elements. The rows of a lane are not adjacent, so only a
    /// commutative operator may combine the rows of a lane first.
    template <bool kWhole, int kRows>
    __device__ T reduce(const Vector<T> (&rows)[kRows], std::size_t, const Extent&) const {
        T sum = row_sum(rows[0]);
        if constexpr (kIsCommutative<Op>) {
#pragma unroll
            for (int r = 1; r < kRows; ++r) sum = Op()(sum, row_sum(rows[r]));
            return reduce_lanes<Op>(sum);
        } else {
            sum = reduce_lanes<Op>(sum);
#pragma unroll
            for (int r = 1; r < kRows; ++r) sum = Op()(sum, reduce_lanes<Op>(row_sum(rows[r])));
            return sum;
        }
    }

    template <bool kWhole, int kRows>
    __device__ void hold(const Vector<T> (&rows)[kRows], T, std::size_t, const Extent&,
                         Held<kRows>& held, Staging<kRows>&) const {
#pragma unroll
        for (int r = 0; r < kRows; ++r) held.rows[r] = rows[r];
    }

    /// For every row of a lane, the aggregate of the warp's elements before the lane's vector.
    template <int kRows>
    struct Prepared {
        T before[kRows];
    };

    /// The work that can be done before the prefix is known.
    template <int kRows>
    __device__ Prepared<kRows> prepare(const Held<kRows>& held) const {
        T up_to_lane[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) up_to_lane[r] = row_sum(held.rows[r]);
        scan_lanes(up_to_lane, Op());
        Prepared<kRows> prepared;
        T before_row = kPadding;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            T before_lane = __shfl_up_sync(kAllLanes, up_to_lane[r], 1);
            if (threadIdx.x % kLanes == 0) before_lane = kPadding;
            prepared.before[r] = Op()(before_row, before_lane);
            before_row = Op()(before_row, __shfl_sync(kAllLanes, up_to_lane[r], kLanes - 1));
        }
        return prepared;
    }

    /// Writes the warp's results, from `first` on.
    /// @param prefix the aggregate of everything before the warp's elements
    template <bool kWhole, int kRows>
    __device__ void finish(const Held<kRows>& held, const Prepared<kRows>& prepared,
                           std::size_t first, const Extent& extent, T prefix,
                           Staging<kRows>&) const {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            T before = Op()(prefix, prepared.before[r]);
            Vector<T> result;
#pragma unroll
            for (unsigned c = 0; c < kPerVector<T>; ++c) {
                const T up_to = Op()(before, held.rows[r].item[c]);
                result.item[c] = is_inclusive ? up_to : before;
                before = up_to;
            }
            const std::size_t i = first + first_of_lane<T>(r);
            if (kWhole || i < extent.vectors_end) {
                store_vector(out + i, result);
            } else {
#pragma unroll
                for (unsigned c = 0; c < kPerVector<T>; ++c)
                    if (i + c < extent.n) out[i + c] = result.item[c];
            }
        }
    }

    /// Called once, by one thread, with the aggregate of all elements.
    __device__ void end(T) const {}

  private:
    __device__ static T row_sum(const Vector<T>& vector) {
        T sum = vector.item[0];
#pragma unroll
        for (unsigned c = 1; c < kPerVector<T>; ++c) sum = Op()(sum, vector.item[c]);
        return sum;
    }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
