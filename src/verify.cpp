#include "src/verify.h"

#include <algorithm>

namespace stream_compaction {

void GuardedOutput::clear() { std::ranges::fill(words_, kSentinel); }

std::optional<std::size_t> GuardedOutput::first_written(std::size_t begin) const {
    const auto written = std::find_if(words_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      words_.end(), [](int word) { return word != kSentinel; });
    if (written == words_.end()) return std::nullopt;
    return static_cast<std::size_t>(written - words_.begin());
}

std::optional<Mismatch> first_mismatch(std::span<const int> expected, const GuardedOutput& got,
                                       std::size_t count) {
    const std::size_t common = std::min({expected.size(), got.room().size(), count});
    const auto [wanted, found] =
        std::ranges::mismatch(expected.first(common), got.room().first(common));
    const auto index = static_cast<std::size_t>(wanted - expected.begin());
    if (index < common) return Mismatch{index, std::to_string(*wanted), std::to_string(*found)};

    if (count < expected.size())
        return Mismatch{count, std::to_string(expected[count]),
                        "no element: the count is " + std::to_string(count) + " instead of " +
                            std::to_string(expected.size())};
    if (count > expected.size())
        return Mismatch{expected.size(), "no element",
                        "a count of " + std::to_string(count) + " instead of " +
                            std::to_string(expected.size())};
    if (const auto written = got.first_written(count))
        return Mismatch{*written, "nothing written past the " + std::to_string(count) + " elements",
                        std::to_string(got[*written])};
    return std::nullopt;
}

}  // namespace stream_compaction
