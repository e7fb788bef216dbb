// Results that use every feature, for tests of the files.
#pragma once

#include "src/measure/results_file.h"

namespace stream_compaction {

inline constexpr Variant kFabricatedVariant{.operation = Operation::scan,
                                            .name = "max_float",
                                            .in_bytes = 4,
                                            .out_bytes = 4,
                                            .bytes_moved = nullptr,
                                            .element = Element::float32,
                                            .combine = Combine::maximum};

inline Results fabricated_results() {
    Results results{.experiment = "fabricated",
                    .machine = {.gpu = "NVIDIA \"H200\"",
                                .driver = "580.82.07",
                                .cuda = "13.0",
                                .cub = "3.0.1",
                                .host_cpu = "a CPU, with a comma",
                                .commit = "0123456789abcdef-dirty",
                                .date = "2026-11-20"},
                    .empty_launch_us = {{Mode::cold, 2.0004}, {Mode::hot, 1.5}},
                    .fastest_copies = {{{Mode::cold, std::size_t{1} << 35}, "vectors"},
                                       {{Mode::cold, 64}, "memcpy"},
                                       {{Mode::hot, 64}, "bulk"}},
                    .gpu_use_by_others = 97,
                    .shared_host = SharedHost{.cpus = 16, .used_by_others = 3.25049, .quota = 4}};
    results.measured.push_back(
        {.setting = {.operation = Operation::scan,
                     .mode = Mode::cold,
                     .n = std::size_t{1} << 33,
                     .distribution = Distribution::uniform50,
                     .variant = &kFabricatedVariant},
         .algorithm = "single_pass",
         .tuning = {.block_size = 512, .items_per_thread = 16},
         .microseconds = {.median = 10.12345, .min = 9, .q1 = 9.5, .q3 = 11, .samples = 12},
         .samples = {10.12345, 9, 9.5, 9.5, 9.5, 10, 11, 11, 11, 10.12345, 10.12345, 12},
         .copy_us = 8.5,
         .roof_us = 8.5,
         .moved_bytes = std::size_t{1} << 36});
    results.measured.push_back(
        {.setting = {.operation = Operation::compact,
                     .mode = Mode::hot,
                     .n = 0,
                     .distribution = Distribution::clustered,
                     .kept = 0.25},
         .algorithm = "naive",
         .tuning = {.block_size = 128, .padding = 0},
         .microseconds = {.median = 6, .min = 6, .q1 = 6, .q3 = 6, .samples = 1},
         .samples = {6},
         .phases = Phases{Microseconds(1), Microseconds(2), Microseconds(3)},
         .millijoules = 2.50049,
         .wrong = "index 0: expected 1, got 2",
         .throttled = true,
         .discarded = 3,
         .unsteady_clock = true});
    results.measured.push_back(
        {.setting = {.operation = Operation::sort,
                     .n = 1000,
                     .distribution = Distribution::of_model(1)},
         .algorithm = "onesweep",
         .microseconds = {.median = 6, .min = 6, .q1 = 6, .q3 = 6, .samples = 1},
         .samples = {6}});
    results.skipped.push_back({.setting = {.operation = Operation::sort, .mode = Mode::graph},
                               .algorithm = "cpu",
                               .reason = "skipped: runs on the host, which has no graphs"});
    return results;
}

}  // namespace stream_compaction
