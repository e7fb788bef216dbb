// How people name what the elements of an input are.
#pragma once

#include "src/input/distribution.h"
#include "src/input/key_file.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace stream_compaction {

using KeyFiles = std::vector<std::unique_ptr<const KeyFile>>;

/// "zipf", "model:7", "model:1..200" for as many, or "file:PATH".
/// @param most  keys of a file that are read
/// @param files whoever keeps the distributions keeps these as well
/// @throws UsageError, FileError
std::vector<Distribution> parse_distributions(const std::string& given, std::size_t most,
                                              KeyFiles& files);

/// @throws UsageError where a file has fewer than n keys
void require_keys(const Distribution& distribution, std::size_t n);

}  // namespace stream_compaction
