// distributed_test: runs scan, stream compaction and sort on several GPUs, checks and times them.
#include "stream_compaction/distributed.h"
#include "src/command_line/usage_error.h"
#include "src/distributed/distributed_program.h"
#include "src/distributed/distributed_row.h"
#include "src/measure/built_commit.h"
#include "src/measure/machine.h"
#include "src/program/backend_choice.h"
#include "src/program/interruption.h"
#include "src/program/program.h"
#include "stream_compaction/registry.h"

#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

namespace stream_compaction {

#if defined(STREAM_COMPACTION_HAS_CUDA)
inline namespace gpu {
ExitCode run_distributed(const DistributedOptions& options, std::ostream& out, const TakeRow& take);
}
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
inline namespace emulated {
ExitCode run_distributed(const DistributedOptions& options, std::ostream& out, const TakeRow& take);
}
#endif

namespace {

ExitCode run_on(simt::Backend backend, const DistributedOptions& options, std::ostream& out,
                const TakeRow& take) {
    switch (backend) {
#if defined(STREAM_COMPACTION_HAS_CUDA)
        case simt::Backend::cuda:
            return gpu::run_distributed(options, out, take);
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
        case simt::Backend::emulated:
            return emulated::run_distributed(options, out, take);
#endif
        default:
            return ExitCode::cuda;
    }
}

ExitCode run(const std::vector<std::string>& arguments, const Console& console) {
    const bool is_first = number_of_process().value_or(0) == 0;
    if (!is_first) end_on_signals({});  // the first process prints the line for all
    try {
        const DistributedOptions options = parse_distributed_options(arguments);
        if (!options.answer.empty()) {
            if (is_first) console.out << options.answer;
            return ExitCode::right;
        }
        const BuiltBackends built{.cuda = registry(simt::Backend::cuda),
                                  .emulated = registry(simt::Backend::emulated)};
        const ChosenBackend chosen = choose_backend(options.backend, built);
        if (is_first && !chosen.note.empty()) console.out << chosen.note << '\n';
        if (options.emulate != nullptr) chosen.registry->emulate(options.emulate);
        std::optional<OutputFile> file;
        if (options.json && is_first) file.emplace(*options.json, "--json", options.files);
        const std::string commit(built_commit());
        const Machine machine = machine_of(*chosen.registry, std::nullopt, commit);
        std::vector<DistributedRow> rows;
        const ExitCode code =
            run_on(chosen.registry->backend, options, console.out, [&](const DistributedRow& row) {
                rows.push_back(row);
                // After each row, so that an interruption loses none.
                if (file && !file->is_direct()) file->write(to_json(machine, rows));
            });
        if (file && file->is_direct()) file->write(to_json(machine, rows));
        return code;
    } catch (const UsageError&) {  // every process throws the same
        if (is_first) throw;
        return ExitCode::usage;
    } catch (const RankFailed&) {  // the rank that failed reports its error itself
        if (is_first) throw;
        return ExitCode::cuda;
    }
}

}  // namespace

std::optional<unsigned> number_of_process() {
    for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
        if (const char* const number = std::getenv(name))
            return static_cast<unsigned>(std::strtoul(number, nullptr, 10));
    return std::nullopt;
}

}  // namespace stream_compaction

int main(int argc, char** argv) {
    return stream_compaction::run_main("distributed_test", stream_compaction::run, argc, argv);
}
