// Sizes and launches of the single-pass kernels.
#pragma once

#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/single_pass/kernels.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// For arrays of a few tiles per multiprocessor, and for larger ones.
template <class Job>
using ShortPipeline = Pipeline<Job, 16, 4>;
template <class Job>
using LongPipeline = Pipeline<Job, 24, 3>;

/// The device, as far as the kernels were compiled for it.
template <class Job>
simt::DeviceProperties device_for() {
    simt::DeviceProperties device = simt::device_properties();
    device.compute_capability =
        std::min(device.compute_capability, simt::compute_capability_of(plain<Job, kFewRows<Job>>));
    return device;
}

/// The next call of the plan starts while this one ends, where the GPU can do that.
inline bool starts_early(const simt::DeviceProperties& device) {
    return device.compute_capability >= 90;
}

/// Whether a job's tiles can come by bulk copies.
template <class Job>
inline bool can_pipeline(const simt::DeviceProperties& device) {
    if constexpr (!kFillsVectors<typename Job::Element>)
        return false;
    else
        return device.compute_capability >= 90 &&
               sizeof(typename LongPipeline<Job>::Shared) <= device.shared_bytes_per_block;
}

template <class Job>
void require_path(Path path, const simt::DeviceProperties& device) {
    if (path == Path::pipelined && !can_pipeline<Job>(device))
        throw std::invalid_argument(
            "the pipelined path needs compute capability 9.0, and elements "
            "of 4, 8 or 16 bytes");
}

template <class Job>
Launch<Job> make_launch(const Job& job, std::size_t n, std::size_t tile, unsigned draws_beyond,
                        Workspace& workspace) {
    const unsigned tiles = blocks_for(n, tile);
    return {.job = job,
            .extent = {n, job.is_aligned() ? n - n % kPerVector<typename Job::Element> : 0},
            .tiles = tiles,
            .lookers = 1,
            .tickets = {workspace.tickets(), tiles + draws_beyond},
            .aggregates = workspace.aggregates()};
}

template <int kRows, class Job, class Size>
void launch_plain(const Job& job, std::size_t n, Size size, unsigned warps, unsigned most_blocks,
                  const simt::DeviceProperties& device, Workspace& workspace,
                  simt::stream_t stream) {
    const std::size_t tile = std::size_t{warps} * kRows * kRow<typename Job::Element>;
    const unsigned tiles = blocks_for(n, tile), blocks = std::min(tiles, most_blocks);
    const bool is_one_wave = blocks == tiles;
    const simt::LaunchConfig config = {
        blocks, warps * kLanes, warps * sizeof(typename Job::template Staging<kRows>),
        stream, false,          starts_early(device)};
    const auto launch = make_launch(job, n, tile, is_one_wave ? 0 : blocks, workspace);
    if constexpr (std::is_same_v<Size, HostSize>)
        simt::launch(plain<Job, kRows>, config, launch, is_one_wave);
    else
        simt::launch(plain_of_device_size<Job, kRows>, config, launch, size);
}

template <class Pipe, class Job, class Size>
void launch_pipelined(const Job& job, std::size_t n, Size size, unsigned most_blocks,
                      const simt::DeviceProperties& device, Workspace& workspace,
                      simt::stream_t stream) {
    // A second looker halves the time that prefixes take, but each reads as many words as one alone
    // would: that pays while blocks have few tiles.
    constexpr unsigned kFewTiles = 8;
    const unsigned blocks = std::min(blocks_for(n, Pipe::kTile), most_blocks);
    auto launch = make_launch(job, n, Pipe::kTile, blocks, workspace);
    if (launch.tiles <= kFewTiles * blocks) launch.lookers = Pipe::kLookers;
    const simt::LaunchConfig config = {blocks, Pipe::kThreads, sizeof(typename Pipe::Shared),
                                       stream, false,          starts_early(device)};
    if constexpr (std::is_same_v<Size, HostSize>)
        simt::launch(pipelined<Job, Pipe>, config, launch);
    else
        simt::launch(pipelined_of_device_size<Job, Pipe>, config, launch, size);
}

/// Enqueues the kernel that suits n, the most that there can be where `size` is on the device:
/// small tiles while every multiprocessor gets at most half a tile or one, since then the latency
/// of a tile is all that counts; then the pipeline.
template <class Job, class Size = HostSize>
void enqueue(const Job& job, std::size_t n, Path path, const simt::DeviceProperties& device,
             Workspace& workspace, simt::stream_t stream, Size size = {}) {
    require_capacity(workspace.capacity(), n);
    const auto multiprocessors = static_cast<unsigned>(device.multiprocessors);
    constexpr int kFew = kFewRows<Job>, kMany = kManyRows<Job>;
    constexpr std::size_t kWarpPart = kFew * kRow<typename Job::Element>;

    if (path != Path::pipelined) {
        const auto fits = [&](unsigned warps, unsigned tiles) {
            return blocks_for(n, warps * kWarpPart) <= tiles;
        };
        for (const unsigned warps : {4u, 8u, 16u})
            if (fits(warps, 1))
                return launch_plain<kFew>(job, n, size, warps, 1, device, workspace, stream);
        const unsigned warps = fits(4, multiprocessors / 16)  ? 4
                               : fits(8, multiprocessors / 2) ? 8
                                                              : 16;
        if (fits(warps, multiprocessors))
            return launch_plain<kFew>(job, n, size, warps, multiprocessors, device, workspace,
                                      stream);
    }
    if constexpr (kFillsVectors<typename Job::Element>) {
        if (path != Path::plain && can_pipeline<Job>(device) && job.is_aligned()) {
            if (blocks_for(n, ShortPipeline<Job>::kTile) <= 2 * multiprocessors)
                return launch_pipelined<ShortPipeline<Job>>(job, n, size, multiprocessors, device,
                                                            workspace, stream);
            return launch_pipelined<LongPipeline<Job>>(job, n, size, multiprocessors, device,
                                                       workspace, stream);
        }
    }
    unsigned warps = kMostPlainWarps;  // smaller GPUs have room for the staging of half as many
    constexpr unsigned kBlocks = 2;
    if (!simt::has_shared_memory_for(device, kBlocks,
                                     warps * sizeof(typename Job::template Staging<kMany>)))
        warps /= 2;
    launch_plain<kMany>(job, n, size, warps, kBlocks * multiprocessors, device, workspace, stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
