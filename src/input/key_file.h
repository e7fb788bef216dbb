// Reads the user's own keys from a file.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {

/// int32 keys, little-endian: a .npy file with one axis, or a file of raw keys.
class KeyFile {
  public:
    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

    /// @param most maximum number of keys to read
    /// @throws FileError if the file cannot be read, or contains something else; UsageError if the
    ///         host has no memory for the keys
    explicit KeyFile(std::string path, std::size_t most = kAll);

    const std::string& path() const { return path_; }

    /// The number of keys in the file.
    std::size_t size() const { return size_; }

    /// The first keys of the file, as many as were read.
    std::span<const int> keys() const { return keys_; }

  private:
    std::string path_;
    std::size_t size_ = 0;
    std::vector<int> keys_;
};

}  // namespace stream_compaction
