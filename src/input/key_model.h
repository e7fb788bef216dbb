// Random key models: keys as people have them. A model's number says, whatever the seed, how many
// different values there are, how often each comes, where they lie and in which order they come.
// A key is computed from its place alone and in integers, so that all hosts and devices agree.
#pragma once

#include "src/input/mix.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stream_compaction {

/// What a model's number stands for in n keys.
struct KeyLaw {
    enum class Frequency {
        even,
        zipf,       ///< the k-th most frequent value with a probability of k^-parameter
        geometric,  ///< each value a little less often than the one before; parameter: mean rank
        one_and_others  ///< one value has the share `parameter`, the others the rest
    };
    enum class Place {
        uniform,
        trie,         ///< values share prefixes, as addresses and words do
        progression,  ///< first, first + parameter, ..
        few_bits,     ///< only some bits differ
        centres       ///< close to some centres, less so farther away
    };
    enum class Order {
        random,
        runs,           ///< of equal keys
        nearly_sorted,  ///< no farther from its place than a distance
        pipe            ///< ascending, then descending
    };

    /// @param number of the model
    KeyLaw(std::uint64_t number, std::size_t n);

    std::size_t values;  ///< at most so many different ones
    Frequency frequency;
    double skew;  ///< the parameter of the frequency
    Place place;
    std::uint64_t extent;  ///< of a progression its step, else how many bits, or centres
    Order order;
    std::uint64_t reach;  ///< the mean length of a run, or the distance
};

/// "1,234 values, Zipf 1.20, trie, runs of 17"
std::string describe(const KeyLaw& law);

/// n keys of a model, computed where they are needed.
class KeyModel {
  public:
    KeyModel() = default;

    /// @param key what is random in the keys beyond the model is drawn from this
    KeyModel(std::uint64_t number, std::size_t n, std::uint64_t key);

    constexpr int operator[](std::size_t i) const {
        const std::uint32_t word = position(value_of(quantile(i)));
        return static_cast<int>(word ^ 1u << 31);  // ascending words are ascending integers
    }

  private:
    /// As many values as are equally frequent, or nearly.
    struct Group {
        std::uint64_t share = 0;  ///< of all smaller values, in units of 2^-32
        std::uint64_t value = 0;  ///< how many these are
    };
    static constexpr std::size_t kMostGroups = 140;

    void make_groups(const KeyLaw& law, std::uint64_t number);
    void choose_place(const KeyLaw& law, std::uint64_t number);

    /// Which share of all keys is smaller than key i, in units of 2^-32.
    constexpr std::uint64_t quantile(std::size_t i) const {
        switch (order_) {
            case KeyLaw::Order::random:
                return hash_of(key_, i) >> 32;
            case KeyLaw::Order::runs: {  // run k starts somewhere in the k-th `reach_` places
                const std::uint64_t k = i / reach_;
                const bool has_begun = i % reach_ >= hash_of(~key_, k) % reach_;
                return hash_of(key_, has_begun ? k + 1 : k) >> 32;
            }
            case KeyLaw::Order::nearly_sorted: {
                const std::uint64_t moved = i + hash_of(~key_, i) % (2 * reach_ + 1);
                const std::uint64_t place = moved < reach_ ? 0 : moved - reach_;
                return ascending(place < n_ ? place : n_ - 1);
            }
            case KeyLaw::Order::pipe:
                return ascending(i < n_ - i ? 2 * i : 2 * (n_ - 1 - i) + 1);
        }
        return 0;
    }

    constexpr std::uint64_t ascending(std::uint64_t i) const {
        return (i * step_ + hash_of(key_, i) % step_) >> 32;
    }

    /// The value, counted from the smallest one, below which that share of all keys is.
    constexpr std::uint64_t value_of(std::uint64_t share) const {
        std::size_t group = 0, end = groups_;
        while (end - group > 1) {
            const std::size_t middle = (group + end) / 2;
            (group_[middle].share <= share ? group : end) = middle;
        }
        const Group &first = group_[group], &next = group_[group + 1];
        return first.value +
               (share - first.share) * (next.value - first.value) / (next.share - first.share);
    }

    /// Where that value lies among all 2^32: ascending, and never twice the same.
    constexpr std::uint32_t position(std::uint64_t value) const {
        switch (place_) {
            case KeyLaw::Place::uniform:
            case KeyLaw::Place::trie:
                return leaf(value);
            case KeyLaw::Place::progression:
                return static_cast<std::uint32_t>(first_ + value * extent_);
            case KeyLaw::Place::few_bits:
                return static_cast<std::uint32_t>(first_ | deposit((value << bits_) / values_));
            case KeyLaw::Place::centres:
                return near_centre(value / extent_, value % extent_);
        }
        return 0;
    }

    /// The bits of `word`, from its lowest one, where mask_ has ones.
    constexpr std::uint64_t deposit(std::uint64_t word) const {
        std::uint64_t result = 0;
        for (std::uint64_t rest = mask_; rest != 0; rest &= rest - 1, word >>= 1)
            if ((word & 1) != 0) result |= rest & (~rest + 1);
        return result;
    }

    /// Value i of the extent_ values of a centre: as the cube of its distance in the middle.
    constexpr std::uint32_t near_centre(std::uint64_t centre, std::uint64_t i) const {
        const std::uint64_t half = extent_ / 2;
        const std::uint64_t away = i < half ? half - i : i - half;
        const std::uint64_t part = half == 0 ? 0 : (away << 31) / half;
        const std::uint64_t cube = (part * part >> 31) * part >> 31;
        const std::uint64_t distance = away + (cube * (width_ - half) >> 31);
        const std::uint64_t middle =
            centre * room_ + width_ + hash_of(place_key_, centre) % (room_ - 2 * width_);
        return static_cast<std::uint32_t>(i < half ? middle - distance : middle + distance);
    }

    /// Value number i of all in a binary trie of 32 levels: what is below a node is divided at
    /// random between its two children.
    constexpr std::uint32_t leaf(std::uint64_t i) const {
        std::uint64_t prefix = 0, count = values_;
        for (unsigned bits = 32; bits > 0; --bits) {
            const std::uint64_t hash = hash_of(place_key_ + bits, prefix);
            if (count == 1) return static_cast<std::uint32_t>(prefix | hash >> (64 - bits));
            const std::uint64_t room = std::uint64_t{1} << (bits - 1);
            const std::uint64_t least = count > room ? count - room : 0;
            const std::uint64_t most = count < room ? count : room;
            const std::uint64_t wanted =
                place_ == KeyLaw::Place::trie ? any_part(count, hash) : half_of(count, hash);
            const std::uint64_t left = wanted < least ? least : wanted > most ? most : wanted;
            if (i < left) {
                count = left;
            } else {
                i -= left;
                count -= left;
                prefix += room;
            }
        }
        return static_cast<std::uint32_t>(prefix);
    }

    // Of 64 bits, std's are wrong in nvcc 13's device code: it does not know the builtins that
    // libstdc++ takes for an unsigned long.
    static constexpr unsigned ones(std::uint64_t word) {
        return static_cast<unsigned>(std::popcount(static_cast<std::uint32_t>(word)) +
                                     std::popcount(static_cast<std::uint32_t>(word >> 32)));
    }
    static constexpr unsigned bit_width(std::uint64_t word) {
        const auto upper = static_cast<std::uint32_t>(word >> 32);
        return static_cast<unsigned>(upper != 0 ? 32 + std::bit_width(upper)
                                                : std::bit_width(static_cast<std::uint32_t>(word)));
    }

    /// All, nothing, or any part.
    static constexpr std::uint64_t any_part(std::uint64_t count, std::uint64_t hash) {
        if ((hash & 3) == 0) return 0;
        if ((hash & 3) == 1) return count;
        return count * (hash >> 32) >> 32;
    }

    /// As many heads as `count` coins show, or nearly.
    static constexpr std::uint64_t half_of(std::uint64_t count, std::uint64_t hash) {
        if (count <= 64) return ones(hash >> (64 - count));
        const std::uint64_t deviation = std::uint64_t{1} << bit_width(count) / 2;
        return count / 2 + deviation * ones(hash) / 8 - deviation * 4;
    }

    std::uint64_t n_ = 0, key_ = 0;
    std::uint64_t step_ = 1;    ///< 2^64 / n
    std::uint64_t values_ = 1;  ///< different ones

    KeyLaw::Order order_ = {};
    std::uint64_t reach_ = 1;

    KeyLaw::Place place_ = {};
    std::uint64_t place_key_ = 0;
    std::uint64_t extent_ = 0;  ///< the step of a progression, the values of a centre
    std::uint64_t first_ = 0;   ///< of a progression, or the bits that do not differ
    std::uint64_t mask_ = 0;    ///< the bits that differ
    unsigned bits_ = 0;         ///< how many these are
    std::uint64_t width_ = 0;   ///< from a centre to its farthest value
    std::uint64_t room_ = 1;    ///< of a centre

    std::size_t groups_ = 1;
    Group group_[kMostGroups + 1] = {};  ///< by their values; a last one ends them
};

}  // namespace stream_compaction
