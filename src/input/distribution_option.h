// The notation for distributions on a command line.
#pragma once

#include "src/input/distribution.h"
#include "src/input/key_file.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

using KeyFiles = std::vector<std::unique_ptr<const KeyFile>>;

/// "zipf", "model:7", "model:1..200" for 200 models, or "file:PATH".
/// @param most  maximum number of keys that are read from a file
/// @param files must live as long as the distributions
/// @throws UsageError, FileError
std::vector<Distribution> parse_distributions(const std::string& given, std::size_t most,
                                              KeyFiles& files);

/// @throws UsageError if a file has fewer than n keys
void require_keys(const Distribution& distribution, std::size_t n);

/// @param size the value of --size; without it, a file of keys gives n
/// @throws UsageError if the host has no memory for n elements
void require_memory(std::size_t n, std::size_t bytes_per_element, std::optional<std::size_t> size,
                    const std::optional<Distribution>& distribution);

}  // namespace stream_compaction
