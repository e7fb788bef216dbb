// The data that all blocks of a launch share. A job (ScanJob or CompactJob) defines what is done
// with a tile.
#pragma once

#include "simt/kernel.h"
#include "stream_compaction/parts/size_on_device.h"
#include "stream_compaction/single_pass/look_back.h"
#include "stream_compaction/single_pass/rows.h"

#include <cstddef>
#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// The data that all blocks of a launch share.
template <class Job>
struct Launch {
    Job job;
    Extent extent;
    unsigned tiles;
    unsigned lookers;  ///< in the pipeline: warps that look back, in turn
    bool is_short;     ///< in the pipeline: the input fits in the L2
    Tickets tickets;
    std::uint64_t* aggregates;
};

/// Prefetches the line of a tile's words into the L2 before they are written: reading a word of a
/// line that is not there costs an access to DRAM.
template <class Job>
__device__ void prefetch_word(const Launch<Job>& launch, unsigned tile) {
    simt::prefetch(launch.aggregates + tile * kWordsOfTile<typename Job::Aggregate>);
}

/// Adapts a launch for the plan's capacity to the actual n. All threads call it.
/// @param draws_of_tile how often blocks draw a ticket per tile, in addition to once per block
template <class Job>
__device__ void fit(Launch<Job>& launch, const DeviceSize& size, std::size_t tile,
                    unsigned draws_of_tile) {
    const std::size_t n = read_size(size, launch.extent.n);
    const bool has_vectors = launch.extent.vectors_end > 0;
    launch.extent = {n, has_vectors ? n - n % kPerVector<typename Job::Element> : 0};
    launch.tiles = static_cast<unsigned>(n / tile + (n % tile != 0));
    launch.tickets.draws = draws_of_tile * launch.tiles + gridDim.x;
    using Prefix = typename Job::Prefix;
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0)
        launch.job.end(Job::Operator::template kIdentity<Prefix>);
}

template <class Job, int kBatchWords>
using LookBackOf =
    LookBack<typename Job::Operator, typename Job::Aggregate, typename Job::Prefix, kBatchWords>;

template <class Job>
using VectorOf = Vector<typename Job::Element>;

// ---- Blocks that load a tile into their registers -----------------------------------------------

inline constexpr unsigned kMostWarps = 16;

/// The rows of a warp: few rows keep 32 bytes of every lane in registers, many rows four times as
/// much.
template <class Job>
inline constexpr int kFewRows = sizeof(VectorOf<Job>) < 32 ? 2 : 1;
template <class Job>
inline constexpr int kManyRows = sizeof(VectorOf<Job>) < 32 ? 8
                                                            : (sizeof(VectorOf<Job>) < 64 ? 4 : 2);

/// The number of blocks that a multiprocessor must have room for.
template <class Job, int kRows>
inline constexpr int kBlocks = kRows > kFewRows<Job> ? 2 : 1;

/// The number of elements of a warp.
template <class Job, int kRows>
inline constexpr unsigned kWarpPart = kRows* kRow<typename Job::Element>;

/// A warp's part of a tile: loads its rows, and returns their aggregate.
template <bool kWhole, class Job, int kRows>
__device__ typename Job::Aggregate load_and_reduce(const Job& job, std::size_t first,
                                                   const Extent& extent,
                                                   VectorOf<Job> (&rows)[kRows]) {
    const auto vector_at = [&](int row) {
        return load_vector(job.in + first + first_of_lane<typename Job::Element>(row));
    };
    load_rows<kWhole>(vector_at, job.in, first, extent, Job::kPadding, rows);
    return job.template reduce<kWhole>(rows, first, extent);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
