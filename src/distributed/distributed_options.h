// The command line of distributed_test.
#pragma once

#include "simt/device_profile.h"
#include "src/input/distribution_option.h"
#include "src/program/backend_choice.h"
#include "stream_compaction/algorithm.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

/// The parsed command line. Options that were not given are empty.
struct DistributedOptions {
    std::optional<std::size_t> size;
    std::optional<unsigned> gpus;
    std::vector<Operation> operations = {};  ///< empty: all
    BackendWish backend = BackendWish::automatic;
    const simt::DeviceProfile* emulate = nullptr;  ///< profile of the emulated devices
    std::uint64_t seed = 1;
    std::optional<Distribution> distribution;
    KeyFiles files;  ///< of the distribution
    std::chrono::milliseconds patience{};
    bool has_peer_access = true;  ///< false: GPUs send messages, even if they could store to others
    std::optional<std::string> json;  ///< path of a file for the rows
    std::string answer;               ///< output of --help or --version: print it, and run nothing
};

/// @param arguments without the program's name
/// @throws UsageError, FileError
DistributedOptions parse_distributed_options(std::vector<std::string> arguments);

}  // namespace stream_compaction
