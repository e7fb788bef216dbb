#include "src/harness/harness.h"

#include "simt/error.h"
#include "src/check/host_check.h"
#include "src/check/wrong_output.h"
#include "src/command_line/shell_word.h"
#include "src/command_line/usage_error.h"
#include "src/explain/explainer.h"
#include "src/harness/registry_table.h"
#include "src/harness/report.h"
#include "src/harness/selection.h"
#include "src/input/input.h"
#include "src/input/key_file.h"
#include "src/program/host_memory.h"
#include "src/program/progress.h"
#include "src/program/shortage.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

constexpr std::size_t kGpuSize = std::size_t{1} << 22;
constexpr std::size_t kEmulatedSize = std::size_t{1} << 16;
constexpr std::size_t kLess = 3;  ///< makes a size that is not a power of two

/// One size of an operation.
struct Problem {
    std::string label;
    std::vector<int> input;
    HostCheck check;                       ///< of the input above
    std::optional<Microseconds> cpu = {};  ///< time of the first row, once it has run
};

std::string_view heading(Operation operation) {
    switch (operation) {
        case Operation::scan:
            return "SCAN TESTS";
        case Operation::compact:
            return "STREAM COMPACTION TESTS";
        case Operation::sort:
            return "SORTING TESTS";
    }
    return {};
}

/// The row that the other rows' times are compared with.
const Algorithm& reference(const Registry& registry, Operation operation) {
    return *std::ranges::find(registry.rows, operation, &Algorithm::operation);
}

/// On the host: two inputs, an output, and the plan of a host row.
constexpr std::size_t kBytesPerElement = 3 * sizeof(int) + kHostPlanBytes;

class Harness {
  public:
    Harness(const Registry& registry, const HarnessOptions& options, std::ostream& out,
            const Explainer* explainer)
        : registry_(registry), options_(options), out_(out), explainer_(explainer) {}

    ExitCode run() {
        const std::vector<Contender> rows = select_contenders(registry_, options_);
        const std::size_t n = options_.size.value_or(usual_size());
        require_memory(n, kBytesPerElement, options_.size, options_.distribution);
        out_ << describe_machine(registry_) << ", n = " << n << ", seed = " << options_.seed;
        if (options_.distribution) out_ << ", " << describe(*options_.distribution, n);
        out_ << '\n';
        if (options_.once) {
            for (const Contender& row : rows) call_once(row, n);
            require_a_call();
            return ExitCode::right;
        }

        for (auto first = rows.begin(); first != rows.end();) {
            const Operation operation = first->algorithm->operation;
            const auto last = std::find_if(first, rows.end(), [=](const Contender& row) {
                return row.algorithm->operation != operation;
            });
            run_operation(operation, n, std::span(first, last));
            first = last;
        }
        print_summary(out_, tally_);
        if (wrong_) return ExitCode::wrong_result;  // even if another row failed to run
        if (tally_.failed > 0) return ExitCode::cuda;
        require_a_call();
        return ExitCode::right;
    }

  private:
    /// @throws std::runtime_error if every row was skipped
    void require_a_call() const {
        if (!called_ && out_)  // otherwise the output's reader is gone
            throw std::runtime_error("nothing was measured: every selected algorithm was skipped");
    }

    bool has_file() const {
        return options_.distribution && options_.distribution->kind == Distribution::file;
    }

    std::size_t usual_size() const {
        if (has_file()) return options_.distribution->keys->size();
        return registry_.backend == simt::Backend::cuda ? kGpuSize : kEmulatedSize;
    }

    void run_operation(Operation operation, std::size_t n, std::span<const Contender> rows) {
        std::vector<std::size_t> sizes = {n};
        if (n >= kLess) sizes.push_back(n - kLess);
        std::vector<Problem> problems;
        for (const std::size_t size : sizes)
            problems.push_back(make_problem(operation, size, size_label(size, sizes)));

        print_banner(out_, heading(operation));
        print_abridged(out_, problems.front().input);
        for (const Contender& row : rows)
            for (Problem& problem : problems) run_row(row, problem);
    }

    /// Nothing else runs on the device, so a profiler sees one call only.
    void call_once(const Contender& row, std::size_t n) {
        const Algorithm& algorithm = *row.algorithm;
        out_ << to_string(algorithm.operation) << ' ' << algorithm.name << ": " << std::flush;
        const auto reason = call(row, n, [&] {
            // As in measure_time by default: a compaction keeps half of the elements, or what a
            // file contains.
            const bool compacts = algorithm.operation == Operation::compact && !has_file();
            const std::vector<int> input =
                input_of(algorithm.operation, n, compacts ? std::optional(0.5) : std::nullopt);
            std::vector<int> output(n);
            (void)run_shown(row, input, output);
        });
        out_ << (reason ? "skipped: " + *reason : "called once") << '\n';
    }

    /// Calls f, which runs the row. Returns the reason if the row cannot run here, does not accept
    /// n, or has not enough memory or threads for it.
    template <class F>
    std::optional<std::string> call(const Contender& row, std::size_t n, F f) {
        if (row.algorithm->run == nullptr) return std::string(row.algorithm->unavailable);
        try {
            std::optional<std::string> reason;
            const auto shortage = shortage_in([&] {
                reason = too_large(row, n);
                if (reason) return;
                f();
                called_ = true;
            });
            return shortage ? shortage : reason;
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
    }

    /// On a terminal, shows the progress of a long call.
    static Outcome run_shown(const Contender& row, std::span<const int> in, std::span<int> out) {
        CallProgress progress;
        return row.algorithm->run(in, out, row.tuning);
    }

    std::vector<int> input_of(Operation operation, std::size_t n,
                              std::optional<double> kept = std::nullopt) const {
        const auto usual =
            operation == Operation::sort ? Distribution::uniform : Distribution::uniform50;
        return make_input(options_.distribution.value_or(usual), kept, n, options_.seed);
    }

    Problem make_problem(Operation operation, std::size_t n, std::string label) const {
        std::vector<int> input = input_of(operation, n);
        const HostCheck check(operation, input);  // elements that do not move with their vector
        return {.label = std::move(label), .input = std::move(input), .check = check};
    }

    void run_row(const Contender& row, Problem& problem) {
        if (!out_) return;  // the output's reader is gone
        print_title(out_, *row.algorithm, problem.label);
        out_ << std::flush;  // shows the name of the row that runs, or crashes
        if (dead_) return skip("not run: CUDA does not recover from the error above");
        try {
            const auto reason = call(row, problem.input.size(), [&] { measure(row, problem); });
            if (reason) skip(*reason);
        } catch (const std::exception& error) {
            fail(error.what(), row, problem);
            dead_ = !is_alive();
        }
        out_ << std::flush;  // an interruption loses no row
    }

    void measure(const Contender& row, Problem& problem) {
        const Algorithm& algorithm = *row.algorithm;
        const std::size_t n = problem.input.size();
        std::vector<int> guarded(n + HostCheck::kGuard);
        const std::span output = std::span(guarded).first(n);
        // The first call loads the kernels and warms the caches.
        (void)run_shown(row, problem.input, output);
        problem.check.prepare(guarded);
        const Outcome outcome = run_shown(row, problem.input, output);

        print_time(out_, algorithm.operation, n, outcome, clock_of(algorithm, registry_.backend),
                   problem.cpu);
        if (&algorithm == &reference(registry_, algorithm.operation)) problem.cpu = outcome.elapsed;
        if (algorithm.runs_on == Place::host)
            print_abridged(out_, output.first(std::min(n, outcome.count)));
        const std::size_t count = problem.check.count();
        const auto wrong = outcome.count != count
                               ? std::optional(wrong_count(count, outcome.count))
                               : problem.check.what_is_wrong(guarded, outcome.count);
        if (wrong) {
            wrong_ = true;
            fail(*wrong, row, problem);
        } else {
            out_ << "    passed\n";
            ++tally_.passed;
            if (explainer_ != nullptr)
                out_ << std::flush << "    "
                     << explainer_->line(row, problem.input, outcome.elapsed) << '\n';
        }
    }

    std::optional<std::string> too_large(const Contender& row, std::size_t n) const {
        const std::size_t needed = device_bytes(*row.algorithm, n, row.tuning);
        if (needed == 0) return std::nullopt;  // a row on the host, or no work
        const std::size_t available = registry_.memory_info().free;
        if (needed <= available) return std::nullopt;
        return "needs " + with_unit(needed) + ", " + with_unit(available) + " free";
    }

    /// Whether CUDA still works: after an error in a kernel it repeats that error in every call.
    bool is_alive() const {
        try {
            (void)registry_.memory_info();
            return true;
        } catch (const std::bad_alloc&) {
            return true;  // the host has too little memory
        } catch (const std::exception&) {
            return false;
        }
    }

    void skip(std::string_view reason) {
        out_ << "    skipped: " << reason << '\n';
        ++tally_.skipped;
    }

    void fail(std::string_view what, const Contender& row, const Problem& problem) {
        out_ << "    FAILED: " << what << " (n = " << problem.input.size()
             << ", seed = " << options_.seed << ")\n"
             << "    repeat: " << command(row, problem.input.size()) << '\n';
        ++tally_.failed;
    }

    /// The command that runs this row alone, on the same input.
    std::string command(const Contender& row, std::size_t n) const {
        std::string text = "stream_compaction_test --backend ";
        text += registry_.backend == simt::Backend::cuda ? "cuda" : "emulated";
        if (options_.emulate != nullptr) text.append(" --emulate ").append(options_.emulate->name);
        text.append(" --operation ").append(to_string(row.algorithm->operation));
        text.append(" --algorithm ").append(row.algorithm->name);
        text += " --size " + std::to_string(n) + " --seed " + std::to_string(options_.seed);
        if (options_.distribution)
            text += " --distribution " + shell_word(to_string(*options_.distribution));
        if (row.tuning.block_size != 0)
            text += " --block-size " + std::to_string(row.tuning.block_size);
        if (row.tuning.items_per_thread != 0)
            text += " --items-per-thread " + std::to_string(row.tuning.items_per_thread);
        return text;
    }

    const Registry& registry_;
    const HarnessOptions& options_;
    std::ostream& out_;
    const Explainer* const explainer_;
    Tally tally_;
    bool wrong_ = false;   ///< a row's result is wrong
    bool called_ = false;  ///< a row ran to its end
    bool dead_ = false;    ///< a row failed, and no other row can run
};

}  // namespace

ExitCode run(const Registry& registry, const HarnessOptions& options, std::ostream& out,
             const Explainer* explainer) {
    return Harness(registry, options, out, explainer).run();
}

ExitCode run_harness(const std::vector<std::string>& arguments, const BuiltBackends& built,
                     std::ostream& out) {
    const HarnessOptions options = parse_harness_options(arguments);
    if (!options.answer.empty()) {
        out << options.answer;
        return ExitCode::right;
    }
    // A wrong command line is wrong on every machine, so it is reported first.
    (void)select_contenders(built.cuda != nullptr ? *built.cuda : *built.emulated, options);

    const ChosenBackend backend = choose_backend(options.backend, built);
    if (!backend.note.empty()) out << backend.note << '\n';
    if (options.emulate != nullptr) backend.registry->emulate(options.emulate);
    if (options.max_device_bytes) backend.registry->limit_memory(*options.max_device_bytes);
    if (options.list) {
        print_rows(out, *backend.registry);
        return ExitCode::right;
    }
    std::optional<Explainer> explainer;
    if (options.explain)
        explainer.emplace(*backend.registry, options.emulate, folder_of_programs());
    return run(*backend.registry, options, out, explainer ? &*explainer : nullptr);
}

}  // namespace stream_compaction
