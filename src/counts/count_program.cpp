#include "src/counts/count_program.h"

#include "simt/emulated/executor.h"
#include "simt/error.h"
#include "src/check/host_check.h"
#include "src/check/wrong_output.h"
#include "src/counts/count_options.h"
#include "src/counts/counted_row.h"
#include "src/counts/recorder.h"
#include "src/counts/source_lines.h"
#include "src/harness/selection.h"
#include "src/input/input.h"
#include "src/measure/results_file.h"
#include "src/program/interruption.h"
#include "src/program/shortage.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// Why nothing can be counted for a row; nothing if it can.
std::optional<std::string> reason_against(const Algorithm& algorithm) {
    if (algorithm.run == nullptr) return std::string(algorithm.unavailable);
    if (algorithm.runs_on == Place::host) return "runs on the host";
    return std::nullopt;
}

/// The same input as with `stream_compaction_test --once`, which profilers see.
CountedInput input_of(Operation operation, const HarnessOptions& options) {
    const auto usual =
        operation == Operation::sort ? Distribution::uniform : Distribution::uniform50;
    const Distribution distribution = options.distribution.value_or(usual);
    const bool halves = operation == Operation::compact && distribution.kind != Distribution::file;
    return {distribution, halves ? std::optional(0.5) : std::nullopt, *options.size};
}

struct Counted {
    std::vector<Launch> launches;
    std::optional<std::string> wrong;  ///< why the output is wrong
};

Counted call(const Contender& contender, const CountedInput& given, std::uint64_t seed,
             Recorder& recorder) {
    const Algorithm& algorithm = *contender.algorithm;
    const std::vector<int> input = make_input(given.distribution, given.kept, given.n, seed);
    const HostCheck check(algorithm.operation, input);
    std::vector<int> guarded(input.size() + HostCheck::kGuard);
    check.prepare(guarded);
    (void)recorder.take();
    const Outcome outcome =
        algorithm.run(input, std::span(guarded).first(input.size()), contender.tuning);
    return {recorder.take(), outcome.count != check.count()
                                 ? std::optional(wrong_count(check.count(), outcome.count))
                                 : check.what_is_wrong(guarded, outcome.count)};
}

}  // namespace

ExitCode count_accesses(const std::vector<std::string>& arguments, const Registry& rows,
                        const Console& console) {
    const CountOptions options = parse_count_options(arguments);
    if (!options.rows.answer.empty()) {
        console.out << options.rows.answer;
        return ExitCode::right;
    }
    const std::vector<Contender> contenders = select_contenders(rows, options.rows);
    std::optional<OutputFile> file;
    if (options.json) file.emplace(*options.json, "--json", options.rows.files);

    // One block at a time, in order, so that the counts are reproducible.
    simt::set_options({.workers = 1});
    simt::emulate(options.rows.emulate);
    Recorder recorder;
    std::optional<StopOnSignals> stop_on_signals(std::in_place);
    std::vector<CountedRow> counted;
    ExitCode code = ExitCode::right;
    bool lacked_resources = false;
    for (const Contender& contender : contenders) {
        if (!console.out && !file) break;  // the output's reader is gone
        if (stop_asked) {
            if (code == ExitCode::right) code = ExitCode::interrupted;
            break;
        }
        const Algorithm& algorithm = *contender.algorithm;
        const std::string name =
            std::string(to_string(algorithm.operation)) + ' ' + name_of(contender);
        if (const auto reason = reason_against(algorithm)) {
            console.out << name << ": skipped: " << *reason << "\n\n";
            continue;
        }
        const auto fail = [&](ExitCode how, std::string_view what) {
            console.err << "count_accesses: " << name << ": " << what << '\n';
            if (code != ExitCode::wrong_result) code = how;
        };
        const CountedInput input = input_of(algorithm.operation, options.rows);
        try {
            const auto shortage = shortage_in([&] {
                auto [launches, wrong] = call(contender, input, options.rows.seed, recorder);
                if (wrong) return fail(ExitCode::wrong_result, *wrong);
                const SourceLines sources(code_addresses(launches));
                CountedRow row = name_sources(contender, input, std::move(launches), sources);
                console.out << to_table(row, options.by_line) << '\n' << std::flush;
                counted.push_back(std::move(row));
            });
            if (!shortage) continue;
            lacked_resources = true;  // reported on stderr, because --explain reads no table
            console.err << "count_accesses: " << name << ": skipped: " << *shortage << '\n';
        } catch (const simt::Error& error) {
            fail(ExitCode::cuda, error.what());
        }
    }
    if (code == ExitCode::right && counted.empty() && console.out) {
        code = ExitCode::cuda;
        if (!lacked_resources)  // otherwise stderr says why
            console.err
                << "count_accesses: nothing was counted: every selected algorithm was skipped\n";
    }
    if (!file || file->is_direct()) stop_on_signals.reset();  // a reader may keep this waiting
    try {
        if (file && !counted.empty())  // nothing replaces an older file
            file->write(
                to_json(counted, options.rows.seed, std::string(options.rows.emulate->name)));
    } catch (const FileError& error) {
        // Ctrl-C also ends the reader of a pipe, as the harness is of --explain's counts.
        if (stop_asked && file->reader_is_gone())
            return code == ExitCode::right ? ExitCode::interrupted : code;
        console.err << "count_accesses: " << error.what() << '\n';
        if (code != ExitCode::wrong_result) code = ExitCode::files;
    }
    return code;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
