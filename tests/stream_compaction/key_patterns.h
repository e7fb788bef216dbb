// Keys that are hard for radix sorts, and their expected order.
#pragma once

#include "stream_compaction/key_order.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stream_compaction {

template <class Bits>
struct Pattern {
    std::string_view name;
    Bits (*make)(Bits random, std::size_t i, std::size_t n);
};

template <class Bits>
constexpr Pattern<Bits> kPatterns[] = {
    {"any bits", [](Bits r, std::size_t, std::size_t) { return r; }},
    {"one key", [](Bits, std::size_t, std::size_t) { return Bits{77}; }},
    {"fifty keys", [](Bits r, std::size_t, std::size_t) { return static_cast<Bits>(r % 50); }},
    {"fifty keys and one far away",
     [](Bits r, std::size_t i, std::size_t n) {
         return i == n / 2 + 3 ? static_cast<Bits>(~Bits{0}) : static_cast<Bits>(r % 50);
     }},
    {"both sides of zero",
     [](Bits r, std::size_t, std::size_t) { return static_cast<Bits>(r % 100 - 50); }},
    {"ascending",
     [](Bits, std::size_t i, std::size_t n) { return static_cast<Bits>(~Bits{0} / n * i); }},
    {"descending",
     [](Bits, std::size_t i, std::size_t n) { return static_cast<Bits>(~Bits{0} / n * (n - i)); }},
    {"few bits set",
     [](Bits r, std::size_t, std::size_t) {
         return static_cast<Bits>(r & std::rotl(r, 7) & std::rotl(r, 13) & std::rotl(r, 22));
     }},
    {"half of them equal",
     [](Bits r, std::size_t, std::size_t) { return r % 2 == 0 ? Bits{0x12345678} : r; }},
    {"powers of two and their neighbours",
     [](Bits r, std::size_t, std::size_t) {
         return static_cast<Bits>((Bits{1} << (r >> 8) % (8 * sizeof(Bits))) + r % 3 - 1);
     }},
    {"clusters with outliers",
     [](Bits r, std::size_t, std::size_t) {
         return r % 512 == 1 ? r : static_cast<Bits>(r & ~(~Bits{0} >> 8 & ~Bits{0x7f}));
     }},
    {"descending, by tens",
     [](Bits, std::size_t i, std::size_t n) {
         return static_cast<Bits>(~Bits{0} / (n / 10 + 1) * ((n - 1 - i) / 10) + (n - 1 - i) % 10);
     }},
    {"one key, many near another, one key",
     [](Bits r, std::size_t i, std::size_t) {
         return static_cast<Bits>(~Bits{0} / 3 * (i % 3) + (i % 3 == 1 ? r % 64 : 0));
     }},
    {"forty keys and their neighbours",
     [](Bits r, std::size_t i, std::size_t) {
         return static_cast<Bits>((~Bits{0} / 41 * (i % 40) & ~Bits{1}) + r % 2);
     }},
    {"gaps",
     [](Bits r, std::size_t, std::size_t) { return static_cast<Bits>(r & ~(Bits{0x3f} << 16)); }},
};

/// The order that the sorts promise, computed without bit tricks.
template <class Key>
bool comes_before(Key a, Key b) {
    if constexpr (std::is_floating_point_v<Key>) {
        const auto rank = [](Key x) {  // negative NaNs, numbers, positive NaNs
            return std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0;
        };
        if (rank(a) != rank(b)) return rank(a) < rank(b);
        if (rank(a) == 0 && a != b) return a < b;
        if (std::signbit(a) != std::signbit(b)) return std::signbit(a);
        if (rank(a) == 0) return false;     // equal numbers
        using Bits = KeyBits<sizeof(Key)>;  // of NaNs, the payloads
        const Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
        return std::signbit(a) ? y < x : x < y;
    } else {
        return a < b;
    }
}

template <class Key>
std::vector<Key> make_keys(const Pattern<KeyBits<sizeof(Key)>>& pattern, std::size_t n,
                           std::uint64_t seed) {
    using Bits = KeyBits<sizeof(Key)>;
    std::mt19937_64 random(seed);
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = std::bit_cast<Key>(pattern.make(static_cast<Bits>(random()), i, n));
    return keys;
}

}  // namespace stream_compaction
