// Keys of one's own, from a file.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {

/// int32 keys, little-endian: a .npy file with one axis, or nothing but the keys.
class KeyFile {
  public:
    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

    /// @param most so many keys are read
    /// @throws FileError where it cannot be read, or holds something else
    explicit KeyFile(std::string path, std::size_t most = kAll);

    const std::string& path() const { return path_; }

    /// Keys in the file.
    std::size_t size() const { return size_; }

    /// The first of them, as far as they were read.
    std::span<const int> keys() const { return keys_; }

  private:
    std::string path_;
    std::size_t size_ = 0;
    std::vector<int> keys_;
};

}  // namespace stream_compaction
