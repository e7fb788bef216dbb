// Random models of keys that resemble practice. Independent of the seed, the number of a model
// determines how many distinct values there are, their frequencies, where in the range they are,
// and the order of the keys. A key is computed from its index, in integers, so all hosts and
// devices agree.
#pragma once

#include "src/input/mix.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stream_compaction {

/// The meaning of a model's number for n keys.
struct KeyLaw {
    enum class Frequency {
        even,
        zipf,  ///< the k-th most frequent value has a probability proportional to k^-parameter
        /// Each value is slightly less frequent than the previous one; parameter: mean rank.
        geometric,
        one_and_others  ///< one value has the share `parameter`, the others the rest
    };
    /// Where in the range of the keys the values are.
    enum class Spacing {
        uniform,
        trie,         ///< values share prefixes, like addresses and words
        progression,  ///< first, first + parameter, ..
        few_bits,     ///< only some bits differ
        centres       ///< near some centres, rarer with the distance
    };
    enum class Order {
        random,
        runs,           ///< runs of equal keys
        nearly_sorted,  ///< each key within some distance of its sorted position
        pipe            ///< ascending, then descending
    };

    /// @param number of the model
    KeyLaw(std::uint64_t number, std::size_t n);

    std::size_t values;  ///< maximum number of distinct values
    Frequency frequency;
    double skew;  ///< the parameter of the frequency
    Spacing spacing;
    std::uint64_t extent;  ///< step of a progression, otherwise the number of bits or centres
    Order order;
    std::uint64_t reach;  ///< mean length of a run, or the distance
};

/// "1,234 values, Zipf 1.20, trie, runs of 17"
std::string describe(const KeyLaw& law);

/// n keys of a model, computed where they are needed.
class KeyModel {
  public:
    KeyModel() = default;

    /// @param key determines everything random in the keys beyond the model
    KeyModel(std::uint64_t number, std::size_t n, std::uint64_t key);

    constexpr int operator[](std::size_t i) const {
        const std::uint32_t word = position(value_of(quantile(i)));
        return static_cast<int>(word ^ 1u << 31);  // ascending words are ascending integers
    }

  private:
    /// Values that have the same frequency, or nearly.
    struct Group {
        std::uint64_t share = 0;  ///< sum over all smaller values, in units of 2^-32
        std::uint64_t value = 0;  ///< the number of smaller values
    };
    static constexpr std::size_t kMostGroups = 140;

    void make_groups(const KeyLaw& law, std::uint64_t number);
    void choose_spacing(const KeyLaw& law, std::uint64_t number);

    /// The share of keys that are smaller than key i, in units of 2^-32.
    constexpr std::uint64_t quantile(std::size_t i) const {
        switch (order_) {
            case KeyLaw::Order::random:
                return hash_of(key_, i) >> 32;
            case KeyLaw::Order::runs: {  // run k begins somewhere in the k-th `reach_` positions
                const std::uint64_t k = i / reach_;
                const bool has_begun = i % reach_ >= hash_of(~key_, k) % reach_;
                return hash_of(key_, has_begun ? k + 1 : k) >> 32;
            }
            case KeyLaw::Order::nearly_sorted: {
                const std::uint64_t moved = i + hash_of(~key_, i) % (2 * reach_ + 1);
                const std::uint64_t sorted = moved < reach_ ? 0 : moved - reach_;
                return ascending(sorted < n_ ? sorted : n_ - 1);
            }
            case KeyLaw::Order::pipe:
                return ascending(i < n_ - i ? 2 * i : 2 * (n_ - 1 - i) + 1);
        }
        return 0;
    }

    constexpr std::uint64_t ascending(std::uint64_t i) const {
        return (i * step_ + hash_of(key_, i) % step_) >> 32;
    }

    /// The rank, in ascending order, of the value below which this share of all keys is.
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

    /// The word of that value: ascending, without duplicates.
    constexpr std::uint32_t position(std::uint64_t value) const {
        switch (spacing_) {
            case KeyLaw::Spacing::uniform:
            case KeyLaw::Spacing::trie:
                return leaf(value);
            case KeyLaw::Spacing::progression:
                return static_cast<std::uint32_t>(first_ + value * extent_);
            case KeyLaw::Spacing::few_bits:
                return static_cast<std::uint32_t>(first_ | deposit((value << bits_) / values_));
            case KeyLaw::Spacing::centres:
                return near_centre(value / extent_, value % extent_);
        }
        return 0;
    }

    /// Distributes the bits of `word`, from the lowest one, to the positions where mask_ has ones.
    constexpr std::uint64_t deposit(std::uint64_t word) const {
        std::uint64_t result = 0;
        for (std::uint64_t rest = mask_; rest != 0; rest &= rest - 1, word >>= 1)
            if ((word & 1) != 0) result |= rest & (~rest + 1);
        return result;
    }

    /// Value i of the extent_ values of a centre: its distance from the middle is cubed.
    constexpr std::uint32_t near_centre(std::uint64_t centre, std::uint64_t i) const {
        const std::uint64_t half = extent_ / 2;
        const std::uint64_t away = i < half ? half - i : i - half;
        const std::uint64_t part = half == 0 ? 0 : (away << 31) / half;
        const std::uint64_t cube = (part * part >> 31) * part >> 31;
        const std::uint64_t distance = away + (cube * (width_ - half) >> 31);
        const std::uint64_t middle =
            centre * room_ + width_ + hash_of(spacing_key_, centre) % (room_ - 2 * width_);
        return static_cast<std::uint32_t>(i < half ? middle - distance : middle + distance);
    }

    /// Value i of a binary trie with 32 levels: the values below a node are divided at random
    /// between its two children.
    constexpr std::uint32_t leaf(std::uint64_t i) const {
        std::uint64_t prefix = 0, count = values_;
        for (unsigned bits = 32; bits > 0; --bits) {
            const std::uint64_t hash = hash_of(spacing_key_ + bits, prefix);
            if (count == 1) return static_cast<std::uint32_t>(prefix | hash >> (64 - bits));
            const std::uint64_t room = std::uint64_t{1} << (bits - 1);
            const std::uint64_t least = count > room ? count - room : 0;
            const std::uint64_t most = count < room ? count : room;
            const std::uint64_t wanted =
                spacing_ == KeyLaw::Spacing::trie ? any_part(count, hash) : half_of(count, hash);
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

    // std's functions for 64 bits are wrong in nvcc 13's device code: it does not know the builtins
    // that libstdc++ uses for unsigned long.
    static constexpr unsigned ones(std::uint64_t word) {
        return static_cast<unsigned>(std::popcount(static_cast<std::uint32_t>(word)) +
                                     std::popcount(static_cast<std::uint32_t>(word >> 32)));
    }
    static constexpr unsigned bit_width(std::uint64_t word) {
        const auto upper = static_cast<std::uint32_t>(word >> 32);
        return static_cast<unsigned>(upper != 0 ? 32 + std::bit_width(upper)
                                                : std::bit_width(static_cast<std::uint32_t>(word)));
    }

    /// 0, `count`, or any number between.
    static constexpr std::uint64_t any_part(std::uint64_t count, std::uint64_t hash) {
        if ((hash & 3) == 0) return 0;
        if ((hash & 3) == 1) return count;
        return count * (hash >> 32) >> 32;
    }

    /// Approximately the number of heads of `count` coins.
    static constexpr std::uint64_t half_of(std::uint64_t count, std::uint64_t hash) {
        if (count <= 64) return ones(hash >> (64 - count));
        const std::uint64_t deviation = std::uint64_t{1} << bit_width(count) / 2;
        return count / 2 + deviation * ones(hash) / 8 - deviation * 4;
    }

    std::uint64_t n_ = 0, key_ = 0;
    std::uint64_t step_ = 1;    ///< 2^64 / n
    std::uint64_t values_ = 1;  ///< number of distinct values

    KeyLaw::Order order_ = {};
    std::uint64_t reach_ = 1;

    KeyLaw::Spacing spacing_ = {};
    std::uint64_t spacing_key_ = 0;
    std::uint64_t extent_ = 0;  ///< step of a progression, or values of a centre
    std::uint64_t first_ = 0;   ///< of a progression, or the bits that are the same in all values
    std::uint64_t mask_ = 0;    ///< the bits that differ
    unsigned bits_ = 0;         ///< their number
    std::uint64_t width_ = 0;   ///< distance from a centre to its farthest value
    std::uint64_t room_ = 1;    ///< room of a centre

    std::size_t groups_ = 1;
    Group group_[kMostGroups + 1] = {};  ///< by their values, and an end marker
};

}  // namespace stream_compaction
