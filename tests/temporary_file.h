// Files that exist during a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

inline std::string bytes_of(const std::vector<int>& keys) {
    return {reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(int)};
}

class TemporaryFile {
  public:
    explicit TemporaryFile(std::string_view content, const std::string& suffix = "")
        : path_(testing::TempDir() + "test_file." + std::to_string(getpid()) + suffix) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace stream_compaction
