// Chooses the sizes and launches of the single-pass kernels.
#pragma once

#include "simt/device.h"
#include "simt/kernel.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/single_pass/one_wave.h"
#include "stream_compaction/single_pass/pipelined.h"
#include "stream_compaction/single_pass/plain.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template <class Job>
using PipelineOf = Pipeline<Job, 24, 3>;

/// The device, with the compute capability that the kernels were compiled for if that is lower.
template <class Job>
simt::DeviceProperties device_for() {
    simt::DeviceProperties device = simt::device_properties();
    device.compute_capability =
        std::min(device.compute_capability, simt::compute_capability_of(plain<Job, kFewRows<Job>>));
    return device;
}

/// Whether the plan's next call starts while the current call ends, which the GPU must support.
inline bool starts_early(const simt::DeviceProperties& device) {
    return device.compute_capability >= 90;
}

/// Whether a job's tiles can be loaded by bulk copies.
template <class Job>
inline bool can_pipeline(const simt::DeviceProperties& device) {
    if constexpr (!kFillsVectors<typename Job::Element>)
        return false;
    else
        return device.compute_capability >= 90 &&
               sizeof(typename PipelineOf<Job>::Shared) <= device.shared_bytes_per_block;
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
            .is_short = false,
            .tickets = {workspace.tickets(), tiles + draws_beyond},
            .aggregates = workspace.aggregates()};
}

template <int kRows, class Job>
simt::LaunchConfig config_for(unsigned blocks, unsigned warps, simt::stream_t stream,
                              const simt::DeviceProperties& device) {
    return {blocks, warps * kLanes, warps * sizeof(typename Job::template Staging<kRows>),
            stream, false,          starts_early(device)};
}

template <int kRows, class Job, class Size>
void launch_one_wave(const Job& job, std::size_t n, Size size, unsigned warps,
                     const simt::DeviceProperties& device, Workspace& workspace,
                     simt::stream_t stream) {
    const std::size_t tile = std::size_t{warps} * kWarpPart<Job, kRows>;
    const unsigned blocks = blocks_for(n, tile);
    const auto config = config_for<kRows, Job>(blocks, warps, stream, device);
    const bool by_ticket = blocks > 1 && job.is_in_place(n);
    const auto launch = make_launch(job, n, tile, 0, workspace);
    if constexpr (std::is_same_v<Size, HostSize>)
        simt::launch(one_wave<Job, kRows>, config, launch, by_ticket);
    else
        simt::launch(one_wave_of_device_size<Job, kRows>, config, launch, by_ticket, size);
}

template <int kRows, class Job, class Size>
void launch_plain(const Job& job, std::size_t n, Size size, unsigned warps, unsigned most_blocks,
                  const simt::DeviceProperties& device, Workspace& workspace,
                  simt::stream_t stream) {
    const std::size_t tile = std::size_t{warps} * kWarpPart<Job, kRows>;
    const unsigned blocks = std::min(blocks_for(n, tile), most_blocks);
    const auto config = config_for<kRows, Job>(blocks, warps, stream, device);
    const auto launch = make_launch(job, n, tile, blocks, workspace);
    if constexpr (std::is_same_v<Size, HostSize>)
        simt::launch(plain<Job, kRows>, config, launch);
    else
        simt::launch(plain_of_device_size<Job, kRows>, config, launch, size);
}

/// Launches one wave of kRows if every multiprocessor has room for all its tiles. Returns whether
/// it did.
template <int kRows, class Job, class Size>
bool launch_large_wave(const Job& job, std::size_t n, Size size,
                       const simt::DeviceProperties& device, Workspace& workspace,
                       simt::stream_t stream) {
    const auto multiprocessors = static_cast<unsigned>(device.multiprocessors);
    const unsigned tiles = blocks_for(n, kMostWarps * std::size_t{kWarpPart<Job, kRows>});
    if (tiles > std::min(kBlocks<Job, kRows> * multiprocessors, kMostTilesOfWave)) return false;
    launch_one_wave<kRows>(job, n, size, kMostWarps, device, workspace, stream);
    return true;
}

template <class Job, class Size>
void launch_pipelined(const Job& job, std::size_t n, Size size, unsigned most_blocks,
                      const simt::DeviceProperties& device, Workspace& workspace,
                      simt::stream_t stream) {
    // A second looker halves the time until prefixes arrive, but each looker reads as many words as
    // a single one would. That pays only while blocks have few tiles.
    constexpr unsigned kFewTiles = 8;
    using Pipe = PipelineOf<Job>;
    const unsigned blocks = std::min(blocks_for(n, Pipe::kTile), most_blocks);
    auto launch = make_launch(job, n, Pipe::kTile, blocks, workspace);
    if (launch.tiles <= kFewTiles * blocks) launch.lookers = Pipe::kLookers;
    launch.is_short = n * sizeof(typename Job::Element) <= device.l2_bytes;
    const simt::LaunchConfig config = {blocks, Pipe::kThreads, sizeof(typename Pipe::Shared),
                                       stream, false,          starts_early(device)};
    if constexpr (std::is_same_v<Size, HostSize>)
        simt::launch(pipelined<Job, Pipe>, config, launch);
    else
        simt::launch(pipelined_of_device_size<Job, Pipe>, config, launch, size);
}

/// Enqueues the fastest kernel for n (the largest possible n if `size` is on the device). If every
/// multiprocessor gets at most one small tile, latency dominates: one wave of small tiles. Then one
/// wave of larger tiles, at most two per multiprocessor, as long as their warps have enough
/// registers. Then the pipeline.
template <class Job, class Size = HostSize>
void enqueue(const Job& job, std::size_t n, Path path, const simt::DeviceProperties& device,
             Workspace& workspace, simt::stream_t stream, Size size = {}) {
    require_capacity(workspace.capacity(), n);
    const auto multiprocessors = static_cast<unsigned>(device.multiprocessors);
    constexpr int kFew = kFewRows<Job>, kMany = kManyRows<Job>;
    constexpr unsigned kOfMultiprocessor = kBlocks<Job, kMany>;

    // Smaller GPUs have room for half as many staging areas.
    unsigned most_warps = kMostWarps;
    if (!simt::has_shared_memory_for(device, kOfMultiprocessor,
                                     kMostWarps * sizeof(typename Job::template Staging<kMany>)))
        most_warps /= 2;

    if (path != Path::pipelined) {
        const auto fits = [&](unsigned warps, unsigned tiles) {
            return blocks_for(n, warps * std::size_t{kWarpPart<Job, kFew>}) <= tiles;
        };
        const auto launch_few = [&](unsigned warps) {
            launch_one_wave<kFew>(job, n, size, warps, device, workspace, stream);
        };
        for (const unsigned warps : {4u, 8u, 16u})
            if (fits(warps, 1)) return launch_few(warps);
        const unsigned warps = fits(4, multiprocessors / 16)  ? 4
                               : fits(8, multiprocessors / 2) ? 8
                                                              : 16;
        if (fits(warps, std::min(multiprocessors, kMostTilesOfWave))) return launch_few(warps);
    }
    if constexpr (kFillsVectors<typename Job::Element>) {
        if (path != Path::plain && can_pipeline<Job>(device) && job.is_aligned()) {
            if (path != Path::pipelined &&
                (launch_large_wave<2 * kFew>(job, n, size, device, workspace, stream) ||
                 launch_large_wave<3 * kFew>(job, n, size, device, workspace, stream)))
                return;
            return launch_pipelined(job, n, size, multiprocessors, device, workspace, stream);
        }
    }
    launch_plain<kMany>(job, n, size, most_warps, kOfMultiprocessor * multiprocessors, device,
                        workspace, stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
