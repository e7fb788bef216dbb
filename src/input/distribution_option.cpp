#include "src/input/distribution_option.h"

#include "src/command_line/usage_error.h"
#include "src/program/host_memory.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stream_compaction {
namespace {

/// Limits the memory that a mistyped range of models can use.
constexpr std::uint64_t kMostModels = 10000;

[[noreturn]] void refuse(const std::string& given) {
    std::string legal;
    for (const Distribution distribution : kDistributions) legal += to_string(distribution) + ", ";
    throw UsageError("--distribution", given,
                     legal + "model:NUMBER or model:FIRST..LAST, of at most " +
                         std::to_string(kMostModels) + " models, or file:PATH");
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The models of "7" or "1..200".
std::vector<Distribution> parse_models(std::string_view text, const std::string& given) {
    constexpr std::string_view kTo = "..";
    const std::size_t to = text.find(kTo);
    const auto first = parse_number(text.substr(0, to));
    const auto last =
        to == std::string_view::npos ? first : parse_number(text.substr(to + kTo.size()));
    if (!first || !last || *first > *last || *last - *first >= kMostModels) refuse(given);
    std::vector<Distribution> models;
    for (std::uint64_t i = 0; i <= *last - *first; ++i)
        models.push_back(Distribution::of_model(*first + i));
    return models;
}

}  // namespace

std::vector<Distribution> parse_distributions(const std::string& given, std::size_t most,
                                              KeyFiles& files) {
    constexpr std::string_view kModel = "model:", kFile = "file:";
    if (given.starts_with(kModel))
        return parse_models(std::string_view(given).substr(kModel.size()), given);
    if (given.starts_with(kFile) && given.size() > kFile.size()) {
        // The path is printed in tables, and written to files of UTF-8.
        if (!is_printable(given))
            throw UsageError("--distribution", given,
                             "a path in UTF-8 without control characters; rename the file");
        files.push_back(std::make_unique<const KeyFile>(given.substr(kFile.size()), most));
        return {Distribution::of_file(*files.back())};
    }
    if (const auto distribution = find_distribution(given)) return {*distribution};
    refuse(given);
}

void require_keys(const Distribution& distribution, std::size_t n) {
    if (distribution.kind != Distribution::file || n <= distribution.keys->size()) return;
    throw UsageError("--size", std::to_string(n),
                     "at most " + std::to_string(distribution.keys->size()) + ", all keys of " +
                         in_quotes(distribution.keys->path()));
}

void require_memory(std::size_t n, std::size_t bytes_per_element, std::optional<std::size_t> size,
                    const std::optional<Distribution>& distribution) {
    if (size) return require_host_memory(n, bytes_per_element, "--size");
    const bool is_of_file = distribution && distribution->kind == Distribution::file;
    require_host_memory(n, bytes_per_element, is_of_file ? "--distribution" : "",
                        is_of_file ? to_string(*distribution) : "");
}

}  // namespace stream_compaction
