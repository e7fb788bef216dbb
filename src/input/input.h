// The integers that algorithms are tested on. An element is a hash of its index and the seed, so
// that host threads and device kernels compute the same array in any order.
#pragma once

#include "src/input/distribution.h"
#include "src/input/key_kinds.h"
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
    /// Length of a run in a clustered input.
    static constexpr std::size_t kRun = 1024;

    /// @param kept the share of elements that are not zero; without it, only the distribution
    ///             decides (clustered: one half)
    /// @throws std::invalid_argument for a share outside of [0, 1], or a file with fewer keys. The
    ///         keys of the file must outlive the input
    Input(const Distribution& distribution, std::optional<double> kept, std::size_t n,
          std::uint64_t seed);

    constexpr std::size_t size() const { return n_; }

    /// The keys of a file from which it is made; nullptr if it is computed.
    const int* keys() const { return keys_; }

    /// The same input, made from a copy of the keys.
    Input with_keys_at(const int* copy) const {
        Input input = *this;
        input.keys_ = copy;
        return input;
    }

    /// Element i. The last element is never zero, so that an algorithm that drops it is detected;
    /// but a file is not changed, unless a share of it is to be kept.
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
    static constexpr std::size_t kBurst = 1024;  ///< mean number of elements of a burst
    /// A nearly sorted element is less than this many positions late.
    static constexpr std::uint32_t kLate = 256;
    static constexpr std::uint64_t kKeepAsIs = ~std::uint64_t{0};

    /// 32 bits that decide whether an element is kept; they are the same for all elements of a run.
    constexpr std::uint64_t kept_hash(std::size_t i, std::uint64_t hash) const {
        const bool in_runs = distribution_ == Distribution::clustered;
        return (in_runs ? hash_of(~key_, i / kRun) : hash) & 0xffffffffu;
    }

    /// The i-th of n integers that ascend over the whole range: one from each n-th of the range.
    constexpr int ascending(std::size_t i) const {
        const std::uint64_t offset = hash_of(key_, i) % step_;
        return static_cast<int>(static_cast<std::uint32_t>((i * step_ + offset) >> 32) ^ 1u << 31);
    }

    /// 64 random bits, computed from the 32 bits of an element.
    constexpr std::uint64_t more_bits(std::uint32_t word) const { return mix(word ^ key_); }

    /// The i-th of n Unix times, which ascend from September 2001 to September 2035.
    constexpr std::uint32_t stamp(std::size_t i) const {
        const auto share = static_cast<std::uint32_t>(ascending(i)) ^ 1u << 31;
        return 1'000'000'000 + share / 4;
    }

    /// The first element of burst k: a random one of the k-th kBurst elements.
    constexpr std::size_t burst_begin(std::size_t k) const {
        return k * kBurst + hash_of(~key_, k) % kBurst;
    }

    /// The Unix time of element i: bursts contain 16 elements per second, each up to a second late.
    constexpr std::uint32_t burst_stamp(std::size_t i, std::uint32_t word) const {
        const std::size_t k = i / kBurst;
        const std::size_t before = k == 0 ? 0 : burst_begin(k - 1);
        const std::size_t begin = i < burst_begin(k) ? before : burst_begin(k);
        return stamp(begin) + static_cast<std::uint32_t>((i - begin + word % 16) / 16);
    }

    /// Counter i % 4, which begins in the first half of its quarter of [0, 2^31).
    constexpr std::uint64_t serial(std::size_t i) const {
        const std::uint64_t counter = i % 4;
        return (counter << 29) + hash_of(~key_, counter) % (1u << 28) + i / 4;
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
                return static_cast<int>(word & more_bits(word));
            case Distribution::and4: {
                const std::uint64_t more = more_bits(word);
                return static_cast<int>(word & more & more >> 32 & mix(more));
            }
            case Distribution::zipf:
                return static_cast<int>(key_kinds::zipf(word));
            case Distribution::negative:
                return static_cast<int>(word | 1u << 31);
            // Hard for sorts that begin with the highest digits: the first digit suggests a wrong
            // spread of the others, and some digit values have far more keys than the average.
            case Distribution::outliers:
                return static_cast<int>(more_bits(word) % 4096 == 0 ? word : word & 0xff00007f);
            case Distribution::gaps:
                return static_cast<int>(word & 0xfff83fff);
            case Distribution::year:
                return 1'767'225'600 + static_cast<int>(std::uint64_t{word} * 31'536'000 >> 32);
            case Distribution::bursts:
                return static_cast<int>(burst_stamp(i, word));
            case Distribution::nearly_sorted: {
                const std::size_t arrived = i + word % kLate;
                return static_cast<int>(stamp(arrived < n_ ? arrived : n_ - 1));
            }
            case Distribution::organ_pipe:
                return static_cast<int>(i < n_ / 2 ? i : n_ - 1 - i);
            case Distribution::fixed_nibble:
                return static_cast<int>((word & 0xfff0ffff) | (key_ & 0xf) << 16);
            case Distribution::serials:
                return static_cast<int>(serial(i));
            case Distribution::letters:
                return static_cast<int>(key_kinds::letters(more_bits(word)));
            case Distribution::degrees:
                return static_cast<int>(key_kinds::degree(word));
            case Distribution::dates:
                return static_cast<int>(key_kinds::date(word));
            case Distribution::morton:
                return static_cast<int>(key_kinds::morton(word));
            case Distribution::prices:
                return static_cast<int>(key_kinds::price(more_bits(word)));
            case Distribution::bell_curve:
                return static_cast<int>(key_kinds::sum_of_four(more_bits(word)) / 4 ^ 1u << 31);
            case Distribution::normal_floats:
                return static_cast<int>(key_kinds::normal_float(more_bits(word)));
            case Distribution::ipv4:
                return static_cast<int>(key_kinds::ipv4(more_bits(word)));
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
    std::uint64_t kept_below_;  ///< an element is kept if its 32-bit hash is smaller
};

/// Stores the first out.size() elements of `input`, on all cores.
void store(const Input& input, std::span<int> out);

/// Creates an input on the host; see Input.
std::vector<int> make_input(const Distribution& distribution, std::optional<double> kept,
                            std::size_t n, std::uint64_t seed);

}  // namespace stream_compaction
