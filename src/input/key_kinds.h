// Kinds of keys that occur in practice, each a function of uniformly distributed bits. Only
// integers and single roundings of floats are used, because exp2 and log return different results
// on a device and on the host.
#pragma once

#include "src/input/mix.h"

#include <bit>
#include <cstdint>

namespace stream_compaction::key_kinds {

/// floor(2^exponent), up to 0.02 % too small. The exponent is in units of 2^-32, and below 32.
constexpr std::uint64_t power_of_two(std::uint64_t exponent) {
    // 2^(1/2), 2^(1/4), ... in units of 2^-31.
    constexpr std::uint64_t kRoots[] = {3037000500, 2553802834, 2341847524, 2242560872,
                                        2194507417, 2170868212, 2159144272, 2153306067,
                                        2150392887, 2148937775, 2148210589, 2147847087};
    constexpr int kDigits = 12;
    std::uint64_t power = std::uint64_t{1} << 31;
    for (int digit = 0; digit < kDigits; ++digit)
        if ((exponent >> (31 - digit) & 1) != 0) power = power * kRoots[digit] >> 31;
    return power << (exponent >> 32) >> 31;
}

/// floor(2^(20 u)) for a uniform u in [0, 1): the probability of k is log2(1 + 1 / k) / 20.
constexpr std::uint32_t zipf(std::uint32_t word) {
    return static_cast<std::uint32_t>(power_of_two(std::uint64_t{word} * 20));
}

/// The sum of four uniform 32-bit words: almost normal, with mean 2^33 and standard deviation
/// 2^32 / sqrt(3).
constexpr std::uint64_t sum_of_four(std::uint64_t random) {
    const std::uint64_t more = mix(random);
    return (random >> 32) + (random & 0xffffffff) + (more >> 32) + (more & 0xffffffff);
}

/// The bits of a normally distributed float with mean 0 and standard deviation 1, at most 3.47.
constexpr std::uint32_t normal_float(std::uint64_t random) {
    const auto deviation = static_cast<std::int64_t>(sum_of_four(random)) - (std::int64_t{1} << 33);
    constexpr float kScale = 1.7320508f * 0x1p-32f;
    return std::bit_cast<std::uint32_t>(static_cast<float>(deviation) * kScale);
}

/// The degree of a vertex in a graph with a power law: k or more with probability 1 / k.
constexpr std::uint32_t degree(std::uint32_t word) { return 0x7fffffff / (word >> 1 | 1); }

/// A day of the years 1970 to 2029 as yyyymmdd.
constexpr std::uint32_t date(std::uint32_t word) {
    constexpr std::uint64_t kDays = 60 * 365 + 15;
    // Counted from 1 March 1968, every fourth year ends with a leap day.
    constexpr std::uint32_t kBefore = 365 + 306;
    const auto day = kBefore + static_cast<std::uint32_t>(word * kDays >> 32);
    const std::uint32_t years = (4 * day + 3) / 1461;
    const std::uint32_t day_of_year = day - 1461 * years / 4;
    // Five consecutive months, from March on, have 153 days.
    const std::uint32_t months = (5 * day_of_year + 2) / 153;
    const std::uint32_t day_of_month = day_of_year - (153 * months + 2) / 5 + 1;
    const bool is_next_year = months >= 10;
    return (1968 + years + is_next_year) * 10000 + (is_next_year ? months - 9 : months + 3) * 100 +
           day_of_month;
}

/// Cents: log-normal with a median of 2048; 5 of 8 prices are changed to end in 99, 95 or 00.
constexpr std::uint32_t price(std::uint64_t random) {
    constexpr std::uint64_t kLeast = std::uint64_t{4} << 32;
    const auto cents =
        static_cast<std::uint32_t>(power_of_two(kLeast + sum_of_four(random) * 7 / 2));
    const std::uint64_t kind = random % 8;
    if (kind > 4) return cents;
    return (cents / 100 + 1) * 100 - (kind < 3 ? 1 : kind == 3 ? 5 : 0);
}

/// Four letters, each as frequent as in English text; ascending words are in alphabetical order.
constexpr std::uint32_t letters(std::uint64_t random) {
    // a to z, in 10,000 letters of English text.
    constexpr std::uint32_t kFrequencies[] = {817, 149, 278, 425, 1270, 223, 202, 609, 697,
                                              15,  77,  403, 241, 674,  751, 193, 10,  599,
                                              633, 905, 276, 98,  236,  15,  197, 7};
    std::uint32_t word = 0;
    for (int k = 0; k < 4; ++k, random >>= 16) {
        auto rest = static_cast<std::uint32_t>((random & 0xffff) * 10000 >> 16);
        std::uint32_t letter = 0;
        while (rest >= kFrequencies[letter]) rest -= kFrequencies[letter++];
        word = word << 8 | ('a' + letter);
    }
    return word;
}

/// Bits 0 to 9 of a word, with two zeros between neighbouring bits.
constexpr std::uint32_t spread(std::uint32_t word) {
    word = (word | word << 16) & 0x030000ff;
    word = (word | word << 8) & 0x0300f00f;
    word = (word | word << 4) & 0x030c30c3;
    return (word | word << 2) & 0x09249249;
}

/// The Morton code of a point (x, y, z) in [0, 1024)^3 on a bowl: z is proportional to the square
/// of the distance from the middle.
constexpr std::uint32_t morton(std::uint32_t word) {
    const std::uint32_t x = word >> 22, y = word >> 12 & 1023;
    const auto dx = static_cast<std::int32_t>(2 * x) - 1023;
    const auto dy = static_cast<std::int32_t>(2 * y) - 1023;
    const auto z = static_cast<std::uint32_t>((dx * dx + dy * dy) >> 11);
    return spread(x) | spread(y) << 1 | spread(z) << 2;
}

/// An IPv4 address: the k-th of 2^20 networks of 256 hosts has a probability proportional to 1 / k.
constexpr std::uint32_t ipv4(std::uint64_t random) {
    const std::uint64_t network = mix(zipf(static_cast<std::uint32_t>(random >> 32)));
    const auto first_octet = static_cast<std::uint32_t>(1 + network % 223);
    return first_octet << 24 | static_cast<std::uint32_t>(network >> 48) << 8 |
           static_cast<std::uint32_t>(random & 0xff);
}

}  // namespace stream_compaction::key_kinds
