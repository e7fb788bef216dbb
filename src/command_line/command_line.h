// Options with values, for a program that reports mistakes in one line.
#pragma once

#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace stream_compaction {

/// Describes options, then parses them.
class CommandLine {
  public:
    /// Handles a value; throws UsageError if it is not allowed.
    using Take = std::function<void(const std::string& given)>;

    CommandLine(const std::string& program, const std::string& description);
    ~CommandLine();

    /// An option that may be given once.
    void add_value(const std::string& name, const std::string& type, const std::string& help,
                   Take take);
    /// An option that may be repeated; each part between commas is passed to `take`.
    void add_list(const std::string& name, const std::string& type, const std::string& help,
                  Take take);
    void add_flag(const std::string& name, const std::string& help, bool& flag);

    /// @param arguments without the program's name
    /// @return the output of --help or --version; empty: run the program
    /// @throws UsageError
    std::string parse(std::vector<std::string> arguments);

  private:
    std::unique_ptr<CLI::App> app_;
};

/// @throws UsageError
Operation parse_operation(const std::string& given);

/// A whole number from `first` to `last`.
/// @throws UsageError
std::uint64_t parse_whole_number(std::string_view option, const std::string& given,
                                 std::uint64_t first = 0,
                                 std::uint64_t last = std::numeric_limits<std::uint64_t>::max());

/// See parse_size() of src/command_line/size.h.
/// @throws UsageError
std::size_t parse_size_option(std::string_view option, const std::string& given);

/// The path of a file.
/// @throws UsageError if it is empty
std::string parse_file(std::string_view option, const std::string& given);

/// A block size or a number of items per thread.
/// @throws UsageError
int parse_tuning(std::string_view option, const std::string& given);

/// A decimal number from 0 to 1.
/// @throws UsageError
double parse_share(std::string_view option, const std::string& given);

/// "2", "1.5s", "300ms" or "20us", in seconds.
/// @throws UsageError
double parse_seconds(std::string_view option, const std::string& given);

}  // namespace stream_compaction
