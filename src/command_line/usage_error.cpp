#include "src/command_line/usage_error.h"

namespace stream_compaction {

std::string in_quotes(std::string_view given) {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::string text = "'";
    for (const char character : given) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte == 0x7f) {
            text += "\\x";
            text += kHexDigits[byte / 16];
            text += kHexDigits[byte % 16];
        } else {
            text += character;
        }
    }
    return text + "'";
}

UsageError::UsageError(std::string_view option, std::string_view given, std::string_view legal)
    : UsageError(std::string(option) + ": given " + in_quotes(given) + ", expected " +
                 std::string(legal)) {}

}  // namespace stream_compaction
