// The notation for distributions on a command line.
#pragma once

#include "src/input/distribution.h"
#include "src/input/key_file.h"

#include <cstddef>
#include <memory>
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

}  // namespace stream_compaction
