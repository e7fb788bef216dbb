// Starts programs in the same way as a user.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace stream_compaction {

struct ProgramResult {
    int code;  ///< the exit code; -1 if a signal ended the program
    std::string out;
    std::string err;
};

/// @param arguments in shell syntax, including redirections
/// @param before    shell commands to run first, or variables for the program's environment
inline ProgramResult start(const std::string& path, const std::string& arguments,
                           const std::string& before = "") {
    const std::string err = testing::TempDir() + "program_test." + std::to_string(getpid());
    const std::string command = before + " '" + path + "' 2>'" + err + "' " + arguments;
    ProgramResult result{};
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
    for (int character = 0; (character = std::fgetc(pipe)) != EOF;)
        result.out += static_cast<char>(character);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream lines(err);
    result.err.assign(std::istreambuf_iterator<char>(lines), {});
    std::remove(err.c_str());
    return result;
}

/// Starts a program as a user who may start nothing, not even a thread; only root can.
/// LeakSanitizer would need a process of its own.
constexpr const char* kNothingStarts =
    "ASAN_OPTIONS=detect_leaks=0 prlimit --nproc=1 setpriv --reuid 65531 --clear-groups";

#if defined(TESTED_PROGRAM)
/// The program under test.
inline ProgramResult program(const std::string& arguments, const std::string& before = "") {
    return start(TESTED_PROGRAM, arguments, before);
}

/// The program under test, whose output is closed after the given number of lines; 0: before it
/// starts. The code is the program's.
inline ProgramResult cut_off(const std::string& arguments, int lines = 1) {
    const std::string code = testing::TempDir() + "cut_off." + std::to_string(getpid());
    ProgramResult result =
        program(arguments + "; echo $? >'" + code + "'; } | head -n " + std::to_string(lines),
                "{ sleep 0.2;");  // head ends meanwhile if it prints nothing
    std::ifstream(code) >> result.code;
    std::remove(code.c_str());
    return result;
}

/// The program under test, which gets signals once its output has a text.
/// @param signals as kill has them, with 0.3 s between two
inline ProgramResult interrupted(const std::string& arguments, const std::string& text,
                                 const std::string& signals) {
    const std::string out =
        '\'' + testing::TempDir() + "interrupted." + std::to_string(getpid()) + '\'';
    return program(arguments + " >" + out + " & while ! grep -q '" + text + "' " + out +
                   "; do sleep 0.1; done; for signal in " + signals +
                   "; do kill -$signal $!; sleep 0.3; done; wait $!; code=$?; cat " + out +
                   "; rm " + out + "; exit $code");
}
#endif

}  // namespace stream_compaction
