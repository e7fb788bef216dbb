#include "src/distributed/distributed_options.h"

#include "src/command_line/command_line.h"
#include "src/command_line/size.h"
#include "src/command_line/usage_error.h"
#include "src/harness/harness_options.h"

#include <utility>

namespace stream_compaction {

DistributedOptions parse_distributed_options(std::vector<std::string> arguments) {
    constexpr std::uint64_t kMostRanks = 128, kMostSeconds = 86'400;
    DistributedOptions options;
    std::optional<std::string> distribution;
    bool sends = false;
    options.patience = std::chrono::minutes(5);
    CommandLine line("distributed_test",
                     "Runs scan, stream compaction and sort of an array that several GPUs hold "
                     "together, checks all of the output and prints the times. Under mpirun each "
                     "process has a GPU.");
    line.add_value(
        "--size", "N",
        "Elements of all GPUs together: " + std::string(kLegalSizes) +
            " [2^24 on GPUs, 2^16 emulated, or all keys of a file]. Each row also runs with 3 "
            "fewer",
        [&](const std::string& given) { options.size = parse_size_option("--size", given); });
    line.add_value("--gpus", "N", "Number of GPUs of this host, without mpirun [all; emulated: 2]",
                   [&](const std::string& given) {
                       options.gpus = static_cast<unsigned>(
                           parse_whole_number("--gpus", given, 1, kMostRanks));
                   });
    line.add_list(
        "--operation", "NAME,...", "Only these operations: scan, compact, sort",
        [&](const std::string& given) { options.operations.push_back(parse_operation(given)); });
    line.add_value("--backend", "NAME", "auto, cuda or emulated [auto: the GPUs if there are any]",
                   [&](const std::string& given) { options.backend = parse_backend(given); });
    line.add_value("--emulate", "GPU",
                   "Emulate this GPU on the CPU: " + simt::device_profile_names(),
                   [&](const std::string& given) { options.emulate = parse_profile(given); });
    line.add_value("--seed", "N", "Seed of the inputs [1]", [&](const std::string& given) {
        options.seed = parse_whole_number("--seed", given);
    });
    line.add_value("--distribution", "NAME",
                   "Distribution of the integers, as for stream_compaction_test [uniform50; sort: "
                   "uniform]",
                   [&](const std::string& given) { distribution = given; });
    line.add_value("--patience", "SECONDS", "How long a GPU waits for another one [300]",
                   [&](const std::string& given) {
                       options.patience = std::chrono::seconds(
                           parse_whole_number("--patience", given, 1, kMostSeconds));
                   });
    line.add_flag("--no-peer-access",
                  "Exchange messages, even if the GPUs can access each other's memory", sends);
    line.add_value("--json", "FILE", "Write all rows to this file as well",
                   [&](const std::string& given) { options.json = parse_file("--json", given); });
    options.answer = line.parse(std::move(arguments));
    options.has_peer_access = !sends;
    if (options.answer.empty() && distribution)
        options.distribution = one_distribution(*distribution, options.size, options.files);
    options.backend = backend_for(options.emulate, options.backend);
    return options;
}

}  // namespace stream_compaction
