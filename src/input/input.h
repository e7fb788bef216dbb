// The integers that algorithms are tried on. An element is a hash of its index and the seed, so
// that host threads and device kernels compute the same array in any order.
#pragma once

#include "src/input/distribution.h"
#include "src/input/key_model.h"
#include "src/input/mix.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stream_compaction {

/// An array of n integers that is computed, not stored.
class Input {
  public:
    /// Elements of one run of a clustered input.
    static constexpr std::size_t kRun = 1024;

    /// @param kept how many elements are to be non-zero, as a share of all; without it the
    ///             distribution alone decides (clustered: one half)
    /// @throws std::invalid_argument for a share outside of [0, 1], or a file with fewer keys; its
    ///         keys must stay where they are
    Input(const Distribution& distribution, std::optional<double> kept, std::size_t n,
          std::uint64_t seed);

    constexpr std::size_t size() const { return n_; }

    /// The keys of a file, from which it is made; nullptr where it is computed.
    const int* keys() const { return keys_; }

    /// The same input, made from a copy of these keys.
    Input with_keys_at(const int* copy) const {
        Input input = *this;
        input.keys_ = copy;
        return input;
    }

    /// Element i. The last one is never zero, so that whoever forgets it is found; but a file is as
    /// it is, unless a share of it is to be kept.
    constexpr int operator[](std::size_t i) const {
        const std::uint64_t hash = hash_of(key_, i);
        const int value = value_at(i, static_cast<std::uint32_t>(hash >> 32));
        const bool is_last = i + 1 == n_;
        if (kept_below_ == kKeepAsIs)
            return is_last && value == 0 && distribution_ != Distribution::file ? 1 : value;
        if (!is_last && kept_hash(i, hash) >= kept_below_) return 0;
        return value == 0 ? 1 : value;
    }

  private:
    static constexpr std::uint64_t kKeepAsIs = ~std::uint64_t{0};

    /// 32 bits that decide whether an element is kept; those of a run decide alike.
    constexpr std::uint64_t kept_hash(std::size_t i, std::uint64_t hash) const {
        const bool in_runs = distribution_ == Distribution::clustered;
        return (in_runs ? hash_of(~key_, i / kRun) : hash) & 0xffffffffu;
    }

    /// The i-th of n integers that ascend over the whole range: one out of each n-th of it.
    constexpr int ascending(std::size_t i) const {
        const std::uint64_t offset = hash_of(key_, i) % step_;
        return static_cast<int>(static_cast<std::uint32_t>((i * step_ + offset) >> 32) ^ 1u << 31);
    }

    /// floor(2^(20 u)) for a uniform u of [0, 1): k comes with probability log2(1 + 1 / k) / 20.
    /// In integers, since a device's exp2 is not the host's.
    static constexpr int zipf(std::uint32_t word) {
        // 2^(1/2), 2^(1/4), ... in units of 2^-31.
        constexpr std::uint64_t kRoots[] = {3037000500, 2553802834, 2341847524, 2242560872,
                                            2194507417, 2170868212, 2159144272, 2153306067,
                                            2150392887, 2148937775, 2148210589, 2147847087};
        constexpr int kDigits = 12;
        const std::uint64_t exponent = std::uint64_t{word} * 20;  // in units of 2^-32
        std::uint64_t power = std::uint64_t{1} << 31;
        for (int digit = 0; digit < kDigits; ++digit)
            if ((exponent >> (31 - digit) & 1) != 0) power = power * kRoots[digit] >> 31;
        return static_cast<int>(power << (exponent >> 32) >> 31);
    }

    constexpr int value_at(std::size_t i, std::uint32_t word) const {
        switch (distribution_) {
            case Distribution::uniform:
                if (n_ > 3 && i == n_ / 3) return -2147483647 - 1;
                if (n_ > 3 && i == n_ / 2) return 2147483647;
                return static_cast<int>(word);
            case Distribution::uniform50:
                return static_cast<int>(std::uint64_t{word} * 50 >> 32);
            case Distribution::clustered:
                return static_cast<int>(1 + (std::uint64_t{word} * 49 >> 32));
            case Distribution::sorted:
                return ascending(i);
            case Distribution::reverse:
                return ascending(n_ - 1 - i);
            case Distribution::all_equal:
                return static_cast<int>(key_ >> 32 | 1);
            case Distribution::range16:
                return static_cast<int>(word & 0xffff);
            case Distribution::and2:
                return static_cast<int>(word & mix(word ^ key_));
            case Distribution::and4: {
                const std::uint64_t more = mix(word ^ key_), most = mix(more);
                return static_cast<int>(word & more & more >> 32 & most);
            }
            case Distribution::zipf:
                return zipf(word);
            case Distribution::negative:
                return static_cast<int>(word | 1u << 31);
            // Against sorts by the highest digits first: what a digit tells of the others' spread
            // is wrong, and a digit's keys are many more than the digits' number promises.
            case Distribution::outliers:
                return static_cast<int>(mix(word ^ key_) % 4096 == 0 ? word : word & 0xff00007f);
            case Distribution::gaps:
                return static_cast<int>(word & 0xfff83fff);
            case Distribution::year:
                return 1'767'225'600 + static_cast<int>(std::uint64_t{word} * 31'536'000 >> 32);
            case Distribution::model:
                return model_[i];
            case Distribution::file:
                return keys_[i];
        }
        return 0;
    }

    Distribution::Kind distribution_;
    KeyModel model_;
    const int* keys_ = nullptr;
    std::size_t n_;
    std::uint64_t key_;
    std::uint64_t step_;        ///< 2^64 / n
    std::uint64_t kept_below_;  ///< kept is what has a smaller 32-bit hash
};

/// Stores the first out.size() elements of `input`, on all cores.
void store(const Input& input, std::span<int> out);

/// An input on the host; see Input.
std::vector<int> make_input(const Distribution& distribution, std::optional<double> kept,
                            std::size_t n, std::uint64_t seed);

}  // namespace stream_compaction
