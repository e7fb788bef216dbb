#include "src/command_line/size_list.h"

#include "src/command_line/size.h"
#include "src/command_line/usage_error.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace stream_compaction {
namespace {

/// Limits the memory that a mistyped step can use.
constexpr std::size_t kMostSizes = 10000;

[[noreturn]] void refuse(std::string_view item, std::string_view why) {
    throw std::invalid_argument("given " + in_quotes(item) + ", " + std::string(why) +
                                "; expected " + std::string(kLegalSizeLists));
}

/// Returns the text up to the next separator, and removes both from `text`.
std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

void append_range(std::string_view item, std::vector<std::size_t>& sizes) {
    std::string_view rest = item;
    const std::size_t first = parse_size(take_until(rest, ':'));
    const std::size_t last = parse_size(take_until(rest, ':'));
    const bool multiplies = rest.starts_with('x');
    if (!multiplies && !rest.starts_with('+')) refuse(item, "a range ends in xFACTOR or +STEP");
    const std::size_t step = parse_size(rest.substr(1));
    if (multiplies && first == 0) refuse(item, "no factor leads away from 0");
    if (step < (multiplies ? 2 : 1)) refuse(item, "the range would not end");
    if (first > last) refuse(item, "the range has no sizes");

    for (std::size_t n = first;; n = multiplies ? n * step : n + step) {
        if (sizes.size() == kMostSizes) refuse(item, "that is more than 10000 sizes");
        sizes.push_back(n);
        if (multiplies ? n > last / step : last - n < step) return;
    }
}

}  // namespace

std::vector<std::size_t> parse_size_list(std::string_view text) {
    std::vector<std::size_t> sizes;
    if (text.empty() || text.ends_with(',')) refuse(text, "a size is missing");
    while (!text.empty()) {
        const std::string_view item = take_until(text, ',');
        if (item.find(':') != std::string_view::npos)
            append_range(item, sizes);
        else
            sizes.push_back(parse_size(item));
    }
    std::ranges::sort(sizes);
    const auto repeated = std::ranges::unique(sizes);
    sizes.erase(repeated.begin(), repeated.end());
    return sizes;
}

}  // namespace stream_compaction
