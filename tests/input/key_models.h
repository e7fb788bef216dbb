// Random key models for tests, selected by their laws.
#pragma once

#include "src/input/key_model.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace stream_compaction {

using Frequency = KeyLaw::Frequency;
using Order = KeyLaw::Order;
using Spacing = KeyLaw::Spacing;

inline constexpr std::uint64_t kModels = 400;
inline constexpr std::size_t kSize = 20000;

inline std::vector<int> keys_of(std::uint64_t number, std::size_t n = kSize,
                                std::uint64_t key = 1) {
    const KeyModel model(number, n, key);
    std::vector<int> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = model[i];
    return keys;
}

inline std::size_t different(const std::vector<int>& keys) {
    return std::set<int>(keys.begin(), keys.end()).size();
}

/// Calls f(number, law) for the models whose law is wanted. Many models qualify.
template <class Wanted, class F>
void for_models(Wanted wanted, F f, std::uint64_t models = kModels) {
    int found = 0;
    for (std::uint64_t number = 1; number <= models; ++number) {
        const KeyLaw law(number, kSize);
        if (!wanted(law)) continue;
        SCOPED_TRACE("model:" + std::to_string(number) + ", " + describe(law));
        f(number, law);
        ++found;
    }
    EXPECT_GE(found, 5);
}

inline auto has_order(Order order) {
    return [=](const KeyLaw& law) { return law.order == order; };
}
inline auto has_spacing(Spacing spacing) {
    return [=](const KeyLaw& law) { return law.spacing == spacing; };
}

}  // namespace stream_compaction
