// The common main() of all programs.
#pragma once

#include "src/program/exit_code.h"

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// The output streams of a program.
struct Console {
    std::ostream& out;
    std::ostream& err;
};

/// A program without error handling: it throws.
using Program =
    std::function<ExitCode(const std::vector<std::string>& arguments, const Console& console)>;

/// Runs the program. An exception becomes one line of console.err and an exit code.
ExitCode run_program(std::string_view name, const Program& program,
                     const std::vector<std::string>& arguments, const Console& console);

/// The same with the process's own streams; returns the result of main().
int run_main(std::string_view name, const Program& program, int argc, char** argv);

}  // namespace stream_compaction
