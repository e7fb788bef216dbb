#include "src/input/input.h"

#include "src/input/parallel_for.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace stream_compaction {

std::string_view to_string(Distribution distribution) {
    switch (distribution) {
        case Distribution::uniform:
            return "uniform";
        case Distribution::uniform50:
            return "uniform50";
        case Distribution::clustered:
            return "clustered";
        case Distribution::sorted:
            return "sorted";
        case Distribution::reverse:
            return "reverse";
        case Distribution::all_equal:
            return "all_equal";
        case Distribution::range16:
            return "range16";
        case Distribution::and2:
            return "and2";
        case Distribution::and4:
            return "and4";
        case Distribution::zipf:
            return "zipf";
        case Distribution::negative:
            return "negative";
        case Distribution::outliers:
            return "outliers";
        case Distribution::gaps:
            return "gaps";
    }
    throw std::invalid_argument("a distribution that does not exist");
}

std::optional<Distribution> find_distribution(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        kDistributions, [name](Distribution candidate) { return to_string(candidate) == name; });
    if (found == std::end(kDistributions)) return std::nullopt;
    return *found;
}

Input::Input(Distribution distribution, std::optional<double> kept, std::size_t n,
             std::uint64_t seed)
    : distribution_(distribution),
      n_(n),
      key_(mix(mix(seed + kGolden) + n)),
      step_(std::numeric_limits<std::uint64_t>::max() / std::max<std::size_t>(n, 1)),
      kept_below_(kKeepAsIs) {
    if (!kept && distribution == Distribution::clustered) kept = 0.5;
    if (!kept) return;
    if (!(*kept >= 0 && *kept <= 1))
        throw std::invalid_argument("the share of kept elements must be in [0, 1]");
    kept_below_ = static_cast<std::uint64_t>(std::llround(*kept * 0x1p32));
}

void store(const Input& input, std::span<int> out) {
    // A copy for each thread: the compiler can keep it in registers while `out` is written.
    parallel_for(out.size(), [input, out](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) out[i] = input[i];
    });
}

std::vector<int> make_input(Distribution distribution, std::optional<double> kept, std::size_t n,
                            std::uint64_t seed) {
    std::vector<int> values(n);
    store(Input(distribution, kept, n, seed), values);
    return values;
}

}  // namespace stream_compaction
