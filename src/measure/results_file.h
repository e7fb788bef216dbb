// Results files: results/<gpu>/<experiment>.json, as results/schema.json describes them, and the
// same rows as CSV.
#pragma once

#include "src/bench/measurement.h"
#include "src/input/distribution_option.h"
#include "src/measure/host_load.h"
#include "src/program/file_error.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// The machine and software of a measurement.
struct Machine {
    std::string gpu, driver, cuda, cub, host_cpu, commit, date;
};

/// The content of one file.
struct Results {
    std::string experiment;
    Machine machine;
    std::map<Mode, double> empty_launch_us = {};
    FastestCopies fastest_copies = {};
    std::optional<unsigned> gpu_use_by_others = {};  ///< in percent; empty: little, or not known
    std::optional<SharedHost> shared_host = {};  ///< empty: not shared, or no row ran on the host
    std::vector<Measurement> measured = {};
    std::vector<Skipped> skipped = {};
};

std::string to_json(const Machine& machine);
std::string to_json(const Results& results);

/// The same with all samples of each row: the content of a samples file.
std::string to_json_with_samples(const Results& results);
std::string to_csv(const Results& results);

/// A file that will be written later. The text is written to a file in the same folder first and
/// renamed at the end, so that no reader sees an incomplete file. Links are followed. If the path
/// is not a regular file, or is the program's own output, it is written to directly.
class OutputFile {
  public:
    /// Checks now whether the file can be written, and leaves nothing behind.
    /// @param option the option that gave the path, for messages
    /// @param inputs files of which none may be this one, under any name
    /// @throws FileError, UsageError
    explicit OutputFile(std::filesystem::path path, std::string option = "--output",
                        const KeyFiles& inputs = {});

    /// Whether both would write to the same file, under any name.
    bool is_same_file(const OutputFile& other) const;

    /// Whether the file is written to directly, in which case its reader may delay the program.
    bool is_direct() const { return direct_.is_open(); }

    /// Whether a write failed because nobody reads the pipe any more.
    bool reader_is_gone() const { return reader_is_gone_; }

    /// @throws FileError
    void write(std::string_view text);

  private:
    [[noreturn]] void fail(std::string_view reason) const;
    void replace(std::string_view text) const;

    std::string option_;
    std::filesystem::path path_;    ///< as it was given
    std::filesystem::path target_;  ///< with links resolved
    std::filesystem::path beside_;
    std::ofstream direct_;  ///< open if the file is written to directly
    bool reader_is_gone_ = false;
};

}  // namespace stream_compaction
