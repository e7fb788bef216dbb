#include "src/program/program.h"

#include "src/command_line/usage_error.h"
#include "src/program/file_error.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>

namespace stream_compaction {

ExitCode run_program(std::string_view name, const Program& program,
                     const std::vector<std::string>& arguments, const Console& console) {
    const auto fail = [&](ExitCode code, std::string_view what) {
        console.err << name << ": " << what << '\n';
        return code;
    };
    constexpr std::string_view kTooLarge = "--size: the host has no memory for so many elements";
    try {
        const ExitCode code = program(arguments, console);
        if (!console.out.flush()) return fail(ExitCode::files, "cannot write the output");
        return code;
    } catch (const UsageError& error) {
        return fail(ExitCode::usage, error.what());
    } catch (const FileError& error) {
        return fail(ExitCode::files, error.what());
    } catch (const std::bad_alloc&) {
        return fail(ExitCode::usage, kTooLarge);
    } catch (const std::length_error&) {
        return fail(ExitCode::usage, kTooLarge);
    } catch (const std::exception& error) {
        return fail(ExitCode::cuda, error.what());
    }
}

int run_main(std::string_view name, const Program& program, int argc, char** argv) {
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    return static_cast<int>(run_program(name, program, arguments, {std::cout, std::cerr}));
}

}  // namespace stream_compaction
