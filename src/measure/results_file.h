// Results files: results/<gpu>/<experiment>.json, as results/schema.json describes them, and the
// same rows as CSV.
#pragma once

#include "src/bench/measurement.h"
#include "src/program/file_error.h"

#include <filesystem>
#include <fstream>
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
    std::vector<Measurement> measured = {};
    std::vector<Skipped> skipped = {};
};

std::string to_json(const Machine& machine);
std::string to_json(const Results& results);
std::string to_csv(const Results& results);

/// Where something will be written later. The text goes to a file beside it first and takes its
/// name at the end, so that nobody ever reads half of it. Links are followed. What is no regular
/// file, and what the program's own output goes to, is written to directly.
class OutputFile {
  public:
    /// Finds out now what cannot be written, and leaves nothing behind.
    /// @param option that names the file, for messages
    /// @throws FileError
    explicit OutputFile(std::filesystem::path path, std::string option = "--output");

    /// Whether the file is written to directly, so that who reads it may keep the program waiting.
    bool is_direct() const { return direct_.is_open(); }

    /// @throws FileError
    void write(std::string_view text);

  private:
    [[noreturn]] void fail(std::string_view reason) const;
    void replace(std::string_view text) const;

    std::string option_;
    std::filesystem::path path_;    ///< as it was given
    std::filesystem::path target_;  ///< where its links lead
    std::filesystem::path beside_;
    std::ofstream direct_;  ///< open where nothing is written aside
};

}  // namespace stream_compaction
