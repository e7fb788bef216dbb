#include "src/explain/explainer.h"

#include "src/command_line/shell_word.h"
#include "src/command_line/usage_error.h"

#include <nlohmann/json.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A program could not be started, or did not answer.
class NoAnswer : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Keys in a file in memory, which a program that is started can read. However this program ends,
/// no file is left.
class KeysForAProgram {
  public:
    explicit KeysForAProgram(std::span<const int> keys) : file_(memfd_create("keys", MFD_CLOEXEC)) {
        std::ofstream file(path(), std::ios::binary);
        file.write(reinterpret_cast<const char*>(keys.data()),
                   static_cast<std::streamsize>(keys.size_bytes()));
        if (file.flush()) return;
        close(file_);
        throw NoAnswer("the host has no memory for the keys");
    }
    ~KeysForAProgram() { close(file_); }
    KeysForAProgram(const KeysForAProgram&) = delete;
    KeysForAProgram& operator=(const KeysForAProgram&) = delete;

    /// By this process's number: the file is not among the descriptors of a program that it starts.
    std::string path() const {
        return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
    }

  private:
    int file_;
};

/// The JSON that a command prints. Its stderr is that of this program.
Json answer_of(const fs::path& program, const std::string& arguments) {
    const std::string command = shell_word(program.string()) + ' ' + arguments;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw NoAnswer("cannot start " + program.string());
    std::string text;
    for (int character = 0; (character = std::fgetc(pipe)) != EOF;)
        text += static_cast<char>(character);
    const int status = pclose(pipe);
    const std::string name = program.filename().string();
    if (!WIFEXITED(status)) throw NoAnswer(name + " was ended by a signal");
    if (WEXITSTATUS(status) != 0)
        throw NoAnswer(name + " ended with exit code " + std::to_string(WEXITSTATUS(status)));
    Json answer = Json::parse(text, nullptr, false);
    if (answer.is_discarded()) throw NoAnswer("the output of " + name + " could not be parsed");
    return answer;
}

GlobalCounts global_counts(const Json& json) {
    return {.requests = json.at("requests"),
            .lanes = json.at("lanes"),
            .sectors = json.at("sectors"),
            .bytes_asked = json.at("bytes_asked")};
}
SharedCounts shared_counts(const Json& json) {
    return {.requests = json.at("requests"),
            .lanes = json.at("lanes"),
            .conflicts = json.at("conflicts")};
}
AtomicCounts atomic_counts(const Json& json) {
    return {.requests = json.at("requests"), .operations = json.at("operations")};
}
BulkCounts bulk_counts(const Json& json) {
    return {.copies = json.at("copies"), .bytes = json.at("bytes")};
}

/// The relevant fields of a row in the file of count_accesses.
CountedCall counted_call(const Json& row) {
    const Json& total = row.at("total");
    CountedCall call{.n = row.at("n"), .launches = row.at("launches").size(), .total = {}};
    call.total.accesses = {.loads = global_counts(total.at("global_loads")),
                           .stores = global_counts(total.at("global_stores")),
                           .shared = shared_counts(total.at("shared")),
                           .global_atomics = atomic_counts(total.at("global_atomics")),
                           .shared_atomics = atomic_counts(total.at("shared_atomics"))};
    call.total.bulk_loads = bulk_counts(total.at("bulk_loads"));
    return call;
}

/// Measured hot, as in the harness: launches back to back, and arrays that exceed any L2.
DeviceCosts measured_costs(const fs::path& programs, const Registry& registry) {
    constexpr std::size_t kN = std::size_t{1} << 26;
    const auto row = std::ranges::find_if(registry.rows, [](const Algorithm& algorithm) {
        return algorithm.runs_on == Place::device && algorithm.run != nullptr;
    });
    if (row == registry.rows.end()) throw NoAnswer("no row runs on the GPU");
    const Json answer = answer_of(programs / "measure_time",
                                  "--mode hot --samples 10 --format json --operation " +
                                      std::string(to_string(row->operation)) + " --algorithm " +
                                      std::string(row->name) + " --size " + std::to_string(kN));
    if (answer.at("rows").empty() || answer.at("rows")[0].at("copy_us").is_null())
        throw NoAnswer("measure_time has measured no copy");
    return {.launch_us = answer.at("empty_launch_us").at("hot"),
            .bytes_per_us = 2 * sizeof(int) * static_cast<double>(kN) /
                            answer.at("rows")[0].at("copy_us").get<double>()};
}

/// Whether count_accesses, which emulates, can call the row.
bool is_emulated(const Algorithm& algorithm) {
    const Registry* const emulated = registry(simt::Backend::emulated);
    const Algorithm* const row =
        emulated != nullptr ? find(*emulated, algorithm.operation, algorithm.name) : nullptr;
    return row == nullptr || row->run != nullptr;
}

CountedCall count(const Contender& row, std::span<const int> input, const fs::path& programs,
                  const std::string& profile) {
    const auto& [algorithm, tuning] = row;
    const KeysForAProgram keys(input);
    std::string arguments = "--operation ";
    arguments.append(to_string(algorithm->operation)).append(" --algorithm ");
    arguments.append(algorithm->name).append(" --size ").append(std::to_string(input.size()));
    arguments += " --distribution " + shell_word("file:" + keys.path()) + " --emulate " + profile;
    if (!algorithm->legal.block_sizes.empty())
        arguments += " --block-size " + std::to_string(tuning.block_size);
    if (!algorithm->legal.items_per_thread.empty())
        arguments += " --items-per-thread " + std::to_string(tuning.items_per_thread);
    if (!algorithm->legal.paddings.empty())
        arguments += " --padding " + std::to_string(tuning.padding);
    return counted_call(
        answer_of(programs / "count_accesses", arguments + " --json /dev/fd/3 3>&1 >/dev/null")
            .at("rows")
            .at(0));
}

std::string name_of_profile(const Registry& registry, const simt::DeviceProfile* chosen) {
    if (chosen != nullptr) return std::string(chosen->name);
    const std::string gpu = registry.device_properties().name;
    for (const simt::DeviceProfile& profile : simt::device_profiles())
        if (profile.gpu == gpu) return std::string(profile.name);
    return "h200";  // whose tunings are the defaults
}

/// Calls f, which runs a program. If it fails, returns why there is no bound; otherwise empty.
template <class F>
std::string because(F f) {
    try {
        f();
        return {};
    } catch (const NoAnswer& error) {
        return std::string("no bound: ") + error.what();
    } catch (const Json::exception&) {
        return "no bound: the output of a program lacks a field";
    }
}

}  // namespace

Explainer::Explainer(const Registry& registry, const simt::DeviceProfile* profile,
                     const fs::path& programs)
    : programs_(programs), profile_(name_of_profile(registry, profile)) {
#if !defined(STREAM_COMPACTION_HAS_COUNTS)
    throw UsageError(
        "--explain: this build cannot count accesses: it needs the emulated backend, "
        "g++ and no sanitizer");
#endif
    if (access((programs_ / "count_accesses").c_str(), X_OK) != 0)
        throw UsageError("--explain: there is no count_accesses in " +
                         in_quotes(programs_.string()) +
                         "; 'scripts/setup release stream_compaction_explain' builds it");
    if (registry.backend != simt::Backend::cuda) {
        no_costs_ = "bound unknown without a GPU's time";
        return;
    }
    no_costs_ = because([&] { costs_ = measured_costs(programs_, registry); });
}

std::string Explainer::line(const Contender& row, std::span<const int> input,
                            Microseconds elapsed) const {
    constexpr const char* kNoKernel = "no bound: launches no kernel of ours";
    if (row.algorithm->runs_on == Place::host) return "no bound: runs on the host";
    if (!is_emulated(*row.algorithm)) return kNoKernel;
    CountedCall counted;
    std::string failure = because([&] {
        counted =
            count(row, input.first(std::min(input.size(), kMostCounted)), programs_, profile_);
    });
    if (!failure.empty()) return failure;
    if (counted.launches == 0) return kNoKernel;
    const std::string counts = in_words(counted, input.size());
    if (!costs_) return no_costs_ + ": " + counts;
    if (elapsed.count() <= 0) return "bound unknown without a time: " + counts;
    return in_words(counted, {input.size(), elapsed.count(), *costs_});
}

fs::path folder_of_programs() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace stream_compaction
