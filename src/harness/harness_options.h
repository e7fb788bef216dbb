// The command line of stream_compaction_test.
#pragma once

#include "simt/device_profile.h"
#include "src/command_line/command_line.h"
#include "src/input/distribution_option.h"
#include "src/program/backend_choice.h"
#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

/// The parsed command line. Options that were not given are empty.
struct HarnessOptions {
    std::optional<std::size_t> size;
    std::vector<Operation> operations;  ///< empty: all
    std::vector<std::string>
        algorithms;  ///< empty: all; select_contenders checks whether they exist
    BackendWish backend = BackendWish::automatic;
    const simt::DeviceProfile* emulate = nullptr;  ///< profile of the emulated device
    std::uint64_t seed = 1;
    std::optional<Distribution> distribution;
    KeyFiles files;  ///< of the distribution
    std::optional<int> block_size;
    std::optional<int> items_per_thread;
    std::optional<int> padding;
    std::optional<std::size_t> max_device_bytes;
    bool list = false;
    bool once = false;  ///< each row once, unchecked and untimed, for a profiler
    bool explain = false;
    std::string answer;  ///< output of --help or --version: print it, and run nothing
};

// Options that count_accesses also has.

/// @param lister the command that prints the names, for --help
void add_choice_of_rows(CommandLine& line, HarnessOptions& options, const std::string& lister);
/// @param distribution is set to the given text, for take_distribution() when the size is known
void add_input_and_tuning(CommandLine& line, HarnessOptions& options,
                          std::optional<std::string>& distribution);

/// Parses --backend.
/// @throws UsageError
BackendWish parse_backend(const std::string& given);

/// Parses --distribution, for `size` elements if that is known.
/// @param files must live as long as the distribution
/// @throws UsageError, FileError
Distribution one_distribution(const std::string& given, std::optional<std::size_t> size,
                              KeyFiles& files);

/// @throws UsageError, FileError
void take_distribution(const std::string& given, HarnessOptions& options);

/// Parses --emulate.
/// @throws UsageError
const simt::DeviceProfile* parse_profile(const std::string& given);

/// The requested backend, or the emulated backend if a profile is given.
/// @throws UsageError if the two contradict each other
BackendWish backend_for(const simt::DeviceProfile* profile, BackendWish wish);

/// @param arguments without the program's name
/// @throws UsageError, FileError
HarnessOptions parse_harness_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
