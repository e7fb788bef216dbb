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

/// What the user asked for. What was not given is empty.
struct HarnessOptions {
    std::optional<std::size_t> size;
    std::vector<Operation> operations;  ///< empty: all
    std::vector<std::string>
        algorithms;  ///< empty: all; whether they exist is for select_contenders
    BackendWish backend = BackendWish::automatic;
    const simt::DeviceProfile* emulate = nullptr;  ///< whose shape the emulated device takes
    std::uint64_t seed = 1;
    std::optional<Distribution> distribution;
    KeyFiles files;  ///< of the distribution
    std::optional<int> block_size;
    std::optional<int> items_per_thread;
    std::optional<std::size_t> max_device_bytes;
    bool list = false;
    bool once = false;  ///< each row once, unchecked and untimed: for a profiler to watch
    bool explain = false;
    std::string answer;  ///< of --help or --version: print it, and run nothing
};

// What count_accesses is asked in the same words.

void add_choice_of_rows(CommandLine& line, HarnessOptions& options);
/// @param distribution what is given, for take_distribution() when the size is known, too
void add_input_and_tuning(CommandLine& line, HarnessOptions& options,
                          std::optional<std::string>& distribution);

/// What --backend names.
/// @throws UsageError
BackendWish parse_backend(const std::string& given);

/// What --distribution names, for `size` elements where that is known.
/// @param files whoever keeps the distribution keeps these as well
/// @throws UsageError, FileError
Distribution one_distribution(const std::string& given, std::optional<std::size_t> size,
                              KeyFiles& files);

/// @throws UsageError, FileError
void take_distribution(const std::string& given, HarnessOptions& options);

/// What --emulate names.
/// @throws UsageError
const simt::DeviceProfile* parse_profile(const std::string& given);

/// The wish, but for the emulated backend where a profile is given.
/// @throws UsageError where both cannot be
BackendWish backend_for(const simt::DeviceProfile* profile, BackendWish wish);

/// @param arguments without the program's name
/// @throws UsageError, FileError
HarnessOptions parse_harness_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
