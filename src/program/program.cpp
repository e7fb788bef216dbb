#include "src/program/program.h"

#include "simt/device_profile.h"
#include "simt/host_limit.h"
#include "src/command_line/usage_error.h"
#include "src/program/file_error.h"
#include "src/program/interruption.h"
#include "src/program/shortage.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace stream_compaction {

namespace {

constexpr std::string_view kInterrupted = "interrupted";

}  // namespace

ExitCode run_program(std::string_view name, const Program& program,
                     const std::vector<std::string>& arguments, const Console& console) {
    const auto fail = [&](ExitCode code, std::string_view what) {
        console.err << name << ": " << what << '\n';
        return code;
    };
    try {
        const ExitCode code = program(arguments, console);
        if (console.out.flush())
            return code == ExitCode::interrupted ? fail(code, kInterrupted) : code;
        const bool is_wrong = code == ExitCode::wrong_result;
        return fail(is_wrong ? code : ExitCode::files, "cannot write the output");
    } catch (const UsageError& error) {
        return fail(ExitCode::usage, error.what());
    } catch (const FileError& error) {
        return fail(ExitCode::files, error.what());
    } catch (const std::bad_alloc&) {
        return fail(ExitCode::cuda, "out of memory: " + simt::host_limit_met());
    } catch (const std::length_error&) {
        return fail(ExitCode::usage, "the host has no memory for this many elements");
    } catch (const std::system_error& error) {
        return fail(ExitCode::cuda, in_words(error));
    } catch (const std::exception& error) {
        return fail(ExitCode::cuda, error.what());
    }
}

namespace {

/// Refuses limits and environment variables with which no program can run.
/// @throws UsageError
void require_right_surroundings() {
    constexpr rlim_t kLeastStack = 64 * 1024;
    rlimit stack{};
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kLeastStack)
        throw UsageError("ulimit -s", std::to_string(stack.rlim_cur / 1024),
                         "at least " + std::to_string(kLeastStack / 1024) + " KiB");
    const char* const profile = std::getenv("SIMT_SHAPE");
    if (profile != nullptr && simt::find_device_profile(profile) == nullptr)
        throw UsageError("SIMT_SHAPE", profile, simt::device_profile_names());
}

/// Gives threads a sufficient stack, even if the shell's limit, which is their default, is small.
void enlarge_stacks_of_threads() {
    constexpr std::size_t kEnough = std::size_t{2} << 20;
    pthread_attr_t attributes;
    std::size_t bytes = 0;
    if (pthread_getattr_default_np(&attributes) != 0) return;
    (void)pthread_attr_getstacksize(&attributes, &bytes);
    if (bytes < kEnough && pthread_attr_setstacksize(&attributes, kEnough) == 0)
        (void)pthread_setattr_default_np(&attributes);
    (void)pthread_attr_destroy(&attributes);
}

}  // namespace

int run_main(std::string_view name, const Program& program, int argc, char** argv) {
    // Output that cannot be written is reported as an error, and must not end the program.
    (void)std::signal(SIGPIPE, SIG_IGN);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    end_on_signals(std::string(name).append(": ").append(kInterrupted) + '\n');
    enlarge_stacks_of_threads();
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const Program in_right_surroundings = [&](const auto& given, const Console& console) {
        require_right_surroundings();
        return program(given, console);
    };
    return static_cast<int>(
        run_program(name, in_right_surroundings, arguments, {std::cout, std::cerr}));
}

}  // namespace stream_compaction
