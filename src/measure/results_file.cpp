#include "src/measure/results_file.h"

#include "src/command_line/usage_error.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Names of devices and errors may not be valid UTF-8; that must not lose a measurement.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Rounded to nanoseconds, the resolution of the clocks, and to microjoules.
double rounded(double value) { return std::round(value * 1e3) / 1e3; }

Json rounded(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

/// null if a module does not have the parameter.
Json parameter(int value) { return value != 0 ? Json(value) : Json(); }

/// null for the operation on ints.
Json name_of(const Variant* variant) { return variant != nullptr ? Json(variant->name) : Json(); }

/// null if the distribution is not a random key model.
Json in_words(const Setting& setting) {
    const std::string model = in_words(setting.distribution, setting.n);
    return model.empty() ? Json() : Json(model);
}

Json to_json(const std::optional<Phases>& phases) {
    if (!phases) return {};
    return {{"map", rounded(phases->map.count())},
            {"scan", rounded(phases->scan.count())},
            {"scatter", rounded(phases->scatter.count())}};
}

Json to_json(const Measurement& measurement) {
    const Setting& setting = measurement.setting;
    Json json = {{"operation", to_string(setting.operation)},
                 {"algorithm", measurement.algorithm},
                 {"mode", to_string(setting.mode)},
                 {"n", setting.n},
                 {"distribution", to_string(setting.distribution)},
                 {"model", in_words(setting)},
                 {"kept", setting.kept ? Json(*setting.kept) : Json()},
                 {"variant", name_of(setting.variant)},
                 {"block_size", parameter(measurement.tuning.block_size)},
                 {"items_per_thread", parameter(measurement.tuning.items_per_thread)},
                 {"median_us", rounded(measurement.microseconds.median)},
                 {"min_us", rounded(measurement.microseconds.min)},
                 {"q1_us", rounded(measurement.microseconds.q1)},
                 {"q3_us", rounded(measurement.microseconds.q3)},
                 {"samples", measurement.microseconds.samples},
                 {"copy_us", rounded(measurement.copy_us)},
                 {"roof_us", rounded(measurement.roof_us)},
                 {"phases_us", to_json(measurement.phases)},
                 {"energy_mj", rounded(measurement.millijoules)},
                 {"verified", !measurement.wrong}};
    if (measurement.throttled) json["throttled"] = true;
    if (measurement.tuning.padding == 0) json["padding"] = 0;
    if (measurement.discarded > 0) json["discarded"] = measurement.discarded;
    if (measurement.unsteady_clock) json["unsteady_clock"] = true;
    return json;
}

Json to_json(const Skipped& skipped) {
    return {{"operation", to_string(skipped.setting.operation)}, {"algorithm", skipped.algorithm},
            {"mode", to_string(skipped.setting.mode)},           {"n", skipped.setting.n},
            {"variant", name_of(skipped.setting.variant)},       {"reason", skipped.reason}};
}

Json with_samples(const Measurement& measurement) {
    Json json = to_json(measurement);
    Json samples = Json::array();
    for (const double us : measurement.samples) samples.push_back(rounded(us));
    json["samples_us"] = std::move(samples);
    return json;
}

Json to_json(const SharedHost& host) {
    Json json = {{"cpus", host.cpus}, {"used_by_others", rounded(host.used_by_others)}};
    if (host.quota) json["quota"] = rounded(*host.quota);
    return json;
}

/// {"cold": {"4096": "vectors"}}
Json names_of(const FastestCopies& copies) {
    Json names = Json::object();
    for (const auto& [key, name] : copies)
        names[std::string(to_string(key.first))][std::to_string(key.second)] = name;
    return names;
}

/// One element per line, for readers and for git diff.
/// @param json_of returns the JSON of an element
template <class T, class JsonOf>
std::string lines(const std::vector<T>& elements, JsonOf json_of) {
    std::string text;
    for (const T& element : elements)
        text.append(text.empty() ? "\n    " : ",\n    ").append(text_of(json_of(element)));
    return '[' + text + (text.empty() ? "]" : "\n  ]");
}

/// @param json_of_row returns the JSON of a measurement
template <class JsonOfRow>
std::string file_of(const Results& results, JsonOfRow json_of_row) {
    Json launches = Json::object();
    for (const auto& [mode, us] : results.empty_launch_us)
        launches[std::string(to_string(mode))] = rounded(us);
    std::string text = "{\n  \"experiment\": " + text_of(results.experiment);
    text += ",\n  \"machine\": " + to_json(results.machine);
    text += ",\n  \"empty_launch_us\": " + text_of(launches);
    if (!results.fastest_copies.empty())
        text += ",\n  \"fastest_copies\": " + text_of(names_of(results.fastest_copies));
    if (results.gpu_use_by_others)
        text += ",\n  \"gpu_use_by_others\": " + std::to_string(*results.gpu_use_by_others);
    if (results.shared_host)
        text += ",\n  \"shared_host\": " + text_of(to_json(*results.shared_host));
    text += ",\n  \"rows\": " + lines(results.measured, json_of_row);
    text += ",\n  \"skipped\": " +
            lines(results.skipped, [](const Skipped& row) { return to_json(row); });
    return text + "\n}\n";
}

/// Follows links, also to a file that does not exist yet. A path with too many links stays a link.
fs::path where_links_lead(fs::path path) {
    constexpr int kMostLinks = 40;  // Linux's limit
    std::error_code error;
    for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links)
        path = path.parent_path() / fs::read_symlink(path, error);
    return path;
}

/// Folders that do not exist yet, innermost first.
std::vector<fs::path> missing_folders(fs::path folder) {
    std::vector<fs::path> missing;
    std::error_code error;
    for (; !folder.empty() && !fs::exists(folder, error); folder = folder.parent_path())
        missing.push_back(folder);
    return missing;
}

/// Whether stdout or stderr goes to this file: their readers would not see a new file of that name.
bool is_own_output(const fs::path& path) {
    return std::ranges::any_of(std::array{"/dev/stdout", "/dev/stderr"}, [&](const char* stream) {
        std::error_code error;
        return fs::equivalent(path, stream, error);
    });
}

/// access() allows root everything, but a file without write permission must not be replaced.
bool may_write(const fs::path& path, const fs::file_status& status) {
    using fs::perms;
    constexpr perms kAnyone = perms::owner_write | perms::group_write | perms::others_write;
    return (status.permissions() & kAnyone) != perms::none && access(path.c_str(), W_OK) == 0;
}

std::string csv_field(const Json& value) {
    if (value.is_null()) return {};
    if (!value.is_string()) return text_of(value);
    auto text = value.get<std::string>();
    if (text.find_first_of(",\"") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char character : text) quoted.append(character == '"' ? 2 : 1, character);
    return quoted + '"';
}

}  // namespace

std::string to_json(const Machine& machine) {
    return text_of({{"gpu", machine.gpu},
                    {"driver", machine.driver},
                    {"cuda", machine.cuda},
                    {"cub", machine.cub},
                    {"host_cpu", machine.host_cpu},
                    {"commit", machine.commit},
                    {"date", machine.date}});
}

std::string to_json(const Results& results) {
    return file_of(results, [](const Measurement& row) { return to_json(row); });
}

std::string to_json_with_samples(const Results& results) { return file_of(results, with_samples); }

std::string to_csv(const Results& results) {
    std::string text;
    // Fields that not every row has: the last columns of all rows.
    constexpr std::array<std::string_view, 4> kOptional = {"throttled", "padding", "discarded",
                                                           "unsteady_clock"};
    const std::array phases = {"map", "scan", "scatter"};
    for (const Measurement& measurement : results.measured) {
        const Json json = to_json(measurement);
        std::string names, values;
        const auto add = [&](const std::string& name, const Json& value) {
            names.append(names.empty() ? "" : ",").append(name);
            values.append(values.empty() ? "" : ",").append(csv_field(value));
        };
        for (const auto& [name, value] : json.items()) {
            if (std::ranges::find(kOptional, name) != kOptional.end()) continue;
            if (name != "phases_us")
                add(name, value);
            else
                for (const char* phase : phases)
                    add(phase + std::string("_us"), value.is_null() ? Json() : value[phase]);
        }
        add("throttled", measurement.throttled);
        add("padding", measurement.tuning.padding);
        add("discarded", measurement.discarded);
        add("unsteady_clock", measurement.unsteady_clock);
        if (text.empty()) text = names + '\n';
        text += values + '\n';
    }
    return text;
}

OutputFile::OutputFile(fs::path path, std::string option, const KeyFiles& inputs)
    : option_(std::move(option)), path_(std::move(path)) {
    std::error_code error;
    for (const auto& keys : inputs)
        if (fs::equivalent(path_, keys->path(), error))
            throw UsageError(option_, path_.string(),
                             "another file than the keys of --distribution");
    const fs::file_status status = fs::status(path_, error);
    if (!path_.has_filename() || fs::is_directory(status))
        throw FileError(option_ + ": '" + path_.string() + "' is not the name of a file");
    if (status.type() == fs::file_type::none) fail(error.message());
    if (fs::exists(status) && (!fs::is_regular_file(status) || is_own_output(path_))) {
        direct_.open(path_, std::ios::binary | std::ios::app);
        if (!direct_) fail(std::strerror(errno));
        return;
    }
    if (fs::exists(status) && !may_write(path_, status)) fail(std::strerror(EACCES));
    target_ = where_links_lead(path_);
    beside_ = target_;
    beside_.replace_filename(std::to_string(getpid()) + ".part");  // however long the name is
    // Leaves nothing behind if the program ends early: neither a file nor a folder.
    const std::vector<fs::path> made = missing_folders(target_.parent_path());
    error.clear();
    if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), error);
    const bool is_open = !error && std::ofstream(beside_);
    const int number = errno;
    std::error_code ignored;
    fs::remove(beside_, ignored);
    for (const fs::path& folder : made) fs::remove(folder, ignored);
    if (!is_open) fail(error ? error.message() : std::strerror(number));
}

bool OutputFile::is_same_file(const OutputFile& other) const {
    std::error_code error;
    const auto place = [&](const OutputFile& file) {  // also of a file that does not exist yet
        return fs::weakly_canonical(fs::absolute(where_links_lead(file.path_), error), error);
    };
    return place(*this) == place(other) || fs::equivalent(path_, other.path_, error);
}

void OutputFile::write(std::string_view text) {
    if (!is_direct()) return replace(text);
    if (direct_ << text << std::flush) return;
    reader_is_gone_ = errno == EPIPE;
    fail(reader_is_gone_ ? "its reader is gone" : "is the disk full?");
}

void OutputFile::replace(std::string_view text) const {
    std::error_code error, ignored;
    if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), error);
    if (error) fail(error.message());
    std::ofstream file(beside_, std::ios::binary);
    file << text << std::flush;
    file.close();
    if (const fs::file_status older = fs::status(target_, ignored); fs::exists(older))
        fs::permissions(beside_, older.permissions(), ignored);
    if (file) fs::rename(beside_, target_, error);
    if (file && !error) return;
    fs::remove(beside_, ignored);
    fail(error ? error.message() : "is the disk full?");
}

void OutputFile::fail(std::string_view reason) const {
    throw FileError(option_ + ": " + path_.string() + " cannot be written: " + std::string(reason));
}

}  // namespace stream_compaction
