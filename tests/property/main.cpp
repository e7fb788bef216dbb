// property_test: random calls of every row, until the time is over or a result is wrong.
#include "simt/device.h"
#include "simt/memory.h"
#include "src/command_line/command_line.h"
#include "src/command_line/usage_error.h"
#include "src/program/contenders.h"
#include "src/program/host_memory.h"
#include "src/program/interruption.h"
#include "src/program/program.h"
#include "src/program/shortage.h"
#include "tests/property/case.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace stream_compaction;

constexpr bool kEmulated = simt::kBackend == simt::Backend::emulated;
constexpr const char* kName = kEmulated ? "property_test_emulated" : "property_test_gpu";

struct Options {
    std::optional<double> budget_seconds;
    std::optional<std::uint64_t> cases;
    std::optional<std::uint64_t> seed;
    std::optional<std::uint64_t> only_case;
    std::optional<std::size_t> size;
    std::size_t largest = std::size_t{1} << (kEmulated ? 16 : 22);
    std::vector<Operation> operations;
    std::vector<std::string> algorithms, variants;
};

/// The name for --variant of rows that belong to no variant.
constexpr std::string_view kNoVariant = "none";

std::string_view variant_of(const Algorithm& row) {
    return row.variant != nullptr ? row.variant->name : kNoVariant;
}

/// @return the output of --help; empty: run
std::string parse(const std::vector<std::string>& arguments, Options& options) {
    CommandLine line(kName,
                     "Calls rows with everything drawn at random, and compares all that they "
                     "write with what a plain loop makes of their input.");
    const auto add_number = [&](const std::string& name, const std::string& help, auto& value,
                                std::uint64_t first = 0) {
        line.add_value(name, "N", help, [&value, name, first](const std::string& given) {
            value = parse_whole_number(name, given, first);
        });
    };
    line.add_value(
        "--budget", "TIME",
        "Ends after this time, and a case of every row [60s, or none if --cases is given]",
        [&](const std::string& given) {
            options.budget_seconds = parse_seconds("--budget", given);
        });
    add_number("--cases", "Ends after this number of calls", options.cases, 1);
    add_number("--seed", "Seed of the cases [1]", options.seed);
    add_number("--case", "Runs one case of each selected row, by the seed that a failure prints",
               options.only_case);
    line.add_value("--size", "N", "Elements of all cases", [&](const std::string& given) {
        options.size = parse_size_option("--size", given);
    });
    bool has_largest = false;
    line.add_value("--largest", "N", "Maximum elements of a case [2^16 emulated, 2^22 on a GPU]",
                   [&](const std::string& given) {
                       options.largest = parse_size_option("--largest", given);
                       has_largest = true;
                       if (options.largest == 0)
                           throw UsageError("--largest", given, "a size from 1 up");
                   });
    line.add_list(
        "--operation", "NAME,...", "Only these operations",
        [&](const std::string& given) { options.operations.push_back(parse_operation(given)); });
    line.add_list("--algorithm", "NAME,...", "Only these algorithms",
                  [&](const std::string& given) { options.algorithms.push_back(given); });
    line.add_list("--variant", "NAME,...",
                  "Only these variants, or none: the rows on ints [these and all variants]",
                  [&](const std::string& given) { options.variants.push_back(given); });
    std::string answer = line.parse(arguments);
    if (options.size && has_largest && *options.size > options.largest)
        throw UsageError("--size", std::to_string(*options.size),
                         "at most " + std::to_string(options.largest) + ", the value of --largest");
    if (options.only_case && (options.cases || options.budget_seconds || options.seed))
        throw UsageError("--case: cannot be combined with --cases, --budget or --seed");
    return answer;
}

/// The selected rows that can run here.
std::vector<const Algorithm*> select(const Options& options) {
    std::vector<const Algorithm*> rows;
    const Registry& all = *registry_with_variants(simt::kBackend);
    for (const std::span<const Algorithm> some : {all.rows, all.variants})
        for (const Algorithm& row : some)
            if (row.unavailable.empty() &&
                (options.operations.empty() ||
                 std::ranges::find(options.operations, row.operation) != options.operations.end()))
                rows.push_back(&row);
    rows = named("--variant", rows, options.variants,
                 [](const Algorithm* row) { return variant_of(*row); });
    return named(rows, options.algorithms);
}

/// The memory of a case per element on the host, including emulated devices: arrays of at most 8
/// bytes per element.
constexpr std::size_t kBytesPerElement = 8 * 8;

std::string command_for(const Case& drawn, const Options& options) {
    return std::string(kName) + " --operation " + std::string(to_string(drawn.row->operation)) +
           " --algorithm " + std::string(drawn.row->name) + " --variant " +
           std::string(variant_of(*drawn.row)) + " --case " + std::to_string(drawn.seed) +
           " --size " + std::to_string(drawn.n) + " --largest " + std::to_string(options.largest);
}

std::string current_command;  ///< command of the running case, for the signal handler
std::array<struct sigaction, NSIG> former_actions;

/// Prints the command of a case that crashes; then the previous handlers are called.
void name_case_on_crash() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
        constexpr std::string_view kCrashed = "FAILED: it crashed\nrepeat: ";
        (void)!write(STDOUT_FILENO, kCrashed.data(), kCrashed.size());
        (void)!write(STDOUT_FILENO, current_command.data(), current_command.size());
        (void)!write(STDOUT_FILENO, "\n", 1);
        (void)sigaction(signal, &former_actions[signal], nullptr);
    };
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE})
        (void)sigaction(signal, &action, &former_actions[signal]);
}

/// Whether the device still works, which a GPU does not after a fault.
bool is_alive() {
    try {
        simt::synchronize();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void report(const Case& failing, const std::string& wrong, const Options& options,
            std::ostream& out) {
    out << "FAILED: " << describe(failing) << "\n    " << wrong << '\n';
    Case smallest = failing;
    if (!options.size && is_alive())
        (void)shortage_in([&] {
            smallest = shrink(failing);
            out << "smallest: n = " << smallest.n << '\n';
            if (const auto again = what_is_wrong(smallest)) out << "    " << *again << '\n';
        });
    out << "repeat: " << command_for(smallest, options) << '\n';
}

ExitCode run(const std::vector<std::string>& arguments, const Console& console) {
    Options options;
    if (const std::string answer = parse(arguments, options); !answer.empty()) {
        console.out << answer;
        return ExitCode::right;
    }
    const std::vector<const Algorithm*> rows = select(options);
    if (const auto reason = registry(simt::kBackend)->unavailable_reason()) {
        const char* const required = std::getenv("REQUIRE_GPU");
        const bool is_required = required != nullptr && std::string(required) == "1";
        throw std::runtime_error((is_required ? "REQUIRE_GPU=1, but " : "skipped: ") + *reason);
    }
    require_host_memory(options.size.value_or(options.largest), kBytesPerElement,
                        options.size ? "--size" : "--largest");
    (void)simt::device_properties();  // if the device does not work, no case is to blame
    if (!options.cases && !options.budget_seconds) options.budget_seconds = 60;

    name_case_on_crash();
    const StopOnSignals stop_on_signals;
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const std::uint64_t seed = options.only_case.value_or(options.seed.value_or(1));
    std::uint64_t done = 0, skipped = 0;
    std::optional<std::string> reason;  // of the last one that was skipped
    for (; !stop_asked; ++done) {
        if (options.only_case && done == rows.size()) break;
        if (options.cases && done == *options.cases) break;
        if (options.budget_seconds && done >= rows.size() && seconds() > *options.budget_seconds)
            break;
        Case drawn = draw_case(*rows[done % rows.size()],
                               options.only_case ? seed : mix(mix(seed) + done), options.largest);
        if (options.size) drawn.n = *options.size;
        current_command = command_for(drawn, options);
        std::optional<std::string> wrong;
        if (auto shortage = shortage_in([&] { wrong = what_is_wrong(drawn); })) {
            ++skipped;
            reason = std::move(shortage);
        }
        if (wrong) {
            report(drawn, *wrong, options, console.out);
            return ExitCode::wrong_result;
        }
    }
    if (reason && skipped == done) throw std::runtime_error(*reason);
    console.out << done - skipped << " cases of " << rows.size() << " rows, 0 mismatches, seed "
                << seed << ", " << static_cast<int>(seconds()) << " s";
    if (reason) console.out << "; " << skipped << " skipped: " << *reason;
    console.out << '\n';
    return stop_asked ? ExitCode::interrupted : ExitCode::right;
}

}  // namespace

int main(int argc, char** argv) { return run_main(kName, run, argc, argv); }
