#include "src/measure/measure_program.h"

#include "simt/error.h"
#include "simt/host_limit.h"
#include "src/bench/bench.h"
#include "src/bench/gpu_state.h"
#include "src/command_line/shell_word.h"
#include "src/command_line/usage_error.h"
#include "src/measure/built_commit.h"
#include "src/measure/gpu_load.h"
#include "src/measure/host_load.h"
#include "src/measure/machine.h"
#include "src/measure/measure_options.h"
#include "src/measure/model_ratios.h"
#include "src/measure/registry_json.h"
#include "src/measure/results_file.h"
#include "src/measure/results_table.h"
#include "src/measure/study.h"
#include "src/program/host_memory.h"
#include "src/program/interruption.h"
#include "src/program/progress.h"
#include "stream_compaction/registry.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// No device to measure: the program prints the message and returns ExitCode::cuda.
class NothingToMeasureOn : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Times of an emulated GPU say nothing about a GPU, so only real GPUs are measured.
void require_gpu(const Registry& registry) {
    if (registry.backend != simt::Backend::cuda)
        throw NothingToMeasureOn("measuring needs a GPU, but the program was built without CUDA");
    if (const auto reason = registry.unavailable_reason())
        throw NothingToMeasureOn("measuring needs a GPU: " + *reason);
}

/// "scan", or "scan_compact" if several operations are measured.
std::string name_of_experiment(const MeasureOptions& options, const std::vector<Match>& matches) {
    if (!options.experiment.empty()) return options.experiment;
    std::vector<Operation> operations;
    std::string name;
    for (const Match& match : matches) {
        if (std::ranges::find(operations, match.setting.operation) != operations.end()) continue;
        operations.push_back(match.setting.operation);
        name.append(name.empty() ? "" : "_").append(to_string(match.setting.operation));
    }
    return name;
}

std::string commit_of(const MeasureOptions& options) {
    return options.commit.value_or(std::string(built_commit()));
}

void print_plan(const std::vector<Match>& matches, std::ostream& out) {
    std::size_t measured = 0, skipped = 0;
    for (const Match& match : matches) {
        const std::string setting = describe(match.setting);
        for (const Contender& contender : match.contenders)
            out << setting << ": " << describe(contender.algorithm->name, contender.tuning) << '\n';
        for (const Skipped& row : match.skipped)
            out << setting << ": " << describe(row.algorithm, row.tuning) << ": " << row.reason
                << '\n';
        measured += match.contenders.size();
        skipped += match.skipped.size();
    }
    out << measured << " to measure, " << skipped << " to skip\n";
}

/// The command that measures the row again, alone.
std::string command_for(const Measurement& row) {
    const Setting& setting = row.setting;
    std::string text = "measure_time --operation ";
    text.append(to_string(setting.operation)).append(" --algorithm ").append(row.algorithm);
    text.append(" --size ").append(std::to_string(setting.n));
    text.append(" --mode ").append(to_string(setting.mode));
    text.append(" --distribution ").append(shell_word(to_string(setting.distribution)));
    if (setting.variant != nullptr) text.append(" --variant ").append(setting.variant->name);
    if (setting.kept) {
        char share[40];
        (void)std::snprintf(share, sizeof share, " --kept %.17g", *setting.kept);
        text += share;
    }
    if (row.tuning.block_size != 0)
        text.append(" --block-size ").append(std::to_string(row.tuning.block_size));
    if (row.tuning.items_per_thread != 0)
        text.append(" --items-per-thread ").append(std::to_string(row.tuning.items_per_thread));
    if (row.tuning.padding == 0) text.append(" --padding 0");
    return text.append(" --seed ").append(std::to_string(setting.seed));
}

std::string empty_launches(const std::map<Mode, double>& empty_launch_us) {
    std::string text;
    for (const auto& [mode, us] : empty_launch_us) {
        char launch[64];
        (void)std::snprintf(launch, sizeof launch, "%.2f us %s", us,
                            std::string(to_string(mode)).c_str());
        text.append(text.empty() ? "an empty launch takes " : ", ").append(launch);
    }
    return text.empty() ? text : text + "\n\n";
}

/// Measures one match after another, and shows the progress.
class Study {
  public:
    Study(const MeasureOptions& options, std::vector<Match> matches, const Registry& registry,
          const Console& console)
        : options_(options),
          matches_(std::move(matches)),
          console_(console),
          slow_rows_(options.slowest_call_us) {
        results_.experiment = name_of_experiment(options, matches_);
        results_.machine = machine_of(registry, gpu_.driver_version(), commit_of(options));
        for (const Match& match : matches_) contenders_ += match.contenders.size();
    }

    /// @param shows_table whether a table is printed to stdout meanwhile
    void run(bool shows_table) {
        const Machine& machine = results_.machine;
        tell(machine.gpu + ", driver " + machine.driver + ", CUDA " + machine.cuda +
                 (machine.cub.empty() ? "" : ", CUB " + machine.cub) + ", " + machine.host_cpu +
                 ", commit " + machine.commit + '\n',
             shows_table);
        try {
            measure(shows_table);
        } catch (const std::bad_alloc&) {  // earlier measurements are kept, here and below
            error_ = "out of memory: " + simt::host_limit_met();
        } catch (const std::exception& error) {
            error_ = error.what();
        }
        tell(model_ratios_.table(), shows_table);
    }

    /// A study without results does not overwrite an older file.
    bool has_results() const { return !results_.measured.empty() || !results_.skipped.empty(); }
    const Results& results() const { return results_; }
    const std::string& table() const { return table_; }

    ExitCode exit_code() const {
        if (std::ranges::any_of(results_.measured,
                                [](const Measurement& row) { return bool(row.wrong); }))
            return ExitCode::wrong_result;
        if (!error_.empty() || !no_energy_.empty() ||
            std::ranges::any_of(results_.skipped, &Skipped::failed) || was_all_skipped())
            return ExitCode::cuda;
        return stop_asked ? ExitCode::interrupted : ExitCode::right;
    }

    void print_errors() const {
        for (const Measurement& row : results_.measured)
            if (row.wrong)
                console_.err << "measure_time: " << describe(row.algorithm, row.tuning) << ", "
                             << describe(row.setting) << ", seed " << row.setting.seed << ": "
                             << *row.wrong << "; repeat: " << command_for(row) << '\n';
        for (const Skipped& row : results_.skipped)
            if (row.failed)
                console_.err << "measure_time: " << describe(row.algorithm, row.tuning) << ", "
                             << describe(row.setting) << ": " << row.reason << '\n';
        if (!no_energy_.empty()) console_.err << "measure_time: --energy: " << no_energy_ << '\n';
        if (!error_.empty()) console_.err << "measure_time: " << error_ << '\n';
        if (was_all_skipped())
            console_.err << "measure_time: nothing was measured: every selected algorithm was "
                            "skipped\n";
    }

  private:
    bool was_all_skipped() const {
        return !stop_asked && error_.empty() && results_.measured.empty() &&
               !results_.skipped.empty() &&
               std::ranges::none_of(results_.skipped, &Skipped::failed);
    }

    void measure(bool shows_table) {
        results_.gpu_use_by_others = gpu_use_by_others(
            [this] { return gpu_.busy_percent(); },
            [](double seconds) {
                std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
            });
        Bench bench(
            options_.protocol, flush_sizes(), stop_asked, [this] { return gpu_.clock(); },
            options_.energy ? EnergyCounter([this] { return gpu_.millijoules(); }) : nullptr);
        for (const Match& match : matches_) measure_empty_launch(match.setting.mode, bench);
        tell(empty_launches(results_.empty_launch_us), shows_table);

        const HostLoad host_load;
        const Progress progress(contenders_);
        std::size_t done = 0;
        for (Match& match : matches_) {
            if (stop_asked) return;
            const auto show = [&, done] { progress.show(done, describe(match.setting)); };
            show();
            done += match.contenders.size();
            slow_rows_.remove_from(match);
            std::optional<CallProgress> of_call;  // calls on device arrays are short
            if (match.setting.mode == Mode::host) of_call.emplace(show);
            Round round = bench.measure(match.setting, match.contenders);
            results_.fastest_copies = bench.fastest_copies();
            of_call.reset();
            round.skipped.insert(round.skipped.begin(), match.skipped.begin(), match.skipped.end());
            progress.clear();
            const std::optional<SharedHost> host = host_load.shared();
            tell(stream_compaction::table(match.setting, round, host, results_.gpu_use_by_others),
                 shows_table);
            if (host && std::ranges::any_of(round.measured, &Measurement::is_on_host))
                results_.shared_host = host;
            model_ratios_.note(match.setting, round);
            for (Measurement& row : round.measured) {
                slow_rows_.note(row);
                results_.measured.push_back(std::move(row));
            }
            if (no_energy_.empty()) no_energy_ = round.no_energy.value_or("");
            for (Skipped& row : round.skipped) results_.skipped.push_back(std::move(row));
            if (round.fault) {
                error_ = *round.fault;
                return;
            }
        }
    }

    void measure_empty_launch(Mode mode, Bench& bench) {
        if (mode == Mode::host || results_.empty_launch_us.contains(mode)) return;
        try {
            results_.empty_launch_us[mode] = bench.empty_launch_us(mode);
        } catch (const simt::OutOfMemory&) {  // same as for device rows, which report it
        }
    }

    void tell(const std::string& text, bool shows_table) {
        table_ += text;
        if (!shows_table) return;
        console_.out << text << std::flush;
        // Nobody reads the output any more.
        if (!console_.out && !options_.output && !options_.samples_file) stop_asked = true;
    }

    const MeasureOptions& options_;
    std::vector<Match> matches_;
    Console console_;
    GpuState gpu_;
    SlowRows slow_rows_;
    ModelRatios model_ratios_;
    std::size_t contenders_ = 0;
    Results results_;
    std::string table_;
    std::string no_energy_;  ///< why rows have no energy although it was requested
    std::string error_;      ///< after which nothing more could be measured
};

}  // namespace

ExitCode measure(const std::vector<std::string>& arguments, const Registry& rows,
                 const Console& console) {
    const MeasureOptions options = parse_measure_options(arguments);
    if (!options.answer.empty()) {
        console.out << options.answer;
        return ExitCode::right;
    }
    std::vector<Match> matches = plan_study(options.request, rows);
    if (options.list) {
        console.out << list_as_json(rows);
        return ExitCode::right;
    }
    std::optional<OutputFile> file, samples_file;  // opening a pipe waits for its reader
    if (options.output) file.emplace(*options.output, "--output", options.files);
    if (options.samples_file) {
        samples_file.emplace(*options.samples_file, "--samples-file", options.files);
        if (file && file->is_same_file(*samples_file))
            throw UsageError("--samples-file", *options.samples_file,
                             "another file than that of --output");
    }
    if (options.dry_run) {
        print_plan(matches, console.out);
        return ExitCode::right;
    }
    require_gpu(rows);
    std::optional<StopOnSignals> stop_on_signals(std::in_place);
    if (options.max_device_bytes) rows.limit_memory(*options.max_device_bytes);
    const Format format = options.format.value_or(options.output ? Format::json : Format::table);
    Study study(options, std::move(matches), rows, console);
    study.run(options.output || format == Format::table);

    const std::string text = format == Format::json  ? to_json(study.results())
                             : format == Format::csv ? to_csv(study.results())
                                                     : study.table();
    // A reader may delay the end of the program.
    if (!file || file->is_direct() || (samples_file && samples_file->is_direct()))
        stop_on_signals.reset();
    ExitCode code = study.exit_code();
    study.print_errors();
    const auto write = [&](OutputFile& to, const std::string& content) {
        try {
            to.write(content);
        } catch (const FileError& error) {
            console.err << "measure_time: " << error.what() << '\n';
            if (code != ExitCode::wrong_result) code = ExitCode::files;
        }
    };
    if (samples_file && study.has_results())
        write(*samples_file, to_json_with_samples(study.results()));
    if (file && study.has_results())
        write(*file, text);
    else if (!file && format != Format::table)
        console.out << text;
    return code;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
