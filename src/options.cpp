#include "src/options.h"

#include "src/size.h"
#include "src/usage_error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace stream_compaction {
namespace {

constexpr Operation kOperations[] = {Operation::scan, Operation::compact, Operation::sort};

/// The whole text as a decimal number that its type can hold.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (error != std::errc{} || end != text.end()) return std::nullopt;
    return value;
}

std::size_t parse_size_option(const std::string& given) {
    try {
        return parse_size(given);
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--size: ") + error.what());
    }
}

Operation parse_operation(const std::string& given) {
    for (const Operation operation : kOperations)
        if (given == to_string(operation)) return operation;
    throw UsageError("--operation", given, "scan, compact or sort");
}

BackendWish parse_backend(const std::string& given) {
    if (given == "auto") return BackendWish::automatic;
    if (given == "cuda") return BackendWish::cuda;
    if (given == "emulated") return BackendWish::emulated;
    throw UsageError("--backend", given, "auto, cuda or emulated");
}

std::uint64_t parse_seed(const std::string& given) {
    if (const auto seed = parse_number<std::uint64_t>(given)) return *seed;
    throw UsageError("--seed", given, "a whole number from 0 up and below 2^64");
}

int parse_tuning(std::string_view option, const std::string& given) {
    const auto value = parse_number<int>(given);
    if (value && *value > 0) return *value;
    throw UsageError(option, given, "a number that --list shows for the row");
}

std::vector<std::string> split_at_commas(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

/// An option whose every value, between commas or repeated, goes to `take`.
template <class Take>
CLI::Option* add_list(CLI::App& app, const std::string& name, const std::string& help, Take take) {
    const CLI::callback_t take_all = [take](const CLI::results_t& values) {
        for (const std::string& value : values)
            for (const std::string& part : split_at_commas(value)) take(part);
        return true;
    };
    return app.add_option(name, take_all, help)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// An option that may be given once.
template <class Take>
CLI::Option* add_value(CLI::App& app, const std::string& name, const std::string& help, Take take) {
    const CLI::callback_t take_it = [take](const CLI::results_t& values) {
        take(values.front());
        return true;
    };
    return app.add_option(name, take_it, help);
}

std::string names_of_options(const CLI::App& app) {
    std::string names;
    for (const CLI::Option* option : app.get_options())
        names += (names.empty() ? "" : ", ") + option->get_name();
    return names;
}

}  // namespace

Options parse_options(std::vector<std::string> arguments) {
    Options options;
    CLI::App app(
        "Runs every scan, stream compaction and sort, checks its whole output against the "
        "CPU's and prints its time.",
        "stream_compaction_test");
    add_value(app, "--size",
              "Elements: " + std::string(kLegalSizes) +
                  " [2^22 on a GPU, 2^16 emulated]. Each row also runs with 3 fewer",
              [&](const std::string& given) { options.size = parse_size_option(given); })
        ->type_name("N");
    add_list(app, "--operation", "Only these: scan, compact, sort", [&](const std::string& given) {
        options.operations.push_back(parse_operation(given));
    })->type_name("NAME,...");
    add_list(app, "--algorithm", "Only these, by the names that --list shows",
             [&](const std::string& given) { options.algorithms.push_back(given); })
        ->type_name("NAME,...");
    add_value(app, "--backend", "auto, cuda or emulated [auto: the GPU where there is one]",
              [&](const std::string& given) { options.backend = parse_backend(given); })
        ->type_name("NAME");
    add_value(app, "--seed", "What the inputs are made from [1]", [&](const std::string& given) {
        options.seed = parse_seed(given);
    })->type_name("N");
    add_value(
        app, "--block-size", "Threads per block, for rows that have the choice",
        [&](const std::string& given) { options.block_size = parse_tuning("--block-size", given); })
        ->type_name("N");
    add_value(app, "--items-per-thread", "Elements per thread, for rows that have the choice",
              [&](const std::string& given) {
                  options.items_per_thread = parse_tuning("--items-per-thread", given);
              })
        ->type_name("N");
    app.add_flag("--once", options.once,
                 "Call each row once, unchecked and untimed, for a profiler to watch")
        ->disable_flag_override();
    app.add_flag("--list", options.list, "Show the rows and their legal tunings")
        ->disable_flag_override();
    app.set_help_flag("--help", "Show this text");
    app.set_version_flag("--version", "stream_compaction " STREAM_COMPACTION_VERSION)
        ->description("Show the version");
    app.allow_extras();

    try {
        std::ranges::reverse(arguments);  // CLI11 takes them from the back
        app.parse(arguments);
    } catch (const CLI::CallForHelp&) {
        options.answer = app.help();
    } catch (const CLI::CallForVersion& version) {
        options.answer = std::string(version.what()) + '\n';
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what() + std::string("; --help shows what is legal"));
    }
    if (const auto unknown = app.remaining(); !unknown.empty() && options.answer.empty())
        throw UsageError("unknown argument " + in_quotes(unknown.front()) + ", legal is " +
                         names_of_options(app));
    return options;
}

}  // namespace stream_compaction
