#include "src/input/input.h"

#include "src/input/key_file.h"
#include "src/input/parallel_for.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stream_compaction {

Input::Input(const Distribution& distribution, std::optional<double> kept, std::size_t n,
             std::uint64_t seed)
    : distribution_(distribution.kind),
      n_(n),
      key_(mix(mix(seed + kGolden) + n)),
      step_(std::numeric_limits<std::uint64_t>::max() / std::max<std::size_t>(n, 1)),
      kept_below_(kKeepAsIs) {
    if (!kept && distribution.kind == Distribution::clustered) kept = 0.5;
    if (distribution.kind == Distribution::model) model_ = KeyModel(distribution.number, n, key_);
    if (distribution.kind == Distribution::file) {
        if (n > distribution.keys->keys().size())
            throw std::invalid_argument("the file has fewer keys");
        keys_ = distribution.keys->keys().data();
    }
    if (!kept) return;
    if (!(*kept >= 0 && *kept <= 1))
        throw std::invalid_argument("the share of kept elements must be in [0, 1]");
    kept_below_ = static_cast<std::uint64_t>(std::llround(*kept * 0x1p32));
}

void store(const Input& input, std::span<int> out) {
    // A copy per thread, which the compiler can keep in registers while `out` is written.
    parallel_for(out.size(), [input, out](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) out[i] = input[i];
    });
}

std::vector<int> make_input(const Distribution& distribution, std::optional<double> kept,
                            std::size_t n, std::uint64_t seed) {
    std::vector<int> values(n);
    store(Input(distribution, kept, n, seed), values);
    return values;
}

}  // namespace stream_compaction
