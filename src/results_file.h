// Results files: results/<gpu>/<experiment>.json, as results/schema.json describes them, and the
// same rows as CSV.
#pragma once

#include "src/file_error.h"
#include "src/measurement.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// Where and with what the rows were measured.
struct Machine {
    std::string gpu, driver, cuda, cub, host_cpu, commit, date;
};

/// All that goes into one file.
struct Results {
    std::string experiment;
    Machine machine;
    std::map<Mode, double> empty_launch_us = {};
    std::vector<Row> rows = {};
    std::vector<Skipped> skipped = {};
};

std::string to_json(const Results& results);
std::string to_csv(const Results& results);

/// Where something will be written later. The text goes to a file beside it first and takes its
/// name at the end, so that nobody ever reads half of it.
class OutputFile {
  public:
    /// Makes the folder, and the file beside, to find out now that neither can be written.
    /// @throws FileError
    explicit OutputFile(std::filesystem::path path);
    /// Removes the file beside, if there still is one.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// @throws FileError
    void write(std::string_view text);

  private:
    std::filesystem::path path_, beside_;
};

}  // namespace stream_compaction
