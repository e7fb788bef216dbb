// Which types a typed test runs with.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <tuple>
#include <utility>

namespace stream_compaction {

#if defined(STREAM_COMPACTION_FEW_TESTS)
inline constexpr bool kFewTests = true;
#else
inline constexpr bool kFewTests = false;
#endif

template <class Tuple, std::size_t... i>
testing::Types<std::tuple_element_t<i, Tuple>...> first_types(std::index_sequence<i...>);

/// All types; in a build that watches every access, or that no GPU here can run, the first kFew.
/// Kernels distinguish types by little more than their width: one of each width comes first.
template <std::size_t kFew, class... Types>
using AllOrFirst = decltype(first_types<std::tuple<Types...>>(
    std::make_index_sequence < kFewTests ? kFew : sizeof...(Types) > ()));

}  // namespace stream_compaction
