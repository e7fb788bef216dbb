#include "src/harness/harness_options.h"

#include "src/command_line/command_line.h"
#include "src/command_line/size.h"
#include "src/command_line/usage_error.h"

#include <utility>

namespace stream_compaction {
BackendWish parse_backend(const std::string& given) {
    if (given == "auto") return BackendWish::automatic;
    if (given == "cuda") return BackendWish::cuda;
    if (given == "emulated") return BackendWish::emulated;
    throw UsageError("--backend", given, "auto, cuda or emulated");
}

const simt::DeviceProfile* parse_profile(const std::string& given) {
    if (const auto* const profile = simt::find_device_profile(given)) return profile;
    throw UsageError("--emulate", given, simt::device_profile_names());
}

BackendWish backend_for(const simt::DeviceProfile* profile, BackendWish wish) {
    if (profile == nullptr) return wish;
    if (wish == BackendWish::cuda)
        throw UsageError("--emulate cannot be combined with --backend cuda");
    return BackendWish::emulated;
}

void add_choice_of_rows(CommandLine& line, HarnessOptions& options, const std::string& lister) {
    line.add_list(
        "--operation", "NAME,...", "Only these operations: scan, compact, sort",
        [&](const std::string& given) { options.operations.push_back(parse_operation(given)); });
    line.add_list("--algorithm", "NAME,...",
                  "Only these algorithms; " + lister + " prints the names",
                  [&](const std::string& given) { options.algorithms.push_back(given); });
}

void add_input_and_tuning(CommandLine& line, HarnessOptions& options,
                          std::optional<std::string>& distribution) {
    line.add_value("--seed", "N", "Seed of the inputs [1]", [&](const std::string& given) {
        options.seed = parse_whole_number("--seed", given);
    });
    line.add_value(
        "--distribution", "NAME",
        "Distribution of the integers: zipf or another name that measure_time --list prints; "
        "model:7: a random key model; file:PATH: the first keys of a file, raw int32 or "
        ".npy [uniform50; sort: uniform]",
        [&](const std::string& given) { distribution = given; });
    line.add_value("--block-size", "N", "Threads per block, for algorithms with this parameter",
                   [&](const std::string& given) {
                       options.block_size = parse_tuning("--block-size", given);
                   });
    line.add_value("--items-per-thread", "N",
                   "Elements per thread, for algorithms with this parameter",
                   [&](const std::string& given) {
                       options.items_per_thread = parse_tuning("--items-per-thread", given);
                   });
    line.add_value(
        "--padding", "N",
        "0 or 1 unused words after every 32 of shared memory, against bank conflicts, for "
        "algorithms with this parameter [1]",
        [&](const std::string& given) { options.padding = parse_padding("--padding", given); });
}

Distribution one_distribution(const std::string& given, std::optional<std::size_t> size,
                              KeyFiles& files) {
    const auto found = parse_distributions(given, size.value_or(KeyFile::kAll), files);
    if (found.size() != 1) throw UsageError("--distribution", given, "one distribution");
    if (size) require_keys(found.front(), *size);
    return found.front();
}

void take_distribution(const std::string& given, HarnessOptions& options) {
    options.distribution = one_distribution(given, options.size, options.files);
}

HarnessOptions parse_harness_options(std::vector<std::string> arguments) {
    HarnessOptions options;
    std::optional<std::string> distribution;
    CommandLine line("stream_compaction_test",
                     "Runs every scan, stream compaction and sort, checks its whole output "
                     "and prints its time.");
    line.add_value(
        "--size", "N",
        "Elements: " + std::string(kLegalSizes) +
            " [2^22 on a GPU, 2^16 emulated, or all keys of a file]. Each row also runs with 3 "
            "fewer",
        [&](const std::string& given) { options.size = parse_size_option("--size", given); });
    add_choice_of_rows(line, options, "--list");
    line.add_value("--backend", "NAME", "auto, cuda or emulated [auto: the GPU if there is one]",
                   [&](const std::string& given) { options.backend = parse_backend(given); });
    line.add_value("--emulate", "GPU",
                   "Emulate this GPU on the CPU: " + simt::device_profile_names(),
                   [&](const std::string& given) { options.emulate = parse_profile(given); });
    add_input_and_tuning(line, options, distribution);
    line.add_value("--max-device-bytes", "N",
                   "Limit of allocated device memory; allocations inside libraries are not counted",
                   [&](const std::string& given) {
                       options.max_device_bytes = parse_size_option("--max-device-bytes", given);
                   });
    line.add_flag("--once", "Call each algorithm once, unchecked and untimed, for a profiler",
                  options.once);
    line.add_flag(
        "--explain",
        "After each row, print what limits its speed (launches, memory, shared memory or "
        "waiting), estimated from the access counts of the same call with at most 2^16 elements",
        options.explain);
    line.add_flag("--list", "Print the algorithms and their allowed tunings", options.list);
    options.answer = line.parse(std::move(arguments));
    if (options.answer.empty() && distribution) take_distribution(*distribution, options);
    if (options.list && (options.once || options.explain))
        throw UsageError("--list cannot be combined with --once or --explain: it runs nothing");
    if (options.explain && options.once)
        throw UsageError("--explain cannot be combined with --once, which times nothing");
    options.backend = backend_for(options.emulate, options.backend);
    return options;
}

}  // namespace stream_compaction
