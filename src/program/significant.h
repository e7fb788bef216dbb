// Measured values as people read them.
#pragma once

#include <string>

namespace stream_compaction {

/// The value with at least so many digits that count, without an exponent: of 3, "0.00123", "12.3"
/// and "1234".
std::string significant(double value, int digits, int least_decimals = 0);

/// What rates and ratios are printed with: "0.00123", "1.23", "12.3", "1234.5".
inline std::string three_digits(double value) { return significant(value, 3, 1); }

}  // namespace stream_compaction
