#include "simt/checked_size.h"
#include "simt/memory.h"
#include "stream_compaction/hybrid_radix.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/pipeline.h"
#include "stream_compaction/streamed.h"
#include "stream_compaction/streamed/cut.h"
#include "stream_compaction/streamed/host_plan.h"
#include "stream_compaction/streamed/sizes.h"
#include "stream_compaction/transfer_watch.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::streamed {
namespace {

/// How the keys are moved to the device: all at once, or batch by batch.
struct Batches {
    std::size_t keys;     ///< maximum per batch
    std::size_t buffers;  ///< batches on the device at once: one is sorted while others are copied
};

Batches batches_of(std::size_t n, std::size_t keys) { return {keys, keys < n ? 2u : 1u}; }

/// @throws simt::OutOfMemory
std::size_t bytes_of(const Batches& batches) {
    const std::size_t buffer = simt::checked_product(batches.keys, sizeof(int));
    return simt::checked_sum(simt::checked_product(batches.buffers, buffer),
                             hybrid_radix::Sort<int>::workspace_bytes(batches.keys));
}

/// The minimum size of a batch. In a smaller batch, the parts of the runs would be too small to be
/// worth a copy each.
std::size_t least_keys(std::size_t n) {
    constexpr std::size_t kLeastBatch = 4096, kLeastPart = 1024;
    const auto root = static_cast<std::size_t>(
        std::sqrt(static_cast<double>(kLeastPart) * static_cast<double>(n)));
    return std::min(n, round_up(std::max(kLeastBatch, root)));
}

Batches least_batches(std::size_t n) {
    const Batches all = batches_of(n, n), few = batches_of(n, least_keys(n));
    return bytes_of(all) <= bytes_of(few) ? all : few;
}

/// The largest batches that fit in the memory, all of the same size.
Batches batches_for(std::size_t n, std::size_t max_device_bytes) {
    const Batches all = batches_of(n, n), least = least_batches(n);
    if (least.keys == n || bytes_of(all) <= max_device_bytes) return all;
    const auto at_most = [&](std::size_t keys) {
        return std::max(least.keys, keys / kAligned * kAligned);
    };
    std::size_t keys = at_most(std::min(n - 1, max_device_bytes / (3 * sizeof(int))));
    while (keys > least.keys && bytes_of(batches_of(n, keys)) > max_device_bytes)
        keys = at_most(keys - keys / 32 - 1);
    return batches_of(n, std::max(least.keys, round_up(ceil_div(n, ceil_div(n, keys)))));
}

}  // namespace

template <>
struct HostPlan<Operation::sort>::Machinery {
    static std::size_t least_bytes(std::size_t n) { return bytes_of(least_batches(n)); }

    Machinery(std::size_t n, const Limits& limits)
        : limits(limits),
          batches(batches_for(n, limits.max_device_bytes)),
          piece(piece_for(n, limits)),
          keys(batches.buffers * batches.keys),
          sort(batches.keys),
          runs(batches.keys < n ? std::make_unique_for_overwrite<int[]>(n) : nullptr),
          pipeline(limits.threads, piece, buffers_for(n, piece)) {
        for (std::size_t i = 0; i < ceil_div(n, batches.keys); ++i)
            sorted.push_back(simt::Event::without_time());
    }

    using Keys = std::span<const int>;

    /// Copies batches up, sorts them, and copies them down.
    /// @param sources the arrays that a batch is assembled from
    template <class Sources>
    void sort_batches(std::size_t n, Sources sources, int* out);

    /// Sorts the keys from the host into `out`: all of them, or run by run.
    void sort_runs(Keys in, int* out) {
        sort_batches(
            in.size(), [&](std::size_t i) { return std::vector<Keys>{batch_of(in, i)}; }, out);
    }
    /// Merges the sorted runs, range by range.
    void merge(Keys sorted_runs, int* out);

    Keys batch_of(Keys all, std::size_t i) const {
        const std::size_t first = i * batches.keys;
        return all.subspan(first, std::min(batches.keys, all.size() - first));
    }

    Limits limits;
    Batches batches;
    std::size_t piece;
    simt::DeviceArray<int> keys;
    hybrid_radix::Sort<int> sort;
    std::unique_ptr<int[]> runs;      // all keys if they do not fit; the copiers touch them first
    std::vector<simt::Event> sorted;  // for each batch
    Pipeline pipeline;
};

template <class Sources>
void HostPlan<Operation::sort>::Machinery::sort_batches(std::size_t n, Sources sources, int* out) {
    const std::size_t step = std::min(piece, piece_for(n, limits));
    const std::size_t count = ceil_div(n, batches.keys);
    const auto size = [&](std::size_t i) { return std::min(batches.keys, n - i * batches.keys); };
    const auto buffer = [&](std::size_t i) {
        return keys.data() + i % batches.buffers * batches.keys;
    };
    // The number of downloads before those of a batch.
    const auto downloads_before = [&](std::size_t i) { return i * ceil_div(batches.keys, step); };
    std::vector<std::size_t> uploads(count);
    const auto bring = [&](std::size_t i) {
        std::size_t at = 0;
        for (const Keys source : sources(i))
            for (std::size_t j = 0; j < source.size(); j += step) {
                const std::size_t part = std::min(step, source.size() - j);
                // The previous data must have left, piece by piece.
                const std::size_t after =
                    i < batches.buffers
                        ? 0
                        : downloads_before(i - batches.buffers) + ceil_div(at + part, step);
                pipeline.upload(source.data() + j, buffer(i) + at, part, after);
                at += part;
                ++uploads[i];
            }
    };
    pipeline.run([&] {
        bring(0);
        for (std::size_t i = 0; i < count; ++i) {
            if (i + 1 < count) bring(i + 1);
            for (std::size_t j = 0; j < uploads[i]; ++j) pipeline.take_upload();
            sort.enqueue(buffer(i), buffer(i), size(i), pipeline.stream());
            sorted[i].record(pipeline.stream());
            for (std::size_t j = 0; j < size(i); j += step)
                pipeline.download(buffer(i) + j, out + i * batches.keys + j,
                                  std::min(step, size(i) - j), sorted[i]);
        }
    });
}

void HostPlan<Operation::sort>::Machinery::merge(Keys sorted_runs, int* out) {
    std::vector<Keys> all;
    for (std::size_t i = 0; i < ceil_div(sorted_runs.size(), batches.keys); ++i)
        all.push_back(batch_of(sorted_runs, i));
    std::vector<std::size_t> begins(all.size(), 0);
    const auto parts = [&](std::size_t i) {
        const std::size_t rank = std::min(sorted_runs.size(), (i + 1) * batches.keys);
        const std::vector<std::size_t> ends = cut(all, rank);
        std::vector<Keys> of_runs;
        for (std::size_t run = 0; run < all.size(); ++run)
            of_runs.push_back(all[run].subspan(begins[run], ends[run] - begins[run]));
        begins = ends;
        return of_runs;
    };
    sort_batches(sorted_runs.size(), parts, out);
}

template class HostPlan<Operation::sort>;

void Sort::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return;
    Machinery& machinery = *machinery_;
    const bool fits = n <= machinery.batches.keys;
    const Transfer transfer((fits ? 2 : 4) * n * sizeof(int));
    if (fits) return machinery.sort_runs({in, n}, out);
    machinery.sort_runs({in, n}, machinery.runs.get());
    machinery.merge({machinery.runs.get(), n}, out);
}

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Sort>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
