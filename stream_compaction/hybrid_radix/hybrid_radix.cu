#include "stream_compaction/hybrid_radix.h"

#include "simt/checked_size.h"
#include "simt/device.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/hybrid_radix/launch.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/parts/whole_keys.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// Blocks of each kernel that a device holds at once.
template <class Shape, class Offset>
ResidentBlocks resident_blocks() {
    return {.grid = std::min(simt::resident_blocks(sort_on_grid<Shape, Offset>, kThreads,
                                                   kGridBytes<Shape, Offset>),
                             simt::resident_blocks(sort_the_rest<Shape, Offset>, kThreads,
                                                   kGridBytes<Shape, Offset>)),
            .partition = simt::resident_blocks(sort_by_one_partition<Shape>, kThreads,
                                               kPartitionBytes<Shape>)};
}

template <class Shape>
Limits limits_of() {
    return {Shape::kBlockKeys, Shape::kBlockKeys};
}

/// Keys of a plan's second array.
std::size_t spare_keys(std::size_t n, const Limits& limits) { return n > limits.one_block ? n : 0; }

/// Bytes of a plan's lists. Large blocks' are the larger ones.
template <class Bits>
std::size_t lists_bytes(std::size_t n, const Limits& limits) {
    if (spare_keys(n, limits) == 0) return 0;
    Work<LargeShape<Bits>, unsigned> small;
    Work<LargeShape<Bits>, unsigned long long> large;
    return is_large(n) ? lay_out(large, n, limits, nullptr) : lay_out(small, n, limits, nullptr);
}

/// A bucket of one key has nothing to partition, and a block has room for so many keys.
Limits require_legal(Limits limits, std::size_t most) {
    if (limits.one_block > most || limits.bucket < 2 || limits.bucket > most)
        throw std::invalid_argument("limits: given " + std::to_string(limits.one_block) +
                                    " keys for one block and " + std::to_string(limits.bucket) +
                                    " for a bucket, legal is at most " + std::to_string(most) +
                                    ", for a bucket from 2 up");
    return limits;
}

}  // namespace

template <class Bits>
Limits BitsSort<Bits>::default_limits() {
    return simt::unavailable_reason().has_value() ? limits_of<LargeShape<Bits>>()
                                                  : default_limits(simt::device_properties());
}

template <class Bits>
Limits BitsSort<Bits>::default_limits(const simt::DeviceProperties& device) {
    Limits limits = with_shape<Bits>(has_large_blocks<Bits>(device),
                                     []<class Shape>(Shape) { return limits_of<Shape>(); });
    limits.ranked = most_ranked(device.multiprocessors);
    return limits;
}

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n, Limits limits) {
    require_legal(limits, LargeShape<Bits>::kBlockKeys);
    Arrays arrays(nullptr);
    arrays.take<Bits>(spare_keys(n, limits));
    arrays.take<std::byte>(lists_bytes<Bits>(n, limits));
    return arrays.bytes();
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, KeyOrder order, const SortOptions& options, Limits limits)
    : capacity_(n),
      order_(order),
      has_large_blocks_(has_large_blocks<Bits>(simt::device_properties())),
      limits_(require_legal(limits, most_keys_of_block<Bits>(has_large_blocks_))) {
    require_whole_keys<Bits>("hybrid_radix", options);
    PlanMemory memory(options.memory, workspace_bytes(n, limits));
    spare_ = memory.take<Bits>(spare_keys(n, limits));
    lists_ = memory.take<std::byte>(lists_bytes<Bits>(n, limits));
    if (lists_.size() == 0) return;
    simt::fill_async(lists_.data(), 0, lists_.size());
    simt::synchronize();
    resident_ = with_shape<Bits>(has_large_blocks_, [&]<class Shape>(Shape) {
        return is_large(n) ? resident_blocks<Shape, unsigned long long>()
                           : resident_blocks<Shape, unsigned>();
    });
}

template <class Bits>
void BitsSort<Bits>::enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    if (n > 0) run(in, out, n, HostSize(), stream);
}

template class BitsSort<unsigned>;
template class BitsSort<unsigned long long>;

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<int>>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
