#include "stream_compaction/thrust.h"

#include "simt/error.h"
#include "simt/memory.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/cub.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"

#include <thrust/copy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#if defined(SIMT_EMULATED)
#include <thrust/system/cpp/execution_policy.h>
#else
#include <thrust/system/cuda/execution_policy.h>
#endif

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND::thrust {
namespace {

struct IsNonZero {
    _CCCL_HOST_DEVICE bool operator()(int value) const { return value != 0; }
};

/// Calls f with the execution policy; converts Thrust's exceptions to this project's.
template <Memory memory, class F>
auto with_policy([[maybe_unused]] CachingAllocator& allocator,
                 [[maybe_unused]] simt::stream_t stream, F f) {
    try {
#if defined(SIMT_EMULATED)
        simt::synchronize();  // Thrust would run in the capture of a graph; this throws there
        if constexpr (memory == Memory::cached)
            return f(::thrust::cpp::par(allocator));
        else
            return f(::thrust::cpp::par);
#else
        if constexpr (memory == Memory::cached)
            return f(::thrust::cuda::par_nosync(allocator).on(stream));
        else
            return f(::thrust::cuda::par.on(stream));
#endif
    } catch (const simt::Error&) {
        throw;
    } catch (const std::bad_alloc& error) {
        throw simt::OutOfMemory(error.what());
    } catch (const std::runtime_error& error) {
        throw simt::Error(error.what());
    }
}

/// Thrust calls CUB, so it will request CUB's workspace and a little more. If another version
/// requests more, the first call allocates that and later calls reuse it.
template <class CubPlan>
std::size_t reserve_for(std::size_t n) {
#if defined(SIMT_EMULATED)
    require_size(n);
    return 0;
#else
    constexpr std::size_t kRest = 1 << 20;
    return CubPlan::workspace_bytes(n) + kRest;
#endif
}

template <Memory memory>
std::size_t reserved(std::size_t bytes) {
    return memory == Memory::cached ? bytes : 0;
}

}  // namespace

CachingAllocator::CachingAllocator(std::size_t reserved) {
    if (reserved > 0) blocks_.push_back({simt::DeviceArray<char>(reserved)});
}

char* CachingAllocator::allocate(std::ptrdiff_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    auto block = std::ranges::find_if(blocks_, [size](const Block& candidate) {
        return !candidate.is_used && candidate.memory.size() >= size;
    });
    if (block == blocks_.end())
        block = blocks_.insert(blocks_.end(), {simt::DeviceArray<char>(size)});
    block->is_used = true;
    return block->memory.data();
}

void CachingAllocator::deallocate(char* memory, std::size_t) noexcept {
    std::ranges::find_if(blocks_, [memory](const Block& block) {
        return block.memory.data() == memory;
    })->is_used = false;
}

template <Memory memory>
Scan<memory>::Scan(std::size_t n, const Tuning& tuning)
    : capacity_(n), allocator_(reserved<memory>(workspace_bytes(n))) {
    require({}, tuning);
}

template <Memory memory>
std::size_t Scan<memory>::workspace_bytes(std::size_t n, const Tuning&) {
    return reserve_for<cub::Scan>(n);
}

template <Memory memory>
void Scan<memory>::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    // unsigned, because sums may overflow
    const auto elements = reinterpret_cast<const unsigned*>(in);
    const auto sums = reinterpret_cast<unsigned*>(out);
    with_policy<memory>(allocator_, stream, [&](const auto& policy) {
        ::thrust::exclusive_scan(policy, elements, elements + n, sums);
    });
}

template <Memory memory>
Compact<memory>::Compact(std::size_t n, const Tuning& tuning)
    : capacity_(n), allocator_(reserved<memory>(workspace_bytes(n))) {
    require({}, tuning);
}

template <Memory memory>
std::size_t Compact<memory>::workspace_bytes(std::size_t n, const Tuning&) {
    return reserve_for<cub::Compact>(n);
}

template <Memory memory>
void Compact<memory>::enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                              simt::stream_t stream, Stopwatch*) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_apart({in, n}, {out, n});
    const int* const end = with_policy<memory>(allocator_, stream, [&](const auto& policy) {
        return ::thrust::copy_if(policy, in, in + n, out, IsNonZero{});
    });
    const std::size_t kept = end - out;
    simt::copy_async(count, &kept, sizeof kept, stream);  // small enough to be copied at once
}

template <Memory memory>
Sort<memory>::Sort(std::size_t n, const Tuning& tuning)
    : capacity_(n), allocator_(reserved<memory>(workspace_bytes(n))) {
    require({}, tuning);
}

template <Memory memory>
std::size_t Sort<memory>::workspace_bytes(std::size_t n, const Tuning&) {
    return reserve_for<cub::Sort>(n);
}

template <Memory memory>
void Sort<memory>::enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (in != out) simt::copy_async(out, in, n * sizeof(int), stream);
    with_policy<memory>(allocator_, stream, [&](const auto& policy) {
#if defined(SIMT_EMULATED)
        // Thrust's host backends (3.0) put negative ints after the others, unless they get a
        // comparator.
        ::thrust::sort(policy, out, out + n, [](int a, int b) { return a < b; });
#else
        ::thrust::sort(policy, out, out + n);
#endif
    });
}

template <Memory memory>
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan<memory>>(input, output, tuning);
}

template <Memory memory>
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact<memory>>(input, output, tuning);
}

template <Memory memory>
Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Sort<memory>>(input, output, tuning);
}

template class Scan<Memory::cached>;
template class Scan<Memory::uncached>;
template class Compact<Memory::cached>;
template class Compact<Memory::uncached>;
template class Sort<Memory::cached>;
template class Sort<Memory::uncached>;

using HostArray = std::span<const int>;
template Outcome scan<Memory::cached>(HostArray, std::span<int>, const Tuning&);
template Outcome scan<Memory::uncached>(HostArray, std::span<int>, const Tuning&);
template Outcome compact<Memory::cached>(HostArray, std::span<int>, const Tuning&);
template Outcome compact<Memory::uncached>(HostArray, std::span<int>, const Tuning&);
template Outcome sort<Memory::cached>(HostArray, std::span<int>, const Tuning&);
template Outcome sort<Memory::uncached>(HostArray, std::span<int>, const Tuning&);

}  // namespace stream_compaction::inline SIMT_BACKEND::thrust
