// The named inputs of the tests. Their last element is not zero (unless all are), so that an
// algorithm that drops it is detected.
#pragma once

#include <cstddef>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

namespace stream_compaction {

struct Input {
    std::string_view name;
    std::vector<int> (*make)(std::size_t n);
};

namespace inputs {

inline std::vector<int> all_zero(std::size_t n) { return std::vector<int>(n, 0); }

inline std::vector<int> last_alone(std::size_t n) {
    std::vector<int> values(n, 0);
    if (n > 0) values.back() = -7;
    return values;
}

inline std::vector<int> alternating(std::size_t n) {
    std::vector<int> values(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        if ((n - 1 - i) % 2 == 0) values[i] = static_cast<int>(i) + 1;
    return values;
}

/// Any 32 bits except zero: sums overflow after a few elements.
inline std::vector<int> none_zero(std::size_t n) {
    std::mt19937 random(1);
    std::vector<int> values(n);
    for (int& value : values) value = static_cast<int>(random() | 1u);
    return values;
}

/// Half of the elements are zero, in no pattern; the others are any 32 bits.
inline std::vector<int> random(std::size_t n) {
    std::mt19937 random(2);
    std::vector<int> values(n);
    for (int& value : values) value = random() % 2 == 0 ? 0 : static_cast<int>(random());
    if (n > 0) values.back() = 12345;
    return values;
}

/// The ends of the range and the neighbours of zero, repeated: many equal keys, both signs.
inline std::vector<int> extremes(std::size_t n) {
    constexpr int kMin = std::numeric_limits<int>::min(), kMax = std::numeric_limits<int>::max();
    constexpr int kValues[] = {kMax, kMin, 0, -1, 1, kMin + 1, kMax - 1, 0, kMin, kMax};
    std::mt19937 random(3);
    std::vector<int> values(n);
    for (int& value : values) value = kValues[random() % std::size(kValues)];
    if (n > 0) values.back() = kMin;
    return values;
}

/// Descending from positive to negative.
inline std::vector<int> falling(std::size_t n) {
    std::vector<int> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(n / 2) - static_cast<int>(i);
    if (n > 0 && values.back() == 0) values.back() = -1;
    return values;
}

}  // namespace inputs

inline constexpr Input kInputs[] = {
    {"all_zero", inputs::all_zero},       {"last_alone", inputs::last_alone},
    {"alternating", inputs::alternating}, {"none_zero", inputs::none_zero},
    {"random", inputs::random},           {"extremes", inputs::extremes},
    {"falling", inputs::falling},
};

}  // namespace stream_compaction
