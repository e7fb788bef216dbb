#include "tests/simt/planted_bugs.h"

#include "simt/kernel.h"
#include "simt/memory.h"
#include "tests/simt/planted/bulk_copies.h"
#include "tests/simt/planted/collectives.h"
#include "tests/simt/planted/memory.h"

#include <vector>

namespace simt::inline SIMT_BACKEND::test {
namespace {

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

    {"barrier_in_a_branch", FoundBy::kernel_error, "without reaching this __syncthreads()",
     PLANTED(barrier_in_a_branch), one},
    {"return_before_barrier", FoundBy::kernel_error, "without reaching this __syncthreads()",
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
    {"crossed_barriers", FoundBy::kernel_error, "deadlock", PLANTED(crossed_barriers), one},
    {"odd_shuffle_width", FoundBy::kernel_error, "power of two", PLANTED(odd_shuffle_width), one},
    {"wait_for_nobody", FoundBy::kernel_error, "no block makes progress", PLANTED(wait_for_nobody),
     one},

    {"tile_read_before_it_is_loaded", FoundBy::wrong_result_or_race, "",
     PLANTED(tile_read_before_it_is_loaded), same, true},
    {"parity_not_flipped", FoundBy::wrong_result_or_race, "", PLANTED(parity_not_flipped),
     [](std::size_t, const std::vector<int>&) { return 0; }, true},
    {"load_without_wait", FoundBy::kernel_error, "no thread waits for", PLANTED(load_without_wait),
     one, true},
    {"misaligned_load", FoundBy::kernel_error, "multiple of 16", PLANTED(misaligned_load), one,
     true},
    {"load_of_an_odd_size", FoundBy::kernel_error, "68 bytes", PLANTED(load_of_an_odd_size), one,
     true},
    {"barrier_without_init", FoundBy::kernel_error, "no init", PLANTED(barrier_without_init), one,
     true},
    {"too_many_arrivals", FoundBy::kernel_error, "more arrivals", PLANTED(too_many_arrivals), one,
     true},
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
