#include "stream_compaction/counting.h"

#include "stream_compaction/counting/kernels.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/plan_memory.h"
#include "stream_compaction/parts/whole_keys.h"

#include <algorithm>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::counting {
namespace {

bool is_large(std::size_t n) { return n > std::size_t{1} << 31; }

/// Calls f with a 0 of the smallest type that can count this many keys.
template <class F>
decltype(auto) with_offset(std::size_t n, F f) {
    return is_large(n) ? f(0ull) : f(0u);
}

template <class Bits, unsigned kGroups>
constexpr std::size_t kCounterBytes = Counters<Bits, kGroups>::kWords * sizeof(unsigned);

/// Calls f with the number of value groups as a compile-time constant.
template <class Bits, class F>
decltype(auto) with_groups(unsigned groups, F f) {
    if constexpr (sizeof(Bits) == 2) {
        if (groups == 2) return f(std::integral_constant<unsigned, 2>());
        if (groups == 4) return f(std::integral_constant<unsigned, 4>());
    }
    return f(std::integral_constant<unsigned, 1>());
}

/// The smallest number of value groups such that a block has room for the counters of one.
template <class Bits>
unsigned groups_on(const simt::DeviceProperties& device) {
    const auto fits = [&](unsigned groups) {
        return with_groups<Bits>(groups, [&](auto group) {
            return simt::has_shared_memory_for(device, 1, kCounterBytes<Bits, group()>);
        });
    };
    if (sizeof(Bits) == 1 || fits(1)) return 1;
    return fits(2) ? 2 : 4;
}

/// Workspace: where each value begins in the output; or, for few keys that are ranked in place, a
/// copy of the keys.
template <class Bits, class Offset>
constexpr std::size_t kBeginBytes = std::max(kValues<Bits> * sizeof(Offset), std::size_t{1} << 14);

template <class Bits>
std::size_t bytes_of(std::size_t n) {
    return with_offset(n, []<class Offset>(Offset) {
        return kCounts<Bits> * sizeof(Offset) + kBeginBytes<Bits, Offset>;
    });
}

}  // namespace

template <class Bits>
std::size_t BitsSort<Bits>::workspace_bytes(std::size_t n) {
    require_size(n);
    Arrays arrays(nullptr);
    arrays.take<std::byte>(n == 0 ? 0 : bytes_of<Bits>(n));
    return arrays.bytes();
}

template <class Bits>
std::size_t BitsSort<Bits>::default_most_ranked() {
    // Comparisons that take about as long as counting a few keys.
    constexpr double kComparisons = sizeof(Bits) == 1 ? 1 << 19 : 1 << 20;
    return onesweep::most_ranked(simt::device_properties().multiprocessors, kComparisons);
}

template <class Bits>
BitsSort<Bits>::BitsSort(std::size_t n, KeyOrder order, const SortOptions& options,
                         std::size_t most_ranked)
    : capacity_(n),
      order_(order),
      most_ranked_(most_ranked),
      value_groups_(groups_on<Bits>(simt::device_properties())),
      counting_blocks_(0),
      filling_blocks_(0) {
    require_whole_keys<Bits>("counting", options);
    PlanMemory memory(options.memory, workspace_bytes(n));
    workspace_ = memory.take<std::byte>(workspace_bytes(n));
    if (n == 0) return;
    simt::fill_async(workspace_.data(), 0, workspace_.size());
    simt::synchronize();
    with_offset(n, [&]<class Offset>(Offset) {
        with_groups<Bits>(value_groups_, [&](auto groups) {
            counting_blocks_ = simt::resident_blocks(count_keys<Bits, groups(), Offset>, kThreads,
                                                     kCounterBytes<Bits, groups()>);
        });
        filling_blocks_ = simt::resident_blocks(fill<Bits, Offset>, kThreads, kFillBytes<Bits>);
        starts_early_ = std::min(simt::device_properties().compute_capability,
                                 simt::compute_capability_of(fill<Bits, Offset>)) >= 90;
    });
}

template <class Bits>
void BitsSort<Bits>::enqueue(const Bits* in, Bits* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return;
    const NumberOf<Bits> map{KeyMap<unsigned>(order_)};
    if (n <= most_ranked_ && (in != out || n * sizeof(Bits) <= kBeginBytes<Bits, unsigned>)) {
        if (in == out) {  // ranking does not work in place
            Bits* const spare = with_offset(capacity_, [&]<class Offset>(Offset) {
                return reinterpret_cast<Bits*>(workspace_.data() + kCounts<Bits> * sizeof(Offset));
            });
            simt::copy_async(spare, in, n * sizeof(Bits), stream);
            in = spare;
        }
        simt::launch(rank_keys<Bits>,
                     {blocks_for(n, onesweep::kRankedKeys), onesweep::kThreads, 0, stream}, in, out,
                     static_cast<unsigned>(n), map);
        return;
    }
    if (!is_clear_) simt::fill_async(workspace_.data(), 0, workspace_.size(), stream);
    is_clear_ = false;  // if a launch fails, the kernel that clears the counts does not run
    const std::size_t worth = ceil_div(n, kFewVectors * kOfVector<Bits>);
    const auto blocks_of = [&](unsigned resident) {
        return static_cast<unsigned>(std::min<std::size_t>(resident, worth));
    };
    const auto config = [&](unsigned blocks, std::size_t shared_bytes) {
        return simt::LaunchConfig{blocks, kThreads, shared_bytes, stream, false, starts_early_};
    };
    with_offset(capacity_, [&]<class Offset>(Offset) {
        const auto size = static_cast<Offset>(n);
        Offset* const counts = reinterpret_cast<Offset*>(workspace_.data());
        Offset* const begins = counts + kCounts<Bits>;
        with_groups<Bits>(value_groups_, [&](auto groups) {
            const unsigned blocks = blocks_of(std::max(counting_blocks_ / groups(), 1u)) * groups();
            simt::launch(count_keys<Bits, groups(), Offset>,
                         config(blocks, kCounterBytes<Bits, groups()>), in, size, counts);
        });
        simt::launch(place_numbers<Bits, Offset>, config(blocks_for(kValues<Bits>, kThreads), 0),
                     counts, begins, map);
        simt::launch(fill<Bits, Offset>, config(blocks_of(filling_blocks_), kFillBytes<Bits>), out,
                     size, begins, map, counts);
    });
    is_clear_ = true;
}

template class BitsSort<std::uint8_t>;
template class BitsSort<std::uint16_t>;

}  // namespace stream_compaction::inline SIMT_BACKEND::counting
