#include "src/results_file.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>

namespace stream_compaction {
namespace {

using Json = nlohmann::ordered_json;

/// To the nanosecond: no clock here resolves more.
double rounded(double us) { return std::round(us * 1e3) / 1e3; }

Json microseconds(const std::optional<double>& us) { return us ? Json(rounded(*us)) : Json(); }

/// null for a module that has no such parameter.
Json parameter(int value) { return value != 0 ? Json(value) : Json(); }

/// null for the operation on ints.
Json name_of(const Variant* variant) { return variant != nullptr ? Json(variant->name) : Json(); }

Json to_json(const std::optional<Phases>& phases) {
    if (!phases) return {};
    return {{"map", rounded(phases->map.count())},
            {"scan", rounded(phases->scan.count())},
            {"scatter", rounded(phases->scatter.count())}};
}

Json to_json(const Row& row) {
    const Setting& setting = row.setting;
    Json json = {{"operation", to_string(setting.operation)},
                 {"algorithm", row.algorithm},
                 {"mode", to_string(setting.mode)},
                 {"n", setting.n},
                 {"distribution", to_string(setting.distribution)},
                 {"kept", setting.kept ? Json(*setting.kept) : Json()},
                 {"variant", name_of(setting.variant)},
                 {"block_size", parameter(row.tuning.block_size)},
                 {"items_per_thread", parameter(row.tuning.items_per_thread)},
                 {"median_us", rounded(row.microseconds.median)},
                 {"min_us", rounded(row.microseconds.min)},
                 {"q1_us", rounded(row.microseconds.q1)},
                 {"q3_us", rounded(row.microseconds.q3)},
                 {"samples", row.microseconds.samples},
                 {"copy_us", microseconds(row.copy_us)},
                 {"roof_us", microseconds(row.roof_us)},
                 {"phases_us", to_json(row.phases)},
                 {"verified", !row.wrong}};
    if (row.throttled) json["throttled"] = true;
    return json;
}

Json to_json(const Skipped& skipped) {
    return {{"operation", to_string(skipped.setting.operation)}, {"algorithm", skipped.algorithm},
            {"mode", to_string(skipped.setting.mode)},           {"n", skipped.setting.n},
            {"variant", name_of(skipped.setting.variant)},       {"reason", skipped.reason}};
}

/// One element a line: a file that is read by people and compared by git.
template <class T>
std::string lines(const std::vector<T>& elements) {
    std::string text;
    for (const T& element : elements)
        text.append(text.empty() ? "\n    " : ",\n    ").append(to_json(element).dump());
    return '[' + text + (text.empty() ? "]" : "\n  ]");
}

std::string csv_field(const Json& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string to_json(const Results& results) {
    const Machine& machine = results.machine;
    const Json described = {{"gpu", machine.gpu},           {"driver", machine.driver},
                            {"cuda", machine.cuda},         {"cub", machine.cub},
                            {"host_cpu", machine.host_cpu}, {"commit", machine.commit},
                            {"date", machine.date}};
    Json launches = Json::object();
    for (const auto& [mode, us] : results.empty_launch_us)
        launches[std::string(to_string(mode))] = rounded(us);
    std::string text = "{\n  \"experiment\": " + Json(results.experiment).dump();
    text += ",\n  \"machine\": " + described.dump();
    text += ",\n  \"empty_launch_us\": " + launches.dump();
    text += ",\n  \"rows\": " + lines(results.rows);
    text += ",\n  \"skipped\": " + lines(results.skipped);
    return text + "\n}\n";
}

std::string to_csv(const Results& results) {
    std::string text;
    const std::array phases = {"map", "scan", "scatter"};
    for (const Row& row : results.rows) {
        const Json json = to_json(row);
        std::string names, values;
        const auto add = [&](const std::string& name, const Json& value) {
            names.append(names.empty() ? "" : ",").append(name);
            values.append(values.empty() ? "" : ",").append(csv_field(value));
        };
        for (const auto& [name, value] : json.items()) {
            if (name == "throttled") continue;  // the last column of every row
            if (name != "phases_us")
                add(name, value);
            else
                for (const char* phase : phases)
                    add(phase + std::string("_us"), value.is_null() ? Json() : value[phase]);
        }
        add("throttled", row.throttled);
        if (text.empty()) text = names + '\n';
        text += values + '\n';
    }
    return text;
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code error;
    const bool is_taken = std::filesystem::exists(path_, error);
    if (!path_.has_filename() || (is_taken && !std::filesystem::is_regular_file(path_, error)))
        throw FileError("--output: '" + path_.string() + "' is not the name of a file");
    error.clear();
    if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
    beside_ = path_;
    beside_ += '.' + std::to_string(getpid()) + ".part";
    if (error || !std::ofstream(beside_))
        throw FileError("--output: " + path_.string() + " cannot be written");
}

OutputFile::~OutputFile() {
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
}

void OutputFile::write(std::string_view text) {
    std::ofstream file(beside_, std::ios::binary);
    file << text << std::flush;
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(beside_, path_, error);
    if (!file || error)
        throw FileError("--output: " + path_.string() +
                        " cannot be written: " + (error ? error.message() : "is the disk full?"));
}

}  // namespace stream_compaction
