// The layout of a warp's part of a tile: rows, of which every lane holds one 16-byte vector. A row
// is thus loaded, stored, and read from shared memory by one instruction without bank conflicts,
// and scanned in five shuffles.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/single_pass/lanes.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// Whether elements fill 16 bytes exactly. Others are processed one by one.
template <class T>
inline constexpr bool kFillsVectors = 16 % sizeof(T) == 0;
template <class T>
inline constexpr unsigned kPerVector = kFillsVectors<T> ? 16 / sizeof(T) : 1;

template <class T>
struct alignas(kFillsVectors<T> ? 16 : alignof(T)) Vector {
    T item[kPerVector<T>];
};

/// Elements per row.
template <class T>
inline constexpr unsigned kRow = unsigned{kPerVector<T>} * kLanes;

/// Whether vectors can be loaded from and stored to this address.
template <class T>
bool is_aligned(const T* address) {
    return reinterpret_cast<std::uintptr_t>(address) % alignof(Vector<T>) == 0;
}

/// Whether arrays of n elements have elements in common.
template <class T>
bool overlap(const T* a, const T* b, std::size_t n) {
    const std::less<> before;
    return before(a, b + n) && before(b, a + n);
}

/// The index of the lane's first element of a row, relative to the warp's first element.
template <class T>
__device__ unsigned first_of_lane(int row) {
    return static_cast<unsigned>(row) * kRow<T> + threadIdx.x % kLanes * kPerVector<T>;
}

/// Loads and stores of data that is used once. Without the hint, results evict the input from the
/// L2, which costs 40 % of the speed on an H200.
template <class T>
__device__ Vector<T> load_vector(const T* aligned) {
    if constexpr (kFillsVectors<T>)
        return __builtin_bit_cast(Vector<T>, __ldcs(reinterpret_cast<const int4*>(aligned)));
    else
        return {*aligned};
}
template <class T>
__device__ void store_vector(T* aligned, const Vector<T>& vector) {
    __stcs(reinterpret_cast<int4*>(aligned), __builtin_bit_cast(int4, vector));
}
template <class T>
__device__ void store_element(T* to, const T& element) {
    if constexpr (sizeof(T) == 4 && alignof(T) == 4)
        __stcs(reinterpret_cast<unsigned*>(to), __builtin_bit_cast(unsigned, element));
    else if constexpr (sizeof(T) == 8 && alignof(T) == 8)
        __stcs(reinterpret_cast<unsigned long long*>(to),
               __builtin_bit_cast(unsigned long long, element));
    else
        *to = element;
}

/// The end of an array, and the end of its last whole vector; 0 if vectors cannot be used.
struct Extent {
    std::size_t n, vectors_end;
};

/// Loads the warp's elements from `first` on.
/// @param vector_at returns the lane's vector of a row that is whole
/// @tparam kWhole   all vectors are whole; otherwise elements from n on are `padding`
template <bool kWhole, class T, int kRows, class VectorAt>
__device__ void load_rows(VectorAt vector_at, const T* in, std::size_t first, const Extent& extent,
                          T padding, Vector<T> (&rows)[kRows]) {
    if constexpr (kWhole) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) rows[r] = vector_at(r);
    } else if (extent.vectors_end == 0) {
#pragma unroll
        for (int r = 0; r < kRows; ++r)
#pragma unroll
            for (unsigned c = 0; c < kPerVector<T>; ++c) {
                const std::size_t i = first + first_of_lane<T>(r) + c;
                rows[r].item[c] = i < extent.n ? in[i] : padding;
            }
    } else {
        // Less than a vector follows the last whole vector. The lane of that vector loads it at the
        // same time.
        const std::size_t to_rest = extent.vectors_end - first;
        const bool has_rest =
            to_rest < kRows * kRow<T> && to_rest / kPerVector<T> % kLanes == threadIdx.x % kLanes;
        Vector<T> rest;
#pragma unroll
        for (unsigned c = 0; c < kPerVector<T>; ++c) {
            const std::size_t i = extent.vectors_end + c;
            rest.item[c] = has_rest && i < extent.n ? in[i] : padding;
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const std::size_t i = first + first_of_lane<T>(r);
            if (i < extent.vectors_end) {
                rows[r] = vector_at(r);
            } else {
#pragma unroll
                for (unsigned c = 0; c < kPerVector<T>; ++c)
                    rows[r].item[c] = i == extent.vectors_end ? rest.item[c] : padding;
            }
        }
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
