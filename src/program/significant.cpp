#include "src/program/significant.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace stream_compaction {

std::string significant(double value, int digits, int least_decimals) {
    constexpr int kMostDecimals = 20;
    std::array<char, 512> text;  // the largest double has 309 digits
    // Only the rounded value has the right magnitude: 9.996 has the digits of 10.0.
    (void)std::snprintf(text.data(), text.size(), "%.*e", digits - 1, value);
    const std::string_view rounded = text.data();
    const std::size_t e = rounded.find('e');
    const int exponent = e == std::string_view::npos ? 0 : std::atoi(&rounded[e + 1]);
    const int decimals =
        std::clamp(digits - 1 - exponent, least_decimals, std::max(least_decimals, kMostDecimals));
    (void)std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

}  // namespace stream_compaction
