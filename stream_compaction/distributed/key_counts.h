// Counts of few values, and of digits, before any key is moved. Each rank counts its own keys, and
// all of them gather the counts.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/distributed.h"
#include "stream_compaction/distributed/kernels.h"
#include "stream_compaction/distributed/layout.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::distributed {

/// All functions are collective. They launch on one stream, and wait for it.
template <class Bits>
class KeyCounts {
  public:
    /// @param map  may change between calls
    KeyCounts(Communicator& ranks, const KeyMap<Bits>& map, const simt::DeviceProperties& device,
              simt::stream_t stream)
        : ranks_(ranks),
          map_(map),
          most_blocks_(static_cast<unsigned>(device.multiprocessors)),
          stream_(stream),
          numbers_(kMostRanks),
          counts_(kMostCounters),
          samples_(kSamples),
          numbers_on_host_(kMostRanks),
          counts_on_host_(kMostCounters) {}

    /// Device memory.
    static std::size_t workspace_bytes() {
        return kMostRanks * sizeof(Bits) + kMostCounters * sizeof(std::uint64_t);
    }

    /// The distinct values of samples of all ranks, as numbers in ascending order.
    std::vector<std::uint64_t> sampled_values(const Bits* in, const Parts& parts) {
        const std::size_t size = parts.in[ranks_.rank()];
        if (size > 0)
            simt::launch(sample<Bits>, {1, kSamples, 0, stream_}, in, size, map_, samples_.data());
        ranks_.wait(stream_);
        const std::vector<std::uint64_t> gathered = ranks_.all_gather(
            std::vector<std::uint64_t>(samples_.data(), samples_.data() + kSamples));
        std::vector<std::uint64_t> values;
        for (unsigned rank = 0; rank < ranks_.size(); ++rank)
            if (parts.in[rank] > 0)
                values.insert(values.end(), gathered.begin() + rank * kSamples,
                              gathered.begin() + (rank + 1) * kSamples);
        std::ranges::sort(values);
        const auto repeated = std::ranges::unique(values);
        values.erase(repeated.begin(), repeated.end());
        return values;
    }

    /// How many keys of all ranks have each of these values; at the end, how many have another one.
    /// Nothing if no hash function is found that suits the values.
    /// @param values numbers, at least one and at most kFewValues
    std::vector<std::uint64_t> of_values(const Bits* in, std::size_t size,
                                         std::span<const std::uint64_t> values) {
        const std::size_t used = values.size() + 1;
        const Bits multiplier = multiplier_for(values);
        if (multiplier == 0) return {};
        reset(values, used);
        if (size > 0)
            simt::launch(count_values<Bits>, {blocks(size), kThreads, 0, stream_}, in, size,
                         numbers_.data(), static_cast<unsigned>(values.size()), multiplier, map_,
                         counts_.data());
        const std::vector<std::uint64_t> gathered = gather(used);
        std::vector<std::uint64_t> sums(used, 0);
        for (std::size_t i = 0; i < gathered.size(); ++i) sums[i % used] += gathered[i];
        return sums;
    }

    /// Counts the next digit of all keys that are in buckets, and divides the buckets.
    void divide(const Bits* in, std::size_t size, Cuts& cuts) {
        std::vector<std::uint64_t> prefixes;
        for (const Cuts::Bucket& bucket : cuts.buckets()) prefixes.push_back(bucket.prefix);
        const auto buckets = static_cast<unsigned>(prefixes.size());
        const unsigned used = buckets << cuts.digit_bits();
        reset(prefixes, used);
        const bool has_all = cuts.shift() == cuts.bits();
        const std::uint64_t first = has_all ? 0 : prefixes.front() << cuts.shift();
        const std::uint64_t last = first + (~std::uint64_t{0} >> (64 - cuts.shift()));
        if (size > 0)
            simt::launch(buckets == 1 ? count_digits<Bits, true> : count_digits<Bits, false>,
                         {blocks(size), kThreads, used * sizeof(unsigned), stream_}, in, size,
                         Buckets<Bits>{numbers_.data(), buckets, cuts.shift(),
                                       static_cast<Bits>(first), static_cast<Bits>(last), map_},
                         cuts.digit_bits(), counts_.data());
        cuts.refine(gather(used));
    }

  private:
    static constexpr std::size_t kMostCounters = std::size_t{1} << kCountersLog2;

    /// A multiplier that gives each of these numbers a slot of its own; 0 if none is found.
    static Bits multiplier_for(std::span<const std::uint64_t> values) {
        constexpr int kTries = 200;  // each succeeds for a third of all sets of 64 numbers
        constexpr auto kGolden = static_cast<Bits>(0x9e3779b97f4a7c15);
        Bits multiplier = kGolden;
        for (int i = 0; i < kTries; ++i, multiplier *= kGolden) {
            std::bitset<std::size_t{1} << kSlotBits> used;
            for (const std::uint64_t value : values)
                used.set(slot_of(static_cast<Bits>(value), multiplier));
            if (used.count() == values.size()) return multiplier;
        }
        return 0;
    }

    unsigned blocks(std::size_t keys) const {
        return std::min(blocks_for(keys, kTile<Bits>), most_blocks_);
    }

    /// Copies the numbers to the device, and sets this many counters to zero. The numbers on the
    /// host may be written: every function has waited for the stream.
    void reset(std::span<const std::uint64_t> numbers, std::size_t used) {
        std::ranges::transform(numbers, numbers_on_host_.data(),
                               [](std::uint64_t number) { return static_cast<Bits>(number); });
        simt::copy_async(numbers_.data(), numbers_on_host_.data(), numbers.size() * sizeof(Bits),
                         stream_);
        simt::fill_async(counts_.data(), 0, used * sizeof(std::uint64_t), stream_);
    }

    /// Gathers this many counters of each rank.
    std::vector<std::uint64_t> gather(std::size_t used) {
        simt::copy_async(counts_on_host_.data(), counts_.data(), used * sizeof(std::uint64_t),
                         stream_);
        ranks_.wait(stream_);
        return ranks_.all_gather(std::span<const std::uint64_t>(counts_on_host_.data(), used));
    }

    Communicator& ranks_;
    const KeyMap<Bits>& map_;
    unsigned most_blocks_;
    simt::stream_t stream_;
    simt::DeviceArray<Bits> numbers_;  ///< values, or prefixes of buckets
    simt::DeviceArray<unsigned long long> counts_;
    simt::PinnedArray<unsigned long long> samples_;
    simt::PinnedArray<Bits> numbers_on_host_;
    simt::PinnedArray<std::uint64_t> counts_on_host_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
