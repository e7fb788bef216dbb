// A stable least-significant-digit sort, as device functions for the blocks of one cooperative
// launch. One read of the keys counts the digits of all passes; then each pass reads and writes
// keys and values once. Digits that all keys share need no pass. If each block has one tile, keys
// without values are not read again for the first pass.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022. Here all blocks are resident, so tiles are assigned in turn, and the words of the look-back
// are a ring whose size does not grow with n.
#pragma once

#include "stream_compaction/onesweep/histogram.h"
#include "stream_compaction/onesweep/sort_by_digit.h"
#include "stream_compaction/parts/grid_barrier.h"
#include "stream_compaction/parts/size_on_device.h"

#include <algorithm>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::onesweep {

/// Copies an array, by the job's blocks, like the other functions here.
template <class T, class Offset>
__device__ void copy_array(const T* from, T* to, Offset n, unsigned block, unsigned blocks) {
    const Offset step = Offset{blocks} * kThreads;
    for (Offset i = Offset{block} * kThreads + threadIdx.x; i < n; i += step) to[i] = from[i];
}

/// Like copy_array, for an array in which each item is its own index.
template <class T, class Offset>
__device__ void store_indices(T* to, Offset n, unsigned block, unsigned blocks) {
    const Offset step = Offset{blocks} * kThreads;
    for (Offset i = Offset{block} * kThreads + threadIdx.x; i < n; i += step)
        to[i] = static_cast<T>(i);
}

__device__ inline void clear_rows(unsigned* rows, unsigned count, unsigned block, unsigned blocks) {
    for (unsigned i = block * kThreads + threadIdx.x; i < count * kDigits; i += blocks * kThreads)
        rows[i] = 0;
}

/// Sets the fields that are the same in all passes of a job, and those of its first pass.
template <class Shape, class Offset>
__device__ void describe(Pass<Shape, Offset>& pass, const Job<Shape, Offset>& job,
                         KeyMap<typename Shape::Bits> map) {
    pass.from = job.in;
    pass.n = job.n;
    pass.histograms = job.shared.histograms;
    pass.map = map;
    pass.compared = job.compared;
    pass.rows = job.shared.rows;
    pass.cohorts = job.shared.cohorts;
    pass.blocks = job.blocks;
    pass.block = blockIdx.x;
    pass.cohort = job.cohort;
    pass.groups = job.groups;
    pass.first_lap = 1;
    pass.enters = true;
    pass.is_in_any_order = kMayReorder<Shape> && job.compared.is_whole();
}

/// A pass cannot write the array that it reads: if the first pass would do that, copies the input,
/// and `from` becomes the copy. If no pass is needed, the copy is the result.
/// @param is_read whether the first pass has already read all keys
template <class Shape, class Offset>
__device__ void copy_what_passes_overwrite(const Job<Shape, Offset>& job, unsigned block,
                                           unsigned passes, bool is_read,
                                           const typename Shape::Bits*& from,
                                           const typename Shape::Value*& values_from) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const bool copies =
        passes == 0 ? job.in != job.out : passes % 2 == 1 && job.in == job.out && !is_read;
    if (copies) {
        Bits* const copy = passes == 0 ? job.out : job.spare;
        copy_array(job.in, copy, job.n, block, job.blocks);
        from = copy;
    }
    if constexpr (kValueBytes<Value> != 0) {
        const bool copies_values = passes == 0 ? job.values_in != job.values_out
                                               : passes % 2 == 1 && job.values_in == job.values_out;
        if (copies_values) {
            Value* const copy = passes == 0 ? job.values_out : job.values_spare;
            if (job.values_in == nullptr)
                store_indices(copy, job.n, block, job.blocks);
            else
                copy_array(job.values_in, copy, job.n, block, job.blocks);
            values_from = copy;
        }
    }
}

/// Sorts by the job's blocks, which are the first blocks of the launch; the other blocks do
/// nothing.
template <class Shape, class Offset>
__device__ void sort_by_passes(const Job<Shape, Offset>& job, KeyMap<typename Shape::Bits> map,
                               GridBarrier& barrier) {
    using Bits = typename Shape::Bits;
    using Value = typename Shape::Value;
    const unsigned block = blockIdx.x, blocks = job.blocks;
    if (block >= blocks) return;
    const Shared<Offset>& shared = job.shared;
    const unsigned rows = kRounds * blocks;
    clear_rows(shared.rows, rows, block, blocks);
    clear_rows(shared.cohorts, rows / job.cohort, block, blocks);

    Pass<Shape, Offset>& pass = current_pass<Shape, Offset>();
    if (threadIdx.x == 0) describe(pass, job, map);
    __syncthreads();
    count_digits<Shape, Offset>();
    barrier.arrive_and_wait([&] { scan_histograms<Bits>(shared, job.n); }, blocks, block);

    unsigned passes = 0;
    for (unsigned p = 0; p < kPositions<Bits>; ++p) passes += shared.varies[p];

    const Bits* from = job.in;
    const Value* values_from = job.values_in;
    const bool is_staged = kStagesFirst<Shape> && job.compared.is_whole() && shared.varies[0] != 0;
    copy_what_passes_overwrite(job, block, passes, is_staged, from, values_from);
    if (passes == 0) return;
    if (from != job.in || values_from != job.values_in) barrier.arrive_and_wait(blocks, block);

    if (threadIdx.x == 0) {
        pass.from = from, pass.values_from = values_from;
        pass.is_staged = is_staged;
    }
    const Offset keys_of_tile = Shape::tile_keys(job.groups);
    const auto tiles = static_cast<unsigned>((job.n + keys_of_tile - 1) / keys_of_tile);
    for (unsigned p = 0; p < kPositions<Bits>; ++p) {
        if (shared.varies[p] == 0) continue;
        --passes;
        if (threadIdx.x == 0) {
            pass.to = passes % 2 == 0 ? job.out : job.spare;
            pass.values_to = passes % 2 == 0 ? job.values_out : job.values_spare;
            pass.leaves = passes == 0;
            pass.shift = job.compared.low + p * kDigitBits;
            const unsigned bits = 8 * sizeof(Bits) - job.compared.high - pass.shift;
            pass.digit_mask = bits < kDigitBits ? (1u << bits) - 1 : kDigits - 1;
            pass.ordered = bits_outside<Bits>(pass.shift, job.compared);
            pass.begins = shared.begins + p * kDigits;
        }
        __syncthreads();
        sort_by_digit<Shape, Offset>();
        if (passes == 0) return;
        barrier.arrive_and_wait(blocks, block);
        if (threadIdx.x == 0) {
            pass.enters = pass.is_staged = pass.is_in_any_order = false;
            pass.first_lap += (tiles + rows - 1) / rows;
            pass.from = pass.to;
            pass.values_from = pass.values_to;
        }
    }
}

/// Copies the job to shared memory, for the number of keys in device memory, which may be 0. `most`
/// is the job for the largest possible number. All threads call it.
template <class Shape>
__device__ const Job<Shape, unsigned>& own_job(const Job<Shape, unsigned>& most,
                                               const DeviceSize& size) {
    static_assert(std::is_trivially_default_constructible_v<Job<Shape, unsigned>>);
    __shared__ Job<Shape, unsigned> job;
    if (threadIdx.x == 0) {
        job = most;
        job.n = static_cast<unsigned>(read_size(size, most.n));
        if (job.n > 0) job.choose_tiles(gridDim.x);
    }
    __syncthreads();
    return job;
}

template <class Shape, class Offset>
constexpr std::size_t kPassBytes = std::max(PassMemory<Shape, Offset>::kBytes, Shape::kCountBytes);

}  // namespace stream_compaction::inline SIMT_BACKEND::onesweep
