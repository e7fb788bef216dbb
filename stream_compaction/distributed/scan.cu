// Reduce, add the sums of the earlier parts, then run the single-pass scan starting with this sum:
// 12 bytes per element instead of 8. The last rank need not reduce its part. GPUs that can access
// each other's memory read the sums there, and no host waits for them if the ranks are threads;
// otherwise hosts gather them.
#include "stream_compaction/distributed/agree.h"
#include "stream_compaction/distributed/guarded.h"
#include "stream_compaction/distributed/shareable.h"
#include "stream_compaction/parts/warp.h"
#include "stream_compaction/single_pass/operators.h"
#include "stream_compaction/single_pass/plan.h"
#include "stream_compaction/single_pass/scan_job.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

/// The scan of a part: `before` is added to the sum of the elements before each tile.
struct PartJob : single_pass::ScanJob<int, single_pass::Plus> {
    using Whole = single_pass::ScanJob<int, single_pass::Plus>;
    const unsigned* before;

    template <bool kWhole, int kRows>
    __device__ void finish(const Held<kRows>& held, const Prepared<kRows>& prepared,
                           std::size_t first, const single_pass::Extent& extent, int prefix,
                           Staging<kRows>& staging) const {
        Whole::template finish<kWhole>(held, prepared, first, extent,
                                       single_pass::Plus()(static_cast<int>(*before), prefix),
                                       staging);
    }
};

constexpr unsigned kThreads = 256, kBlocksOfMultiprocessor = 8, kLoads = 8;

/// Adds all elements to *sum. Each thread strides over the array, each warp adds up its lanes, and
/// one lane adds the result by an atomicAdd.
__global__ void __launch_bounds__(kThreads) add_up(const int* in, std::size_t n, unsigned* sum) {
    unsigned own = 0;
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += kLoads * step) {
        int value[kLoads];  // loads in flight at once
#pragma unroll
        for (unsigned k = 0; k < kLoads; ++k) value[k] = i + k * step < n ? in[i + k * step] : 0;
#pragma unroll
        for (const int v : value) own += static_cast<unsigned>(v);
    }
    own = sum_of_lanes(own);
    if (threadIdx.x % kLanes == 0) atomicAdd(sum, own);
}

/// *before = the sum of the earlier ranks' sums, and *next = 0, by one warp.
__global__ void add_before(const unsigned* const* sums, unsigned slot, unsigned rank,
                           unsigned* before, unsigned* next) {
    unsigned own = 0;
    for (unsigned r = threadIdx.x; r < rank; r += kLanes) own += sums[r][slot];
    own = sum_of_lanes(own);
    if (threadIdx.x > 0) return;
    *before = own;
    *next = 0;
}

}  // namespace

Scan::Scan(std::size_t n, Communicator& ranks) try
    : ranks_(ranks),
      device_(single_pass::device_for<PartJob>()),
      workspace_(n, sizeof(int), sizeof(int)),
      sums_(shareable<unsigned>(2)),
      arrays_(ranks.size()),
      before_(1),
      sum_on_host_(1) {
    simt::fill_async(sums_.get(), 0, 2 * sizeof(unsigned));
    simt::synchronize();
} catch (const std::exception& error) {
    ranks.fail(error.what());
}

std::size_t Scan::workspace_bytes(std::size_t n) {
    return single_pass::Workspace::bytes(n, sizeof(int), sizeof(int)) + 3 * sizeof(unsigned);
}

/// Two slots, used in turn. When all streams have passed a call's barrier, they have read the other
/// slot, so the call sets it to zero for the next one.
void Scan::enqueue_sum_before(const int* in, std::size_t n, simt::stream_t stream) {
    if (!std::exchange(is_connected_, true)) {
        shared_sums_ = ranks_.share(sums_);
        std::ranges::transform(shared_sums_, arrays_.data(), [](const auto& sums) {
            return static_cast<const unsigned*>(sums.get());
        });
    }
    slot_ = 1 - slot_;
    unsigned* const sum = static_cast<unsigned*>(sums_.get()) + slot_;
    unsigned* const next = static_cast<unsigned*>(sums_.get()) + 1 - slot_;
    if (n > 0 && ranks_.rank() + 1 < ranks_.size()) {
        const unsigned blocks =
            std::min(blocks_for(n, std::size_t{kThreads} * kLoads),
                     kBlocksOfMultiprocessor * static_cast<unsigned>(device_.multiprocessors));
        simt::launch(add_up, {blocks, kThreads, 0, stream}, in, n, sum);
    }
    if (!shared_sums_.empty()) {
        ranks_.barrier(stream);
        simt::launch(add_before, {1, kLanes, 0, stream}, arrays_.data(), slot_, ranks_.rank(),
                     before_.data(), next);
        return;
    }
    simt::copy_async(sum_on_host_.data(), sum, sizeof(unsigned), stream);
    simt::fill_async(next, 0, sizeof(unsigned), stream);
    ranks_.wait(stream);
    const std::uint64_t own = *sum_on_host_.data();
    const std::vector<std::uint64_t> sums = ranks_.all_gather(std::span(&own, 1));
    *sum_on_host_.data() = static_cast<unsigned>(
        std::accumulate(sums.begin(), sums.begin() + ranks_.rank(), std::uint64_t{0}));
    simt::copy_async(before_.data(), sum_on_host_.data(), sizeof(unsigned), stream);
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(workspace_.capacity(), 0);
    require_parts(ranks_, "scan", in, out, n, workspace_.capacity());
    guarded(ranks_, [&] {
        enqueue_sum_before(in, n, stream);
        if (n == 0) return;
        const PartJob job{{in, out, false}, before_.data()};
        single_pass::enqueue(job, n, single_pass::Path::automatic, device_, workspace_, stream);
    });
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
