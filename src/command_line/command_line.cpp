#include "src/command_line/command_line.h"

#include "src/command_line/size.h"
#include "src/command_line/usage_error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace stream_compaction {
namespace {

/// Parses the whole text as a number of this type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
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

/// "--size: given twice ('8', '9')"
[[noreturn]] void refuse_repetition(const std::string& option,
                                    const std::vector<std::string>& values) {
    std::string given;
    for (const std::string& value : values)
        given.append(given.empty() ? "" : ", ").append(in_quotes(value));
    const std::string times =
        values.size() == 2 ? "twice" : std::to_string(values.size()) + " times";
    throw UsageError(option + ": given " + times + " (" + given + ")");
}

/// Rewrites CLI11's "--size: 1 required N missing".
std::string value_is_missing(const std::string& found) {
    return found.substr(0, found.find(':')) + ": the value is missing";
}

/// "--once=true", or "--size=" without a value. CLI11 accepts true for a flag, and after "--size="
/// the next argument.
void refuse_wrong_assignments(const CLI::App& app, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        const std::size_t sign = argument.find('=');
        if (sign == std::string::npos) continue;
        const std::string name = argument.substr(0, sign);
        const CLI::Option* const option = app.get_option_no_throw(name);
        if (option == nullptr || !name.starts_with("--")) continue;
        if (option->get_items_expected_max() == 0) throw UsageError(name + " accepts no value");
        if (sign + 1 == argument.size()) throw UsageError(name + ": the value is missing");
    }
}

std::string names_of_options(const CLI::App& app) {
    std::string names;
    for (const CLI::Option* option : app.get_options())
        names.append(names.empty() ? "" : ", ").append(option->get_name());
    return names;
}

}  // namespace

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, program)) {
    app_->set_help_flag("--help", "Show this text");
    app_->set_version_flag("--version", "stream_compaction " STREAM_COMPACTION_VERSION)
        ->description("Show the version");
    app_->allow_extras();
}

CommandLine::~CommandLine() = default;

void CommandLine::add_value(const std::string& name, const std::string& type,
                            const std::string& help, Take take) {
    const CLI::callback_t take_it = [name, take = std::move(take)](const CLI::results_t& values) {
        if (values.size() > 1) refuse_repetition(name, values);
        take(values.front());
        return true;
    };
    app_->add_option(name, take_it, help)
        ->type_name(type)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::add_list(const std::string& name, const std::string& type,
                           const std::string& help, Take take) {
    const CLI::callback_t take_all = [take = std::move(take)](const CLI::results_t& values) {
        for (const std::string& value : values)
            for (const std::string& part : split_at_commas(value)) take(part);
        return true;
    };
    app_->add_option(name, take_all, help)
        ->type_name(type)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::add_flag(const std::string& name, const std::string& help, bool& flag) {
    app_->add_flag(name, flag, help);
}

std::string CommandLine::parse(std::vector<std::string> arguments) {
    refuse_wrong_assignments(*app_, arguments);
    try {
        std::ranges::reverse(arguments);  // CLI11 expects them in reverse order
        app_->parse(arguments);
    } catch (const CLI::CallForHelp&) {
        return app_->help();
    } catch (const CLI::CallForVersion& version) {
        return version.what() + std::string("\n");
    } catch (const CLI::ArgumentMismatch& error) {
        throw UsageError(value_is_missing(error.what()));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what() + std::string("; --help shows what is allowed"));
    }
    if (const auto unknown = app_->remaining(); !unknown.empty())
        throw UsageError("unknown argument " + in_quotes(unknown.front()) + ", expected " +
                         names_of_options(*app_));
    return {};
}

Operation parse_operation(const std::string& given) {
    for (const Operation operation : {Operation::scan, Operation::compact, Operation::sort})
        if (given == to_string(operation)) return operation;
    throw UsageError("--operation", given, "scan, compact or sort");
}

std::uint64_t parse_whole_number(std::string_view option, const std::string& given,
                                 std::uint64_t first, std::uint64_t last) {
    const auto number = parse_number<std::uint64_t>(given);
    if (number && *number >= first && *number <= last) return *number;
    const bool is_open = last == std::numeric_limits<std::uint64_t>::max();
    throw UsageError(option, given,
                     "a whole number from " + std::to_string(first) +
                         (is_open ? " to 2^64 - 1" : " to " + std::to_string(last)));
}

std::size_t parse_size_option(std::string_view option, const std::string& given) {
    try {
        return parse_size(given);
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string(option) + ": " + error.what());
    }
}

std::string parse_file(std::string_view option, const std::string& given) {
    if (given.empty()) throw UsageError(option, given, "the path of a file");
    return given;
}

int parse_tuning(std::string_view option, const std::string& given) {
    const auto value = parse_number<int>(given);
    if (value && *value > 0) return *value;
    throw UsageError(option, given, "a value that --list prints for the algorithm");
}

int parse_padding(std::string_view option, const std::string& given) {
    return static_cast<int>(parse_whole_number(option, given, 0, 1));
}

double parse_share(std::string_view option, const std::string& given) {
    const auto share = parse_number<double>(given);
    if (share && *share >= 0 && *share <= 1) return std::abs(*share);  // 0 for -0
    throw UsageError(option, given, "a share, from 0 to 1");
}

double parse_seconds(std::string_view option, const std::string& given) {
    std::string_view number = given;
    for (const auto& [unit, seconds] :
         {std::pair<std::string_view, double>{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"", 1}}) {
        if (!number.ends_with(unit)) continue;
        number.remove_suffix(unit.size());
        const auto value = parse_number<double>(number);
        if (value && std::isfinite(*value) && *value >= 0) return *value * seconds;
        break;
    }
    throw UsageError(option, given, "a time such as 2, 1.5s, 300ms or 20us");
}

}  // namespace stream_compaction
