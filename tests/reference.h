// Computes expected results in the plainest way, without the code under test.
#pragma once

#include "stream_compaction/algorithm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace stream_compaction {

inline std::vector<int> reference(Operation operation, std::span<const int> input) {
    std::vector<int> result;
    switch (operation) {
        case Operation::scan: {
            std::uint64_t sum = 0;
            for (const int value : input) {
                result.push_back(static_cast<int>(static_cast<std::uint32_t>(sum)));
                sum += static_cast<std::uint64_t>(std::int64_t{value});
            }
            return result;
        }
        case Operation::compact:
            for (const int value : input)
                if (value != 0) result.push_back(value);
            return result;
        case Operation::sort:
            result.assign(input.begin(), input.end());
            std::stable_sort(result.begin(), result.end());
            return result;
    }
    throw std::invalid_argument("an operation without a reference");
}

/// Reports the first difference of two arrays.
inline testing::AssertionResult equal(std::span<const int> got, std::span<const int> expected) {
    if (got.size() != expected.size())
        return testing::AssertionFailure()
               << got.size() << " elements, expected " << expected.size();
    const auto [at, wanted] = std::ranges::mismatch(got, expected);
    if (at == got.end()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "element " << at - got.begin() << " of " << got.size()
                                       << " is " << *at << ", expected " << *wanted;
}

}  // namespace stream_compaction
