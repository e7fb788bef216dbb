// stream_compaction_test: every module, whether it passed and how long it took.
#include "src/backend_choice.h"
#include "src/exit_code.h"
#include "src/harness.h"
#include "src/options.h"
#include "src/row_list.h"
#include "src/selection.h"
#include "src/usage_error.h"
#include "stream_compaction/registry.h"

#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>

namespace {

using namespace stream_compaction;

ExitCode run_command_line(std::vector<std::string> arguments) {
    const Options options = parse_options(std::move(arguments));
    if (!options.answer.empty()) {
        std::cout << options.answer;
        return ExitCode::right;
    }
    const BuiltBackends built{.cuda = registry(simt::Backend::cuda),
                              .emulated = registry(simt::Backend::emulated)};
    // A wrong command line is wrong on every machine, so it is told first.
    (void)select_rows(built.cuda != nullptr ? *built.cuda : *built.emulated, options);

    const ChosenBackend backend = choose_backend(options.backend, built);
    if (!backend.note.empty()) std::cout << backend.note << '\n';
    if (!options.list) return run(*backend.registry, options, std::cout);
    print_rows(std::cout, *backend.registry);
    return ExitCode::right;
}

int fail(ExitCode code, std::string_view what) {
    std::cerr << "stream_compaction_test: " << what << '\n';
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const ExitCode code =
            run_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
        if (!std::cout.flush()) return fail(ExitCode::files, "cannot write the output");
        return static_cast<int>(code);
    } catch (const UsageError& error) {
        return fail(ExitCode::usage, error.what());
    } catch (const std::bad_alloc&) {
        return fail(ExitCode::usage, "--size: the host has no memory for so many elements");
    } catch (const std::length_error&) {
        return fail(ExitCode::usage, "--size: the host has no memory for so many elements");
    } catch (const std::exception& error) {
        return fail(ExitCode::cuda, error.what());
    }
}
