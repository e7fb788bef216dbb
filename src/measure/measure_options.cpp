#include "src/measure/measure_options.h"

#include "src/command_line/command_line.h"
#include "src/command_line/size_list.h"
#include "src/command_line/usage_error.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

namespace stream_compaction {
namespace {

/// More elements than any machine can hold; sums of bytes stay far below 2^64.
constexpr std::size_t kMostElements = std::size_t{1} << 48;
constexpr std::uint64_t kMostSamples = 1'000'000;

/// "--mode: given 'warm', expected cold, hot, graph, host"
template <class Values>
[[noreturn]] void refuse_name(std::string_view option, const std::string& given,
                              const Values& values) {
    std::string legal;
    for (const auto value : values)
        legal.append(legal.empty() ? "" : ", ").append(to_string(value));
    throw UsageError(option, given, legal);
}

template <class T>
void add_once(std::vector<T>& values, T value) {
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
}

std::vector<std::size_t> parse_sizes(const std::string& given) {
    try {
        std::vector<std::size_t> sizes = parse_size_list(given);
        if (sizes.back() > kMostElements)
            throw UsageError("--size", given, "at most 2^48 elements");
        return sizes;
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--size: ") + error.what());
    }
}

Mode parse_mode(const std::string& given) {
    if (const auto mode = find_mode(given)) return *mode;
    refuse_name("--mode", given, kModes);
}

Format parse_format(const std::string& given) {
    if (given == "json") return Format::json;
    if (given == "csv") return Format::csv;
    if (given == "table") return Format::table;
    throw UsageError("--format", given, "json, csv or table");
}

/// The experiment is part of a file name: letters, digits and characters that join words. Rows of
/// distributed_test have the experiment "distributed".
std::string parse_experiment(const std::string& given) {
    const bool is_name = !given.empty() && std::ranges::all_of(given, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
    if (is_name && given != "distributed") return given;
    throw UsageError("--experiment", given,
                     "letters, digits, '_', '-' and '.', but not 'distributed'");
}

/// The commit is written to a UTF-8 file, and printed in a line of text and in pages.
std::string parse_commit(const std::string& given) {
    const bool is_text = !given.empty() && std::ranges::all_of(given, [](char c) {
        return c >= ' ' && c <= '~' && c != '<' && c != '>';
    });
    if (is_text) return given;
    throw UsageError("--commit", given, "one line of ASCII without < and >");
}

/// What to measure. Distributions are kept as text, because the sizes are not known yet.
void add_what(CommandLine& line, Request& request, std::vector<std::string>& distributions) {
    line.add_list(
        "--operation", "NAME,...", "Only these operations: scan, compact, sort",
        [&](const std::string& given) { add_once(request.operations, parse_operation(given)); });
    line.add_list("--algorithm", "NAME,...", "Only these algorithms; --list prints the names",
                  [&](const std::string& given) { add_once(request.algorithms, given); });
    line.add_list("--size", "N,...",
                  "Elements [2^20, or all keys of a file]: " + std::string(kLegalSizeLists),
                  [&](const std::string& given) {
                      for (const std::size_t n : parse_sizes(given)) request.sizes.push_back(n);
                  });
    line.add_list("--mode", "NAME,...",
                  "cold: the caches are overwritten before every call [cold]; hot: back to back; "
                  "graph: inside a CUDA graph; host: whole calls on host arrays",
                  [&](const std::string& given) { add_once(request.modes, parse_mode(given)); });
    line.add_list("--block-size", "N,...", "Threads per block, for algorithms with this parameter",
                  [&](const std::string& given) {
                      add_once(request.block_sizes, parse_tuning("--block-size", given));
                  });
    line.add_list("--items-per-thread", "N,...",
                  "Elements per thread, for algorithms with this parameter",
                  [&](const std::string& given) {
                      add_once(request.items_per_thread, parse_tuning("--items-per-thread", given));
                  });
    line.add_list(
        "--padding", "N,...",
        "0 or 1 unused words after every 32 of shared memory, against bank conflicts, for "
        "algorithms with this parameter [1]",
        [&](const std::string& given) {
            add_once(request.paddings, parse_padding("--padding", given));
        });
    line.add_list(
        "--distribution", "NAME,...",
        "Distribution of the integers: names that --list prints; model:7, model:1..200: random key "
        "models; file:PATH: the first keys of a file, raw int32 or .npy [uniform50; sort: uniform]",
        [&](const std::string& given) { add_once(distributions, given); });
    line.add_list(
        "--kept", "SHARE,...",
        "Share that a compaction keeps, from 0 to 1 [0.5; a file is not changed]",
        [&](const std::string& given) { add_once(request.kept, parse_share("--kept", given)); });
    line.add_list("--variant", "NAME,...",
                  "Variants with other element types, operators or predicates: names that --list "
                  "prints, or all",
                  [&](const std::string& given) { add_once(request.variants, given); });
    line.add_value("--seed", "N", "Seed of the inputs [1]", [&](const std::string& given) {
        request.seed = parse_whole_number("--seed", given);
    });
}

/// Time and memory limits.
void add_protocol(CommandLine& line, MeasureOptions& options,
                  std::optional<std::string>& min_seconds) {
    line.add_value("--samples", "N", "Exact number of samples, within --max-seconds",
                   [&](const std::string& given) {
                       options.protocol.samples =
                           parse_whole_number("--samples", given, 1, kMostSamples);
                   });
    line.add_value("--min-seconds", "TIME",
                   "Without --samples: minimum time per row, and at least 10 samples [0.3]",
                   [&](const std::string& given) {
                       options.protocol.min_seconds = parse_seconds("--min-seconds", given);
                       min_seconds = given;
                   });
    line.add_value("--max-seconds", "TIME", "Maximum time per row [15]",
                   [&](const std::string& given) {
                       options.protocol.max_seconds = parse_seconds("--max-seconds", given);
                   });
    line.add_value("--least-clock", "SHARE",
                   "Discard and replace a sample during which the GPU's clock was below this share "
                   "of the row's median clock [0.75]",
                   [&](const std::string& given) {
                       options.protocol.least_clock = parse_share("--least-clock", given);
                   });
    line.add_value("--slowest-call", "TIME",
                   "A row whose call takes longer is not measured at larger sizes [1s]",
                   [&](const std::string& given) {
                       options.slowest_call_us = 1e6 * parse_seconds("--slowest-call", given);
                   });
    line.add_flag(
        "--energy",
        "Also measure the energy of a call with the GPU's counter, in modes hot and graph: "
        "one more second per row",
        options.energy);
    line.add_value("--max-device-bytes", "N",
                   "Limit of allocated device memory; allocations inside libraries are not counted",
                   [&](const std::string& given) {
                       options.max_device_bytes = parse_size_option("--max-device-bytes", given);
                   });
}

/// @param min_seconds as given
/// @throws UsageError if other options make it ineffective
void require_effect(const std::string& min_seconds, const Protocol& protocol) {
    if (protocol.samples) throw UsageError("--min-seconds: cannot be combined with --samples");
    if (protocol.min_seconds <= protocol.max_seconds) return;
    char most[64];
    (void)std::snprintf(most, sizeof most, "at most %g s, the value of --max-seconds",
                        protocol.max_seconds);
    throw UsageError("--min-seconds", min_seconds, most);
}

/// Output options.
void add_output(CommandLine& line, MeasureOptions& options) {
    line.add_value("--experiment", "NAME", "Name of the experiment in the file [the operation]",
                   [&](const std::string& given) { options.experiment = parse_experiment(given); });
    line.add_value(
        "--output", "FILE", "Write the results to this file, at the end or on Ctrl-C",
        [&](const std::string& given) { options.output = parse_file("--output", given); });
    line.add_value("--samples-file", "FILE",
                   "Also write the results with all samples of each row to this file, as JSON",
                   [&](const std::string& given) {
                       options.samples_file = parse_file("--samples-file", given);
                   });
    line.add_value(
        "--format", "NAME",
        "json, csv or table: format of the file [json], or of stdout without a file [table]",
        [&](const std::string& given) { options.format = parse_format(given); });
    line.add_value("--commit", "HASH", "Commit to record in the file [the commit of the build]",
                   [&](const std::string& given) { options.commit = parse_commit(given); });
    line.add_flag("--list", "Print the algorithms and their allowed tunings as JSON", options.list);
    line.add_flag("--dry-run", "Print what would be measured", options.dry_run);
}

}  // namespace

MeasureOptions parse_measure_options(std::vector<std::string> arguments) {
    MeasureOptions options;
    std::vector<std::string> distributions;
    std::optional<std::string> min_seconds;
    Request& request = options.request;
    CommandLine line("measure_time",
                     "Measures algorithms against each other on device arrays, checks every result "
                     "and writes the results to a file.");
    add_what(line, request, distributions);
    add_protocol(line, options, min_seconds);
    add_output(line, options);

    options.answer = line.parse(std::move(arguments));
    if (!options.answer.empty()) return options;
    if (options.list &&
        (options.dry_run || options.output || options.samples_file || options.format))
        throw UsageError(
            "--list cannot be combined with --dry-run, --output, --samples-file or --format");
    if (min_seconds) require_effect(*min_seconds, options.protocol);
    if (options.energy && std::ranges::none_of(request.modes, has_calls_back_to_back))
        throw UsageError("--energy: needs mode hot or graph");
    std::ranges::sort(request.sizes);
    const auto repeated = std::ranges::unique(request.sizes);
    request.sizes.erase(repeated.begin(), repeated.end());
    const std::size_t largest = request.sizes.empty() ? kMostElements : request.sizes.back();
    for (const std::string& given : distributions)
        for (const Distribution& distribution :
             parse_distributions(given, largest, options.files)) {
            if (!request.sizes.empty()) require_keys(distribution, largest);
            add_once(request.distributions, distribution);
        }
    return options;
}

}  // namespace stream_compaction
