#include "src/check/host_check.h"

#include "src/check/wrong_output.h"
#include "src/input/parallel_for.h"

#include <algorithm>
#include <atomic>

namespace stream_compaction {
namespace {

constexpr int kSentinel = 0x5c5c5c5c;

std::size_t count_kept(std::span<const int> in) {
    std::atomic<std::size_t> count = 0;
    parallel_for(in.size(), [&](std::size_t first, std::size_t last) {
        const auto piece = in.subspan(first, last - first);
        count += piece.size() - static_cast<std::size_t>(std::ranges::count(piece, 0));
    });
    return count;
}

/// The Multiset of the values up to `largest`.
Multiset multiset(std::span<const int> values, int largest = kLargestKey) {
    std::atomic<std::uint64_t> count = 0, sum = 0, exclusive_or = 0;
    parallel_for(values.size(), [&](std::size_t first, std::size_t last) {
        Multiset piece;
        for (std::size_t i = first; i < last; ++i) {
            if (values[i] > largest) continue;
            ++piece.count;
            piece.sum += hash_of_key(values[i]);
            piece.exclusive_or ^= hash_of_key(values[i]);
        }
        count += piece.count;
        sum += piece.sum;
        exclusive_or ^= piece.exclusive_or;
    });
    return {count, sum, exclusive_or};
}

}  // namespace

HostCheck::HostCheck(Operation operation, std::span<const int> in)
    : operation_(operation),
      in_(in),
      count_(operation == Operation::compact ? count_kept(in) : in.size()) {}

void HostCheck::prepare(std::span<int> out) const {
    parallel_for(out.size(), [out](std::size_t first, std::size_t last) {
        std::ranges::fill(out.subspan(first, last - first), kSentinel);
    });
}

std::optional<std::string> HostCheck::what_is_wrong(std::span<const int> out,
                                                    std::size_t count) const {
    std::optional<std::string> wrong;
    switch (operation_) {
        case Operation::scan:
            wrong = wrong_scan(out);
            break;
        case Operation::compact:
            wrong = wrong_compaction(out, count);
            break;
        case Operation::sort:
            wrong = wrong_sort(out);
            break;
    }
    if (wrong) return wrong;
    const std::span<const int> rest = out.subspan(count_);
    const auto written =
        find_first(rest.size(), [rest](std::size_t i) { return rest[i] != kSentinel; });
    if (written) return written_past_the_end(count_ + *written, rest[*written]);
    return std::nullopt;
}

std::optional<std::string> HostCheck::wrong_scan(std::span<const int> out) const {
    const auto expected = [this, out](std::size_t i) {
        return i == 0 ? 0u : static_cast<unsigned>(out[i - 1]) + static_cast<unsigned>(in_[i - 1]);
    };
    const auto i = find_first(
        in_.size(), [&](std::size_t k) { return static_cast<unsigned>(out[k]) != expected(k); });
    if (!i) return std::nullopt;
    return wrong_element(*i, static_cast<int>(expected(*i)), out[*i]);
}

std::optional<std::string> HostCheck::wrong_compaction(std::span<const int> out,
                                                       std::size_t count) const {
    if (count != count_) return wrong_count(count_, count);
    std::size_t position = 0;
    for (const int value : in_)
        if (value != 0 && out[position++] != value)
            return wrong_element(position - 1, value, out[position - 1]);
    return std::nullopt;
}

std::optional<std::string> HostCheck::wrong_sort(std::span<const int> out) const {
    const auto descent =
        find_first(in_.size(), [out](std::size_t k) { return k > 0 && out[k] < out[k - 1]; });
    const auto ascending = out.first(descent.value_or(in_.size()));
    if (multiset(ascending) == multiset(in_)) return std::nullopt;
    const auto [i, expected] =
        first_wrong_key([this](int largest) { return multiset(in_, largest); },
                        [=](int largest) { return multiset(ascending, largest); });
    return wrong_element(i, expected, out[i]);
}

}  // namespace stream_compaction
