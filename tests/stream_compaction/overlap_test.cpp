#include "stream_compaction/parts/overlap.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace stream_compaction {
namespace {

TEST(Overlap, IsRefusedUnlessArraysAreTheSame) {
    const int array[30] = {};
    constexpr std::size_t n = 10;
    const int* const in = array + n;
    for (int distance = -10; distance <= 10; ++distance) {
        SCOPED_TRACE(distance);
        const int* const out = in + distance;
        if (distance == -10 || distance == 10) {
            EXPECT_NO_THROW(require_apart({in, n}, {out, n}));
            EXPECT_NO_THROW(require_same_or_apart({in, n}, {out, n}));
        } else {
            EXPECT_THROW(require_apart({in, n}, {out, n}), std::invalid_argument);
            if (distance == 0)
                EXPECT_NO_THROW(require_same_or_apart({in, n}, {out, n}));
            else
                EXPECT_THROW(require_same_or_apart({in, n}, {out, n}), std::invalid_argument);
        }
    }
}

TEST(Overlap, IsNoneOfAnArrayWithoutElements) {
    const int array[10] = {};
    EXPECT_NO_THROW(require_apart({array, 10}, {array + 5, 0}));
    EXPECT_NO_THROW(require_apart({array, 10}, {array, 0}));
    EXPECT_NO_THROW(require_apart({array, 10}, {static_cast<int*>(nullptr), 10}));
}

TEST(Overlap, IsToldInOneLine) {
    const int array[10] = {};
    try {
        require_same_or_apart({array + 1, 5}, {array, 5});
        FAIL() << "not refused";
    } catch (const std::invalid_argument& error) {
        EXPECT_EQ(std::string(error.what()),
                  "two arrays of a call overlap: one begins 4 bytes after the other; allowed are "
                  "the same array, and arrays that have no element in common");
    }
}

TEST(Overlap, OfPairsIsThatOfAnyArrayWithOneThatIsWritten) {
    constexpr std::size_t n = 10;
    const int keys[2 * n] = {};
    const double values[2 * n] = {};
    const double* const none = nullptr;
    const auto refuses = [](const int* in, const int* out, const double* values_in,
                            const double* values_out) {
        try {
            require_same_or_apart(in, out, values_in, values_out, n);
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    };
    EXPECT_FALSE(refuses(keys, keys + n, values, values + n));
    EXPECT_FALSE(refuses(keys, keys, values, values));
    EXPECT_FALSE(refuses(keys, keys + n, none, values));
    EXPECT_TRUE(refuses(keys, keys + 1, values, values));
    EXPECT_TRUE(refuses(keys, keys, values + 1, values));
    const auto* const as_values = reinterpret_cast<const double*>(keys);
    EXPECT_TRUE(refuses(keys, keys, values, as_values)) << "keys_in and values_out";
    EXPECT_TRUE(refuses(keys + n, keys, values, as_values)) << "keys_out and values_out";
    EXPECT_TRUE(refuses(keys + n, keys, as_values, values)) << "keys_out and values_in";
    EXPECT_TRUE(refuses(keys, keys + n, none, as_values)) << "without values to read";
}

}  // namespace
}  // namespace stream_compaction
