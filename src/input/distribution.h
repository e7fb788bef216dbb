// Distributions of the elements of an input.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stream_compaction {

class KeyFile;

struct Distribution {
    enum Kind {
        uniform,        ///< all 2^32 integers; INT_MIN and INT_MAX are always among them
        uniform50,      ///< [0, 50)
        clustered,      ///< [1, 50), in runs that are kept or zero as a whole
        sorted,         ///< ascending over the whole range
        reverse,        ///< descending over the whole range
        all_equal,      ///< one integer
        range16,        ///< [0, 2^16)
        and2,           ///< AND of two uniform words: each bit is set with probability 1/4
        and4,           ///< AND of four: 1/16
        zipf,           ///< Zipf's law over [1, 2^20]: k with probability proportional to 1 / k
        negative,       ///< all negative integers
        outliers,       ///< 128 neighbours after each of 256 prefixes; 1 in 4096 is any integer
        gaps,           ///< uniform, except five bits in the middle, which are zero
        year,           ///< the seconds of 2026 in Unix time: the range is not a power of two
        bursts,         ///< Unix times: about 1024 elements within a minute, then a long pause
        nearly_sorted,  ///< Unix times, each less than 256 positions late
        organ_pipe,     ///< 0, 1, .. up to n / 2, then down to 0
        fixed_nibble,   ///< uniform, except bits 16 to 19, which are the same in all
        serials,        ///< four interleaved counters, far apart
        letters,        ///< four ASCII letters, as frequent as in English text
        degrees,        ///< degrees of a graph's vertices: k or more with probability 1 / k
        dates,          ///< the days of 1970 to 2029 as yyyymmdd
        morton,         ///< Morton codes of points on a bowl in [0, 1024)^3
        prices,         ///< log-normal cents, many of which end in 99, 95 or 00
        bell_curve,     ///< the mean of four uniform integers
        normal_floats,  ///< the bits of normally distributed floats, half of which are negative
        ipv4,           ///< addresses: a few networks have most of them
        model,          ///< a random key model, given by its number: see key_model.h
        file,           ///< the first keys of a file: see key_file.h
    };

    constexpr Distribution(Kind its_kind = uniform) : kind(its_kind) {}
    static Distribution of_model(std::uint64_t number);
    /// @param keys must outlive the distribution
    static Distribution of_file(const KeyFile& keys);

    Kind kind;
    std::uint64_t number = 0;  ///< of the model
    const KeyFile* keys = nullptr;

    auto operator<=>(const Distribution&) const = default;
};

/// The distributions that have only a name.
inline constexpr Distribution::Kind kDistributions[] = {
    Distribution::uniform,       Distribution::uniform50,     Distribution::clustered,
    Distribution::sorted,        Distribution::reverse,       Distribution::all_equal,
    Distribution::range16,       Distribution::and2,          Distribution::and4,
    Distribution::zipf,          Distribution::negative,      Distribution::outliers,
    Distribution::gaps,          Distribution::year,          Distribution::bursts,
    Distribution::nearly_sorted, Distribution::organ_pipe,    Distribution::fixed_nibble,
    Distribution::serials,       Distribution::letters,       Distribution::degrees,
    Distribution::dates,         Distribution::morton,        Distribution::prices,
    Distribution::bell_curve,    Distribution::normal_floats, Distribution::ipv4};

/// "zipf", "model:7", "file:keys.npy"
std::string to_string(const Distribution& distribution);

/// A model's description for n elements; empty for other distributions.
std::string in_words(const Distribution& distribution, std::size_t n);

/// Its name, followed by the description in parentheses if there is one.
std::string describe(const Distribution& distribution, std::size_t n);

/// One of kDistributions; nothing if none has that name.
std::optional<Distribution> find_distribution(std::string_view name);

}  // namespace stream_compaction
