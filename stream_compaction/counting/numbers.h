// Determines which numbers (key values) are in a part of the output, for the kernel that fills it.
#pragma once

#include "stream_compaction/counting/counters.h"

namespace stream_compaction::inline SIMT_BACKEND::counting {

/// Vectors of a part, which a block fills between two barriers.
constexpr unsigned kPartVectors = kThreads * kVectors;

/// Shared memory of `fill`: positions where numbers begin, and marks at these positions. With 256
/// numbers, too few begin in a part to need marks.
constexpr std::size_t kStagedBytes = kThreads * sizeof(unsigned);
template <class Bits>
constexpr std::size_t kMarkBytes = sizeof(Bits) == 1
                                       ? 0
                                       : kPartVectors* kOfVector<Bits> * sizeof(std::uint16_t);
template <class Bits>
constexpr std::size_t kFillBytes = kStagedBytes + kMarkBytes<Bits>;

/// The number at a position of the output: the last one that begins at or before it. Binary search.
template <class Bits, class Offset>
__device__ unsigned number_at(const Offset* begins, Offset place) {
    unsigned low = 0, high = kValues<Bits> - 1;
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if (begins[middle] <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// The same, searched by the whole block in two steps.
template <class Bits, class Offset>
__device__ unsigned find_number_at(const Offset* begins, Offset place) {
    constexpr unsigned kStep = kValues < Bits >> kThreads ? kValues<Bits> / kThreads : 1;
    const unsigned own = threadIdx.x * kStep;
    const bool is_before = own < kValues<Bits> && begins[own] <= place;
    const unsigned low = (static_cast<unsigned>(__syncthreads_count(is_before)) - 1) * kStep;
    const bool is_up_to = threadIdx.x < kStep && begins[low + threadIdx.x] <= place;
    return low + static_cast<unsigned>(__syncthreads_count(is_up_to)) - 1;
}

/// The numbers in a part of the output: the one at its first position, and those that begin after
/// it. If fewer than kThreads begin in the part, their begins are staged in shared memory, and each
/// position searches them. Otherwise each number marks the position where it begins, and a running
/// maximum of the marks gives each position its number. The whole block calls every function except
/// `for_places`.
template <class Bits, class Offset>
class Numbers {
  public:
    static constexpr unsigned kPlaces = kOfVector<Bits>;  ///< positions of a vector

    /// For consecutive parts that begin at an output position.
    __device__ Numbers(const Offset* begins, Offset first)
        : begins_(begins), first_(first), low_(find_number_at<Bits>(begins, first)) {
        if constexpr (kMarkBytes < Bits >> 0)
            for (unsigned i = threadIdx.x; i < kMarkBytes<Bits> / sizeof(uint4); i += kThreads)
                marks_of(i) = uint4{};
    }

    /// Advances to the part from `first` to `end`, which directly follows the previous one.
    __device__ void go_on(Offset first, Offset end) {
        __syncthreads();  // all threads have read the staged begins
        low_ += begun_, first_ = first, marked_ = 0;
        const Offset begin = begin_of(low_ + 1 + threadIdx.x, end);
        if (begin < end) staged()[threadIdx.x] = static_cast<unsigned>(begin - first);
        begun_ = static_cast<unsigned>(__syncthreads_count(begin < end));
        are_many_ = begun_ == kThreads;
        if (are_many_) begun_ = mark(end);
    }

    __device__ bool is_one() const { return begun_ == 0; }
    __device__ unsigned first() const { return low_; }
    __device__ bool are_many() const { return are_many_; }

    /// Calls f(k, number) for the positions of the part's i-th vector, if few numbers begin in the
    /// part.
    template <class F>
    __device__ void for_places(unsigned i, F f) const {
        const unsigned at = i * kPlaces;
        unsigned begun = staged_up_to(at), next = place_behind(begun);
        if (next >= at + kPlaces) {
#pragma unroll
            for (unsigned k = 0; k < kPlaces; ++k) f(k, low_ + begun);
            return;
        }
        // Hundreds of numbers that do not occur may begin at one position.
#pragma unroll
        for (unsigned k = 0; k < kPlaces; ++k) {
            if (next <= at + k) {
                begun = staged_up_to(at + k);
                next = place_behind(begun);
            }
            f(k, low_ + begun);
        }
    }

    /// The same if many numbers begin in the part, for one vector per thread: called once for each
    /// vector, in ascending order.
    template <class F>
    __device__ void for_marked_places(unsigned i, F f) {
        constexpr unsigned kWords = sizeof(uint4) / sizeof(unsigned);
        static_assert(kPlaces == 2 * kWords || kMarkBytes<Bits> == 0);
        const uint4 marks = marks_of(i);
        marks_of(i) = uint4{};  // for the next part
        const unsigned word[kWords] = {marks.x, marks.y, marks.z, marks.w};
        unsigned up_to[2 * kWords];
#pragma unroll
        for (unsigned k = 0; k < 2 * kWords; ++k)
            up_to[k] = max(k == 0 ? 0 : up_to[k - 1], word[k / 2] >> k % 2 * 16 & 0xffff);
        const unsigned before = marked_before(up_to[2 * kWords - 1]);
#pragma unroll
        for (unsigned k = 0; k < 2 * kWords; ++k) f(k, low_ + max(before, up_to[k]));
    }

  private:
    static __device__ unsigned* staged() { return simt::dynamic_shared<unsigned>(); }
    static __device__ std::uint16_t* marks() {
        return reinterpret_cast<std::uint16_t*>(staged() + kThreads);
    }
    static __device__ uint4& marks_of(unsigned vector) {
        return reinterpret_cast<uint4*>(marks())[vector];
    }

    __device__ Offset begin_of(unsigned number, Offset end) const {
        return number < kValues<Bits> ? begins_[number] : end;
    }
    /// Writes marks: at the position where a number that occurs begins, how much larger the number
    /// is than the part's first one. Returns how many numbers begin before `end`.
    __device__ unsigned mark(Offset end) {
        constexpr unsigned kAtOnce = 16 / sizeof(Offset);  // so that their latencies overlap
        unsigned begun = 0;
        for (unsigned in = kThreads; in == kThreads;) {
            const unsigned from = 1 + begun + threadIdx.x;
            Offset begin[kAtOnce], next[kAtOnce];
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                begin[k] = begin_of(low_ + from + k * kThreads, end);
                next[k] = begin_of(low_ + from + k * kThreads + 1, end);
            }
#pragma unroll
            for (unsigned k = 0; k < kAtOnce; ++k) {
                if (begin[k] < end && begin[k] < next[k])
                    marks()[begin[k] - first_] = static_cast<std::uint16_t>(from + k * kThreads);
                in = static_cast<unsigned>(__syncthreads_count(begin[k] < end));
                begun += in;
            }
        }
        return begun;
    }
    /// The largest mark of the part before the thread's vector, given the largest mark of the
    /// vector.
    __device__ unsigned marked_before(unsigned own) {
        __shared__ unsigned of_warps[kLanes];
        const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
        const auto greater = [](unsigned a, unsigned b) { return max(a, b); };
        unsigned up_to[] = {own};
        scan_lanes(up_to, greater);
        if (lane == kLanes - 1) of_warps[warp] = up_to[0];
        __syncthreads();
        const unsigned of_warp = of_warps[lane];
        const unsigned before_warp = max_of_lanes(lane < warp ? of_warp : 0);
        const unsigned before_lane = __shfl_up_sync(kAllLanes, up_to[0], 1);
        const unsigned before = max(marked_, max(before_warp, lane == 0 ? 0 : before_lane));
        marked_ = max(marked_, max_of_lanes(of_warp));
        __syncthreads();  // all threads have read of_warps
        return before;
    }
    /// The position where the next number begins.
    __device__ unsigned place_behind(unsigned begun) const {
        return begun < begun_ ? staged()[begun] : ~0u;
    }
    /// How many numbers begin at or before a position, not counting the part's first one.
    __device__ unsigned staged_up_to(unsigned place) const {
        unsigned low = 0, high = begun_;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (staged()[middle] <= place)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const Offset* begins_;
    Offset first_;
    unsigned low_, begun_ = 0;
    unsigned marked_ = 0;  // the largest mark so far
    bool are_many_ = false;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
