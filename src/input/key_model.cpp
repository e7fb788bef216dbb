#include "src/input/key_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

/// All values of a model must fit in every kind of range.
constexpr std::size_t kMostValues = std::size_t{1} << 31;
constexpr std::uint64_t kWords = std::uint64_t{1} << 32;

class Random {
  public:
    explicit Random(std::uint64_t key) : key_(key) {}

    std::uint64_t next() { return hash_of(key_, i_++); }
    /// In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double uniform(double first, double last) { return first + (last - first) * uniform(); }
    std::uint64_t below(std::uint64_t n) { return next() % n; }
    /// From 1 to `most`, every order of magnitude with the same probability.
    std::uint64_t log_uniform(std::uint64_t most) {
        const auto drawn = static_cast<std::uint64_t>(
            std::exp2(uniform() * std::log2(static_cast<double>(most) + 1)));
        return std::clamp<std::uint64_t>(drawn, 1, most);
    }

  private:
    std::uint64_t key_, i_ = 0;
};

std::uint64_t law_key(std::uint64_t number) { return mix(number); }
std::uint64_t spacing_key(std::uint64_t number) { return ~mix(number); }

/// The frequency of the values with ranks in [first, last). Rank 0 is the most frequent value.
double frequency(const KeyLaw& law, double first, double last) {
    switch (law.frequency) {
        case KeyLaw::Frequency::even:
            return last - first;
        case KeyLaw::Frequency::zipf: {
            if (last - first == 1) return std::pow(last, -law.skew);
            const double power = 1 - law.skew, a = first + 0.5, b = last + 0.5;
            if (std::abs(power) < 1e-9) return std::log(b / a);
            return (std::pow(b, power) - std::pow(a, power)) / power;
        }
        case KeyLaw::Frequency::geometric: {
            const double logarithm = -std::log1p(1 / law.skew);
            return std::exp(first * logarithm) - std::exp(last * logarithm);
        }
        case KeyLaw::Frequency::one_and_others:
            if (first == 0) return law.skew;
            return (1 - law.skew) * (last - first) / static_cast<double>(law.values - 1);
    }
    return 0;
}

/// The rank at which each group begins, and the number of ranks at the end. Small groups come
/// first.
std::vector<std::size_t> group_bounds(std::size_t values) {
    constexpr std::size_t kAlone = 32, kPartsOfAnOctave = 4;
    std::vector<std::size_t> bounds;
    for (std::size_t rank = 0; rank < values;
         rank += rank < kAlone ? 1 : std::bit_floor(rank) / kPartsOfAnOctave)
        bounds.push_back(rank);
    bounds.push_back(values);
    return bounds;
}

/// "1,234,567"
std::string with_commas(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t digits = 3; digits < text.size(); digits += 4)
        text.insert(text.size() - digits, ",");
    return text;
}

std::string format(const char* pattern, double value) {
    char text[64];
    (void)std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string describe_frequency(const KeyLaw& law) {
    switch (law.frequency) {
        case KeyLaw::Frequency::even:
            return "even";
        case KeyLaw::Frequency::zipf:
            return format("Zipf %.2f", law.skew);
        case KeyLaw::Frequency::geometric:
            return "geometric of mean " + with_commas(std::llround(law.skew));
        case KeyLaw::Frequency::one_and_others:
            return format("one value %.0f %%", 100 * law.skew);
    }
    return {};
}

std::string describe_spacing(const KeyLaw& law) {
    switch (law.spacing) {
        case KeyLaw::Spacing::uniform:
            return "uniform";
        case KeyLaw::Spacing::trie:
            return "trie";
        case KeyLaw::Spacing::progression:
            return "steps of " + with_commas(law.extent);
        case KeyLaw::Spacing::few_bits:
            return std::to_string(law.extent) + (law.extent == 1 ? " bit" : " bits");
        case KeyLaw::Spacing::centres:
            return std::to_string(law.extent) + (law.extent == 1 ? " centre" : " centres");
    }
    return {};
}

std::string describe_order(const KeyLaw& law) {
    switch (law.order) {
        case KeyLaw::Order::random:
            return "random";
        case KeyLaw::Order::runs:
            return "runs of " + with_commas(law.reach);
        case KeyLaw::Order::nearly_sorted:
            return "within " + with_commas(law.reach) + " of sorted";
        case KeyLaw::Order::pipe:
            return "organ pipe";
    }
    return {};
}

}  // namespace

KeyLaw::KeyLaw(std::uint64_t number, std::size_t n) {
    Random random(law_key(number));
    values = random.log_uniform(std::clamp<std::size_t>(n, 1, kMostValues));

    frequency = static_cast<Frequency>(random.below(4));
    const double share = random.uniform();
    skew = frequency == Frequency::zipf             ? 0.5 + 1.5 * share
           : frequency == Frequency::geometric      ? std::pow(static_cast<double>(values), share)
           : frequency == Frequency::one_and_others ? 0.1 + 0.85 * share
                                                    : 0;

    spacing = static_cast<Spacing>(random.below(5));
    const std::uint64_t least_bits = std::bit_width(values - 1);
    const std::uint64_t farthest = (kWords - 1) / std::max<std::size_t>(values - 1, 1);
    extent = spacing == Spacing::progression ? random.log_uniform(farthest)
             : spacing == Spacing::few_bits
                 ? std::min<std::uint64_t>(least_bits + random.below(5), 32)
             : spacing == Spacing::centres ? random.log_uniform(std::min<std::size_t>(values, 64))
                                           : 0;

    order = static_cast<Order>(random.below(4));
    reach =
        1 + static_cast<std::uint64_t>(std::pow(static_cast<double>(n), random.uniform(0, 0.5)));
}

std::string describe(const KeyLaw& law) {
    return with_commas(law.values) + (law.values == 1 ? " value, " : " values, ") +
           describe_frequency(law) + ", " + describe_spacing(law) + ", " + describe_order(law);
}

KeyModel::KeyModel(std::uint64_t number, std::size_t n, std::uint64_t key)
    : n_(n),
      key_(hash_of(key, number)),
      step_(std::numeric_limits<std::uint64_t>::max() / std::max<std::size_t>(n, 1)) {
    const KeyLaw law(number, n);
    values_ = law.values;
    order_ = law.order;
    reach_ = law.reach;
    make_groups(law, number);
    choose_spacing(law, number);
}

/// Shuffles the groups, so that frequent values are anywhere among the others.
void KeyModel::make_groups(const KeyLaw& law, std::uint64_t number) {
    const std::vector<std::size_t> bounds = group_bounds(law.values);
    groups_ = bounds.size() - 1;
    std::vector<double> frequencies(groups_);
    for (std::size_t g = 0; g < groups_; ++g)
        frequencies[g] =
            frequency(law, static_cast<double>(bounds[g]), static_cast<double>(bounds[g + 1]));
    const double all = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);

    std::vector<std::size_t> shuffled(groups_);
    std::iota(shuffled.begin(), shuffled.end(), 0);
    Random random(hash_of(spacing_key(number), 0));
    for (std::size_t g = groups_; g > 1; --g) std::swap(shuffled[g - 1], shuffled[random.below(g)]);

    double smaller = 0;
    std::uint64_t value = 0;
    for (std::size_t g = 0; g < groups_; ++g) {
        group_[g] = {static_cast<std::uint64_t>(smaller / all * 0x1p32), value};
        smaller += frequencies[shuffled[g]];
        value += bounds[shuffled[g] + 1] - bounds[shuffled[g]];
    }
    group_[groups_] = {kWords, value};
}

void KeyModel::choose_spacing(const KeyLaw& law, std::uint64_t number) {
    spacing_ = law.spacing;
    spacing_key_ = hash_of(spacing_key(number), 1);
    Random random(spacing_key_);
    const bool starts_at_zero = random.below(2) == 0;
    constexpr std::uint64_t kZero = kWords / 2;  // the word of the integer 0
    switch (spacing_) {
        case KeyLaw::Spacing::uniform:
        case KeyLaw::Spacing::trie:
            break;
        case KeyLaw::Spacing::progression: {
            extent_ = law.extent;
            const std::uint64_t room = kWords - (values_ - 1) * extent_;
            first_ = starts_at_zero && kZero < room ? kZero : random.below(room);
            break;
        }
        case KeyLaw::Spacing::few_bits:
            bits_ = static_cast<unsigned>(law.extent);
            while (std::popcount(mask_) < static_cast<int>(bits_))
                mask_ |= std::uint64_t{1} << random.below(32);
            first_ = (starts_at_zero ? kZero : random.below(kWords)) & ~mask_;
            break;
        case KeyLaw::Spacing::centres: {
            extent_ = (values_ + law.extent - 1) / law.extent;
            room_ = kWords / law.extent;
            const std::uint64_t least = std::max<std::uint64_t>(extent_ / 2, 1);
            width_ = least + random.log_uniform((room_ - 1) / 2 - least + 1) - 1;
            break;
        }
    }
}

}  // namespace stream_compaction
