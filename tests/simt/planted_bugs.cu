#include "tests/simt/planted_bugs.h"

#include "simt/async_copy.h"
#include "simt/kernel.h"
#include "simt/memory.h"

#include <vector>

namespace simt::inline SIMT_BACKEND::test {
namespace {

constexpr unsigned kAll = ~0u;

// `kBug` plants it. Every kernel is launched with kThreads words of dynamic shared memory.

__device__ unsigned global_index() { return blockIdx.x * kThreads + threadIdx.x; }

// ---- Orders of memory within a block ----------------------------------------------------------

template <bool kBug>
__global__ void missing_barrier(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    if constexpr (!kBug) __syncthreads();
    out[global_index()] = tile[kThreads - 1 - threadIdx.x];
}

/// Right by chance, as long as threads run from the first to the last.
template <bool kBug>
__global__ void missing_barrier_to_the_left(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    if constexpr (!kBug) __syncthreads();
    out[global_index()] = threadIdx.x == 0 ? 0 : tile[threadIdx.x - 1];
}

template <bool kBug>
__global__ void missing_barrier_before_reuse(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    __syncthreads();
    const int other = tile[kThreads - 1 - threadIdx.x];
    if constexpr (!kBug) __syncthreads();
    tile[threadIdx.x] = other + 1;
    __syncthreads();
    out[global_index()] = tile[threadIdx.x ^ 1];
}

template <bool kBug>
__global__ void missing_syncwarp(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    if constexpr (!kBug) __syncwarp();
    out[global_index()] = tile[threadIdx.x ^ 5];
}

template <bool kBug>
__global__ void shuffle_as_fence(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[global_index()];
    __shfl_sync(kAll, 0, 0);
    if constexpr (!kBug) __syncwarp();
    out[global_index()] = tile[threadIdx.x ^ 5];
}

template <bool kBug>
__global__ void lost_update(const int*, int* out, unsigned*) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if constexpr (kBug)
        count = count + 1;
    else
        atomicAdd(&count, 1u);
    __syncthreads();
    out[global_index()] = static_cast<int>(count);
}

template <bool kBug>
__global__ void uninitialised_shared(const int*, int* out, unsigned*) {
    auto* const count = simt::dynamic_shared<unsigned>();
    if constexpr (!kBug) count[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&count[threadIdx.x / 2], 1u);
    __syncthreads();
    out[global_index()] = static_cast<int>(count[threadIdx.x]);
}

// ---- Between blocks ---------------------------------------------------------------------------

template <bool kBug>
__global__ void race_between_blocks(const int*, int* out, unsigned* scratch) {
    if (threadIdx.x == 0) {
        if constexpr (kBug)
            *scratch = *scratch + 1;
        else
            atomicAdd(scratch, 1u);
    }
    out[global_index()] = 1;
}

/// The first block to come has a message for the others.
template <bool kBug>
__global__ void relaxed_flag(const int*, int* out, unsigned* scratch) {
    constexpr auto kLoad = kBug ? simt::memory_order_relaxed : simt::memory_order_acquire;
    constexpr auto kStore = kBug ? simt::memory_order_relaxed : simt::memory_order_release;
    const simt::DeviceAtomic<unsigned> flag(scratch[0]);
    __shared__ int message;
    if (threadIdx.x == 0) {
        if (atomicAdd(&scratch[1], 1u) == 0) {
            scratch[2] = 42;
            flag.store(1, kStore);
        }
        while (flag.load(kLoad) == 0) simt::relax();
        message = static_cast<int>(scratch[2]);
    }
    __syncthreads();
    out[global_index()] = message;
}

/// Nothing promises that lower blocks run earlier: only a ticket gives an order to wait in.
template <bool kBug>
__global__ void chain_by_block_index(const int*, int* out, unsigned* scratch) {
    if (threadIdx.x == 0) {
        const unsigned turn = kBug ? blockIdx.x : atomicAdd(&scratch[1], 1u);
        const simt::DeviceAtomic<unsigned> next(scratch[0]);
        while (next.load(simt::memory_order_acquire) != turn) simt::relax();
        next.store(turn + 1, simt::memory_order_release);
    }
    out[global_index()] = 1;
}

// ---- Beyond the end ---------------------------------------------------------------------------

template <bool kBug>
__global__ void global_overrun(const int* in, int* out, unsigned*) {
    out[global_index()] = in[global_index() + (kBug ? 1 : 0)];
}

template <bool kBug>
__global__ void static_shared_overrun(const int* in, int* out, unsigned*) {
    __shared__ int tile[kThreads + 8];  // so that the bug harms nothing else
    auto& used = reinterpret_cast<int(&)[kThreads]>(tile);
    used[threadIdx.x + (kBug ? 1 : 0)] = in[global_index()];
    __syncthreads();
    out[global_index()] = tile[threadIdx.x + (kBug ? 1 : 0)];
}

template <bool kBug>
__global__ void dynamic_shared_overrun(const int* in, int* out, unsigned*) {
    int* const tile = simt::dynamic_shared<int>() + (kBug ? 1 : 0);
    tile[threadIdx.x] = in[global_index()];
    __syncthreads();
    out[global_index()] = tile[threadIdx.x];
}

// ---- Barriers and masks -----------------------------------------------------------------------

template <bool kBug>
__global__ void barrier_in_a_branch(const int*, int* out, unsigned*) {
    if (!kBug || threadIdx.x < 16) __syncthreads();
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void return_before_barrier(const int*, int* out, unsigned*) {
    out[global_index()] = 1;
    if (kBug && threadIdx.x >= 100) return;
    __syncthreads();
}

template <bool kBug>
__global__ void one_barrier_for_each_branch(const int*, int* out, unsigned*) {
    out[global_index()] = 1;
    if (!kBug || threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

template <bool kBug>
__global__ void mask_of_all_in_half_a_warp(const int*, int* out, unsigned*) {
    int value = static_cast<int>(threadIdx.x);
    if (threadIdx.x % 32 < 16) value = __shfl_xor_sync(kBug ? kAll : 0xFFFF, value, 0);
    out[global_index()] = value;
}

template <bool kBug>
__global__ void mask_without_the_caller(const int*, int* out, unsigned*) {
    const unsigned others = kAll & ~(1u << threadIdx.x % 32);
    out[global_index()] = __popc(__ballot_sync(kBug ? others : kAll, 1));
}

template <bool kBug>
__global__ void two_masks(const int*, int* out, unsigned*) {
    const unsigned half = threadIdx.x % 32 < 16 ? 0xFFFF : 0xFFFF0000;
    const unsigned mask = threadIdx.x % 32 < 16 || !kBug ? half : kAll;
    out[global_index()] = __popc(__ballot_sync(mask, 1));
}

template <bool kBug>
__global__ void two_collectives(const int*, int* out, unsigned*) {
    unsigned votes = 0;
    if (kBug && threadIdx.x % 32 < 16)
        votes = __match_any_sync(kAll, 0);
    else
        votes = __ballot_sync(kAll, 1);
    out[global_index()] = __popc(votes);
}

template <bool kBug>
__global__ void odd_shuffle_width(const int*, int* out, unsigned*) {
    out[global_index()] = __shfl_sync(kAll, 1, 0, kBug ? 24 : 16);
}

template <bool kBug>
__global__ void wait_for_nobody(const int*, int* out, unsigned* scratch) {
    if (!kBug && global_index() == kWords - 1) simt::DeviceAtomic<unsigned>(*scratch).store(1);
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
        while (simt::DeviceAtomic<unsigned>(*scratch).load() == 0) simt::relax();
    out[global_index()] = 1;
}

// ---- Bulk copies and named barriers -----------------------------------------------------------

/// A tile and a barrier that is ready for it.
struct Tile {
    int* values;
    simt::TransactionBarrier* barrier;
};

__device__ Tile make_tile() {
    __shared__ simt::TransactionBarrier barrier;
    if (threadIdx.x == 0) {
        barrier.init(1);
        simt::fence_barrier_init();
    }
    __syncthreads();
    return {simt::dynamic_shared<int>(), &barrier};
}

__device__ void load(const Tile& tile, const int* in) {
    if (threadIdx.x != 0) return;
    tile.barrier->arrive_expect_tx(kThreads * sizeof(int));
    simt::bulk_load(tile.values, in + blockIdx.x * kThreads, kThreads * sizeof(int), *tile.barrier);
}

template <bool kBug>
__global__ void tile_read_before_it_is_loaded(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    if (!kBug || threadIdx.x < 32) tile.barrier->wait(0);
    out[global_index()] = tile.values[threadIdx.x];
    tile.barrier->wait(0);
}

template <bool kBug>
__global__ void parity_not_flipped(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    tile.barrier->wait(0);
    const int first = tile.values[threadIdx.x];
    __syncthreads();
    load(tile, in);
    tile.barrier->wait(kBug ? 0 : 1);
    out[global_index()] = first ^ tile.values[threadIdx.x];
    __syncthreads();
    tile.barrier->wait(1);
}

template <bool kBug>
__global__ void load_without_wait(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    if constexpr (!kBug) tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void tile_changed_before_it_is_stored(const int* in, int* out, unsigned*) {
    auto* const tile = simt::dynamic_shared<int>();
    tile[threadIdx.x] = in[global_index()];
    simt::fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        simt::bulk_store(out + blockIdx.x * kThreads, tile, kThreads * sizeof(int));
        simt::bulk_commit();
        simt::bulk_wait_read<kBug ? 1 : 0>();
    }
    __syncthreads();
    tile[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) simt::bulk_wait<0>();
}

template <bool kBug>
__global__ void store_without_wait(const int* in, int* out, unsigned*) {
    auto* const tile = simt::dynamic_shared<int>();
    tile[threadIdx.x] = in[global_index()];
    simt::fence_async();
    __syncthreads();
    if (threadIdx.x != 0) return;
    simt::bulk_store(out + blockIdx.x * kThreads, tile, kThreads * sizeof(int));
    simt::bulk_commit();
    if constexpr (!kBug) simt::bulk_wait<0>();
}

template <bool kBug>
__global__ void misaligned_load(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    if (threadIdx.x == 0) {
        tile.barrier->arrive_expect_tx(64);
        simt::bulk_load(tile.values, in + (kBug ? 2 : 4), 64, *tile.barrier);
    }
    tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void load_of_an_odd_size(const int* in, int* out, unsigned*) {
    constexpr unsigned kBytes = kBug ? 68 : 64;
    const Tile tile = make_tile();
    if (threadIdx.x == 0) {
        tile.barrier->arrive_expect_tx(kBytes);
        simt::bulk_load(tile.values, in, kBytes, *tile.barrier);
    }
    tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void barrier_without_init(const int*, int* out, unsigned*) {
    auto* const barrier = simt::dynamic_shared<simt::TransactionBarrier>();
    if (threadIdx.x == 0) {
        if constexpr (!kBug) barrier->init(1);
        barrier->arrive();
    }
    __syncthreads();
    barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void too_many_arrivals(const int* in, int* out, unsigned*) {
    const Tile tile = make_tile();
    load(tile, in);
    if (kBug && threadIdx.x == 0) tile.barrier->arrive();
    tile.barrier->wait(0);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void named_barrier_of_two_sizes(const int*, int* out, unsigned*) {
    simt::named_barrier(1, !kBug || threadIdx.x < 32 ? kThreads : 64);
    out[global_index()] = 1;
}

template <bool kBug>
__global__ void crossed_named_barriers(const int*, int* out, unsigned*) {
    const bool second = kBug && threadIdx.x >= 64;
    simt::named_barrier(second ? 2 : 1, kThreads);
    simt::named_barrier(second ? 1 : 2, kThreads);
    out[global_index()] = 1;
}

// ---- The list ---------------------------------------------------------------------------------

int one(std::size_t, const std::vector<int>&) { return 1; }
int same(std::size_t i, const std::vector<int>& in) { return in[i]; }

#define PLANTED(kernel) kernel<true>, kernel<false>

constexpr PlantedBug kBugs[] = {
    {"missing_barrier", FoundBy::wrong_result_or_race, "", PLANTED(missing_barrier),
     [](std::size_t i, const std::vector<int>& in) {
         return in[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
     }},
    {"missing_barrier_to_the_left", FoundBy::wrong_result_or_race, "",
     PLANTED(missing_barrier_to_the_left),
     [](std::size_t i, const std::vector<int>& in) { return i % kThreads == 0 ? 0 : in[i - 1]; }},
    {"missing_barrier_before_reuse", FoundBy::wrong_result_or_race, "",
     PLANTED(missing_barrier_before_reuse),
     [](std::size_t i, const std::vector<int>& in) {
         return in[i / kThreads * kThreads + kThreads - 1 - (i % kThreads ^ 1)] + 1;
     }},
    {"missing_syncwarp", FoundBy::wrong_result_or_race, "", PLANTED(missing_syncwarp),
     [](std::size_t i, const std::vector<int>& in) { return in[i ^ 5]; }},
    {"shuffle_as_fence", FoundBy::thread_sanitizer, "", PLANTED(shuffle_as_fence),
     [](std::size_t i, const std::vector<int>& in) { return in[i ^ 5]; }},
    {"lost_update", FoundBy::thread_sanitizer, "", PLANTED(lost_update),
     [](std::size_t, const std::vector<int>&) { return static_cast<int>(kThreads); }},
    {"uninitialised_shared", FoundBy::wrong_result, "", PLANTED(uninitialised_shared),
     [](std::size_t i, const std::vector<int>&) { return i % kThreads < kThreads / 2 ? 2 : 0; }},

    {"race_between_blocks", FoundBy::thread_sanitizer, "", PLANTED(race_between_blocks), one},
    {"relaxed_flag", FoundBy::thread_sanitizer, "", PLANTED(relaxed_flag),
     [](std::size_t, const std::vector<int>&) { return 42; }},
    {"chain_by_block_index", FoundBy::kernel_error, "no block makes progress",
     PLANTED(chain_by_block_index), one},

    {"global_overrun", FoundBy::address_sanitizer, "", PLANTED(global_overrun), same},
    {"static_shared_overrun", FoundBy::address_sanitizer, "", PLANTED(static_shared_overrun), same},
    {"dynamic_shared_overrun", FoundBy::address_sanitizer, "", PLANTED(dynamic_shared_overrun),
     same},

    {"barrier_in_a_branch", FoundBy::kernel_error, "__syncthreads() that",
     PLANTED(barrier_in_a_branch), one},
    {"return_before_barrier", FoundBy::kernel_error, "__syncthreads() that",
     PLANTED(return_before_barrier), one},
    {"one_barrier_for_each_branch", FoundBy::kernel_error, "divergent __syncthreads()",
     PLANTED(one_barrier_for_each_branch), one},
    {"mask_of_all_in_half_a_warp", FoundBy::kernel_error, "exited",
     PLANTED(mask_of_all_in_half_a_warp),
     [](std::size_t i, const std::vector<int>&) { return static_cast<int>(i % kThreads); }},
    {"mask_without_the_caller", FoundBy::kernel_error, "not in its own mask",
     PLANTED(mask_without_the_caller), [](std::size_t, const std::vector<int>&) { return 32; }},
    {"two_masks", FoundBy::kernel_error, "mask", PLANTED(two_masks),
     [](std::size_t, const std::vector<int>&) { return 16; }},
    {"two_collectives", FoundBy::kernel_error, "divergent collective", PLANTED(two_collectives),
     [](std::size_t, const std::vector<int>&) { return 32; }},
    {"odd_shuffle_width", FoundBy::kernel_error, "power of two", PLANTED(odd_shuffle_width), one},
    {"wait_for_nobody", FoundBy::kernel_error, "no block makes progress", PLANTED(wait_for_nobody),
     one},

    {"tile_read_before_it_is_loaded", FoundBy::wrong_result_or_race, "",
     PLANTED(tile_read_before_it_is_loaded), same, true},
    {"parity_not_flipped", FoundBy::wrong_result_or_race, "", PLANTED(parity_not_flipped),
     [](std::size_t, const std::vector<int>&) { return 0; }, true},
    {"load_without_wait", FoundBy::kernel_error, "no thread waits for", PLANTED(load_without_wait),
     one, true},
    {"tile_changed_before_it_is_stored", FoundBy::wrong_result, "",
     PLANTED(tile_changed_before_it_is_stored), same, true},
    {"store_without_wait", FoundBy::kernel_error, "without waiting for",
     PLANTED(store_without_wait), same, true},
    {"misaligned_load", FoundBy::kernel_error, "multiple of 16", PLANTED(misaligned_load), one,
     true},
    {"load_of_an_odd_size", FoundBy::kernel_error, "68 bytes", PLANTED(load_of_an_odd_size), one,
     true},
    {"barrier_without_init", FoundBy::kernel_error, "no init", PLANTED(barrier_without_init), one,
     true},
    {"too_many_arrivals", FoundBy::kernel_error, "more arrivals", PLANTED(too_many_arrivals), one,
     true},
    {"named_barrier_of_two_sizes", FoundBy::kernel_error, "expects",
     PLANTED(named_barrier_of_two_sizes), one},
    {"crossed_named_barriers", FoundBy::kernel_error, "deadlock", PLANTED(crossed_named_barriers),
     one},
};

#undef PLANTED

}  // namespace

std::span<const PlantedBug> planted_bugs() { return kBugs; }

bool can_run(const PlantedBug& bug) {
    return !bug.needs_bulk_copies || compute_capability_of(bug.fixed) >= 90;
}

bool gives_right_result(const PlantedBug& bug, PlantedKernel version) {
    std::vector<int> in(kWords);
    for (unsigned i = 0; i < kWords; ++i) in[i] = static_cast<int>(i * 2654435761u | 1);
    const DeviceArray<int> device_in{std::span<const int>(in)};
    DeviceArray<int> device_out(kWords);
    DeviceArray<unsigned> scratch{std::span<const unsigned>(std::vector<unsigned>(kScratchWords))};
    launch(version, {kBlocks, kThreads, kThreads * sizeof(int)}, device_in.data(),
           device_out.data(), scratch.data());
    std::vector<int> out(kWords);
    device_out.copy_to(out);
    for (std::size_t i = 0; i < kWords; ++i)
        if (out[i] != bug.expected(i, in)) return false;
    return true;
}

}  // namespace simt::inline SIMT_BACKEND::test
