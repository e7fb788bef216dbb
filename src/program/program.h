// What main() of every program does.
#pragma once

#include "src/program/exit_code.h"

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace stream_compaction {

/// Where a program writes.
struct Console {
    std::ostream& out;
    std::ostream& err;
};

/// A program but for its errors, which it throws.
using Program =
    std::function<ExitCode(const std::vector<std::string>& arguments, const Console& console)>;

/// Runs the program. What it throws becomes one line of console.err and an exit code.
ExitCode run_program(std::string_view name, const Program& program,
                     const std::vector<std::string>& arguments, const Console& console);

/// The same on the process's own streams; what main() returns.
int run_main(std::string_view name, const Program& program, int argc, char** argv);

}  // namespace stream_compaction
