#include "src/command_line/usage_error.h"

#include <algorithm>
#include <utility>

namespace stream_compaction {
namespace {

/// The bytes of the printable character that a text begins with; 0 if it begins with none.
std::size_t printable_bytes(std::string_view text) {
    const auto byte = [=](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first >= 0xf8 || bytes > text.size()) return 0;
    unsigned code = first & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    // The smallest code of each length; the control characters end at 0x9f.
    constexpr unsigned kFirst[] = {0, 0, 0xa0, 0x800, 0x10000};
    // Surrogates; and characters that begin a line, or change the direction of what follows.
    constexpr std::pair<unsigned, unsigned> kOthers[] = {
        {0xd800, 0xdfff}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    const bool is_other = std::ranges::any_of(
        kOthers, [=](const auto& range) { return code >= range.first && code <= range.second; });
    return code >= kFirst[bytes] && code <= 0x10ffff && !is_other ? bytes : 0;
}

}  // namespace

bool is_printable(std::string_view text) { return escaped(text) == text; }

std::string escaped(std::string_view text) {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::string result;
    while (!text.empty()) {
        const std::size_t bytes = printable_bytes(text);
        result += text.substr(0, bytes);
        if (bytes == 0) {
            const auto byte = static_cast<unsigned char>(text.front());
            result += "\\x";
            result += kHexDigits[byte / 16];
            result += kHexDigits[byte % 16];
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return result;
}

std::string in_quotes(std::string_view given) { return "'" + escaped(given) + "'"; }

UsageError::UsageError(std::string_view option, std::string_view given, std::string_view legal)
    : UsageError(std::string(option) + ": given " + in_quotes(given) + ", expected " +
                 std::string(legal)) {}

}  // namespace stream_compaction
