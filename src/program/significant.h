// Formats measured values.
#pragma once

#include <string>

namespace stream_compaction {

/// Returns the value with at least `digits` significant digits and no exponent: with 3, "0.00123",
/// "12.3" and "1234".
std::string significant(double value, int digits, int least_decimals = 0);

/// The format of rates and ratios: "0.00123", "1.23", "12.3", "1234.5".
inline std::string three_digits(double value) { return significant(value, 3, 1); }

}  // namespace stream_compaction
