// Hashes from which inputs are computed.
#pragma once

#include <cstdint>

namespace stream_compaction {

/// A bijection of 64-bit words that mixes well (the finalizer of SplitMix64, by Stafford).
constexpr std::uint64_t mix(std::uint64_t word) {
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

/// Word i of the sequence given by `key`.
constexpr std::uint64_t hash_of(std::uint64_t key, std::uint64_t i) {
    return mix(key + (i + 1) * kGolden);
}

}  // namespace stream_compaction
