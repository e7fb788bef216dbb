// Compactions and partitions of one type by one predicate.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/variants.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/single_pass/guarded.h"
#include "tests/stream_compaction/single_pass/paths.h"
#include "tests/stream_compaction/single_pass/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

/// Random elements. Half of them are zero, or are records whose first word is.
template <class T>
std::vector<T> random_elements(std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> elements = [&] {
        if constexpr (std::is_arithmetic_v<T>) {
            return random_values<T>(n);
        } else {
            std::vector<T> records(n);
            for (T& record : records)
                for (auto& word : record.word) word = random();
            return records;
        }
    }();
    for (T& element : elements) {
        if (random() % 2 != 0) continue;
        if constexpr (std::is_arithmetic_v<T>)
            element = T{};
        else
            element.word[0] = 0;
    }
    return elements;
}

inline std::size_t read(const simt::DeviceArray<std::size_t>& count) {
    std::size_t value = 0;
    count.copy_to(std::span(&value, 1));
    return value;
}

/// A case names the Element and the Predicate, and its function keeps() says what is expected.
template <class Case>
class TypedCompact : public testing::Test {
  protected:
    using T = typename Case::Element;
    using Plan = BasicCompact<T, typename Case::Predicate>;

    struct Lists {
        std::vector<T> kept, rejected;
    };
    static Lists split(const std::vector<T>& elements) {
        Lists lists;
        for (const T& element : elements)
            (Case::keeps(element) ? lists.kept : lists.rejected).push_back(element);
        return lists;
    }
    static bool takes(Path path) {
        const bool fills_vectors = 16 % sizeof(T) == 0;
        return is_available(path) && (path == Path::plain || fills_vectors);
    }
};
TYPED_TEST_SUITE_P(TypedCompact);

TYPED_TEST_P(TypedCompact, AnswersAsTheReference) {
    using T = typename TypeParam::Element;
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<T>(n);
            const auto lists = this->split(elements);
            Guarded<T> in(elements), out(n);
            simt::DeviceArray<std::size_t> count(1);
            typename TestFixture::Plan plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            ASSERT_EQ(read(count), lists.kept.size());
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(in.read(), elements)) << "the input was written";
        }
    }
}

TYPED_TEST_P(TypedCompact, GivesTheRejectedElementsToo) {
    using T = typename TypeParam::Element;
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        for (const std::size_t n : sizes(sizeof(T))) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", path " << int(path));
            const auto elements = random_elements<T>(n);
            const auto lists = this->split(elements);
            Guarded<T> in(elements), out(n, 1), rejected(n, 2);
            simt::DeviceArray<std::size_t> count(1);
            typename TestFixture::Plan plan(n, path);
            plan.enqueue(in.data(), out.data(), count.data(), n, nullptr, rejected.data());
            ASSERT_EQ(read(count), lists.kept.size());
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(rejected.read(lists.rejected.size()), lists.rejected));
        }
    }
}

TYPED_TEST_P(TypedCompact, WorksInPlaceAndAnywhere) {
    using T = typename TypeParam::Element;
    const std::size_t n = at_most(3 * 32 * 1024 / sizeof(T) + 7);
    const auto elements = random_elements<T>(n);
    const auto lists = this->split(elements);
    for (const Path path : kPaths) {
        if (!this->takes(path)) continue;
        typename TestFixture::Plan plan(n, path);
        simt::DeviceArray<std::size_t> count(1);
        for (std::size_t offset = 0; offset < 4; ++offset) {
            SCOPED_TRACE(testing::Message() << "offset " << offset << ", path " << int(path));
            Guarded<T> in_place(elements, offset), in(elements, 3 - offset), out(n, offset);
            plan.enqueue(in_place.data(), in_place.data(), count.data(), n);
            plan.enqueue(in.data(), out.data(), count.data(), n);
            EXPECT_TRUE(same_bytes(in_place.read(lists.kept.size()), lists.kept));
            EXPECT_TRUE(same_bytes(out.read(lists.kept.size()), lists.kept));
        }
    }
}

REGISTER_TYPED_TEST_SUITE_P(TypedCompact, AnswersAsTheReference, GivesTheRejectedElementsToo,
                            WorksInPlaceAndAnywhere);

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
