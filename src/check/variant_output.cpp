#include "src/check/variant_output.h"

#include "src/input/parallel_for.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

template <class T>
constexpr bool kIsRecord = !std::is_arithmetic_v<T>;

[[noreturn]] void refuse() { throw std::invalid_argument("a variant that does not exist"); }

/// Calls f(T()) for the element's type T.
template <class F>
auto with_type(Element element, F f) {
    switch (element) {
        case Element::uint8:  // NOLINT(bugprone-branch-clone): the types differ
            return f(std::uint8_t());
        case Element::uint16:
            return f(std::uint16_t());
        case Element::int32:
            return f(std::int32_t());
        case Element::uint32:
            return f(std::uint32_t());
        case Element::int64:
            return f(std::int64_t());
        case Element::uint64:
            return f(std::uint64_t());
        case Element::float32:
            return f(float());
        case Element::float64:
            return f(double());
        case Element::record16:
            return f(Record<4>());
        case Element::record64:
            return f(Record<16>());
    }
    refuse();
}

// ---- Elements -----------------------------------------------------------------------------------

template <class T>
T element_of(int value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        return static_cast<T>(static_cast<std::uint64_t>(value) * 0x1'0000'0001);  // both halves
    else if constexpr (!kIsRecord<T>)
        return static_cast<T>(value);
    else {
        T record{};
        unsigned factor = 1;
        for (unsigned& word : record.word)
            word = static_cast<unsigned>(value) * std::exchange(factor, factor + 2);
        return record;
    }
}

/// Bitwise: a NaN equals itself, and 0 does not equal -0.
template <class T>
bool is_same(const T& a, const T& b) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool is_unwritten(const std::byte* first, const std::byte* last) {
    for (; first != last; ++first)
        if (*first != kUnwritten) return false;
    return true;
}

template <class T>
std::string text_of(const T& element) {
    if constexpr (kIsRecord<T>)
        return "a record of " + std::to_string(element.word[0]);
    else
        return std::to_string(element);
}

template <class T>
std::string difference(std::size_t i, const T& found, const T& expected) {
    return "element " + std::to_string(i) + " is " + text_of(found) + ", not " + text_of(expected);
}

// ---- Scans --------------------------------------------------------------------------------------

/// Floating-point elements are -1, 0 or 1, so that all sums are exact, in any order.
template <class T>
T term_of(int value, Combine combine) {
    if (std::is_floating_point_v<T> && combine == Combine::sum)
        return static_cast<T>(value % 3 == 2 ? -1 : value % 3);
    return element_of<T>(value);
}

template <class T>
T identity(Combine combine) {
    using Extremes = std::numeric_limits<T>;
    switch (combine) {
        case Combine::sum:
            return 0;
        case Combine::maximum:
            return Extremes::has_infinity ? -Extremes::infinity() : Extremes::lowest();
        case Combine::minimum:
            return Extremes::has_infinity ? Extremes::infinity() : Extremes::max();
    }
    refuse();
}

template <class T>
T combined(Combine combine, T a, T b) {
    if (combine == Combine::maximum) return a < b ? b : a;
    if (combine == Combine::minimum) return b < a ? b : a;
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}

template <class T>
std::optional<std::string> wrong_scan(const Variant& variant, const T* terms, const T* found,
                                      std::size_t n) {
    // If everything before an element is correct, the element can be checked with its predecessor.
    const auto expected = [&](std::size_t i) {
        const T none = identity<T>(variant.combine);
        if (variant.inclusive)
            return combined(variant.combine, i == 0 ? none : found[i - 1], terms[i]);
        return i == 0 ? none : combined(variant.combine, found[i - 1], terms[i - 1]);
    };
    const auto i = find_first(n, [&](std::size_t k) { return !is_same(found[k], expected(k)); });
    if (!i) return std::nullopt;
    return difference(*i, found[*i], expected(*i));
}

// ---- Compactions --------------------------------------------------------------------------------

/// In a partition, the rejected elements are in the second array.
template <class T>
std::optional<std::string> wrong_compaction(bool is_partition, const T* elements, const T* found,
                                            std::size_t n, std::size_t count) {
    const T zero = element_of<T>(0);
    std::size_t kept = 0, rejected = n;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_kept = !is_same(elements[i], zero);
        if (!is_kept && !is_partition) continue;
        const std::size_t at = is_kept ? kept++ : rejected++;
        if (!is_same(found[at], elements[i])) return difference(at, found[at], elements[i]);
    }
    if (count != kept) return std::to_string(count) + " elements kept, not " + std::to_string(kept);
    const auto is_left_alone = [&](std::size_t first, std::size_t last) {
        const auto* const out = reinterpret_cast<const std::byte*>(found);
        return is_unwritten(out + first * sizeof(T), out + last * sizeof(T));
    };
    if (!is_left_alone(kept, n) || (is_partition && !is_left_alone(rejected, 2 * n)))
        return "something was written after the kept or the rejected elements";
    return std::nullopt;
}

// ---- Sorts --------------------------------------------------------------------------------------

/// Two sums that distinguish multisets.
template <class T>
std::pair<std::uint64_t, std::uint64_t> fingerprint(const T* keys, std::size_t n) {
    std::atomic<std::uint64_t> sum = 0, sum_of_products = 0;
    parallel_for(n, [&](std::size_t first, std::size_t last) {
        std::uint64_t of_piece = 0, products = 0;
        for (std::size_t i = first; i < last; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &keys[i], sizeof(T));
            of_piece += bits;
            products += (bits ^ bits >> 29) * (bits | 1);
        }
        sum += of_piece;
        sum_of_products += products;
    });
    return {sum, sum_of_products};
}

/// The bits of a key that a sort compares.
template <class T>
T compared(const Variant& variant, T key) {
    if constexpr (std::is_unsigned_v<T>)
        if (variant.end_bit != 0)
            return static_cast<T>(key % (std::uint64_t{1} << variant.end_bit) >> variant.begin_bit);
    return key;
}

template <class T>
bool comes_before(const Variant& variant, T a, T b) {
    if (variant.descending) std::swap(a, b);
    return compared(variant, a) < compared(variant, b);
}

template <class T>
std::optional<std::string> wrong_order(const Variant& variant, const T* keys, std::size_t n) {
    const auto i = find_first(
        n, [&](std::size_t k) { return k > 0 && comes_before(variant, keys[k], keys[k - 1]); });
    if (!i) return std::nullopt;
    return "element " + std::to_string(*i) + " is " + text_of(keys[*i]) + ", after " +
           text_of(keys[*i - 1]);
}

template <class T>
std::optional<std::string> wrong_sort(const Variant& variant, const T* in, const T* found,
                                      std::size_t n) {
    if (auto wrong = wrong_order(variant, found, n)) return wrong;
    if (fingerprint(in, n) != fingerprint(found, n)) return "the keys are not those of the input";
    return std::nullopt;
}

/// Calls f(Key(), Value()) for the types of a variant's pairs.
template <class F>
auto with_types_of_pairs(const Variant& variant, F f) {
    if (variant.element != Element::uint32) refuse();
    if (variant.value == Element::uint32) return f(std::uint32_t(), std::uint32_t());
    if (variant.value == Element::uint64) return f(std::uint32_t(), std::uint64_t());
    refuse();
}

/// The keys of an input, which may have no values.
template <class Key, class Value, class Byte>
auto* keys_of_input(const Variant& variant, Byte* in, std::size_t n) {
    return Pairs<Key, Value>::keys(in, variant.value_is_index ? 0 : n);
}

/// The value of a pair is its index in the input.
template <class Key, class Value>
void store_pairs(const Variant& variant, std::span<const int> source, std::byte* in) {
    Key* const keys = keys_of_input<Key, Value>(variant, in, source.size());
    Value* const values =
        variant.value_is_index ? nullptr : Pairs<Key, Value>::values(in, source.size());
    parallel_for(source.size(), [=](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            keys[i] = element_of<Key>(source[i]);
            if (values != nullptr) values[i] = static_cast<Value>(i);
        }
    });
}

/// Checks that keys are in order, and that the input indices of equal keys ascend, or at least
/// differ. So every pair occurs once.
template <class Key, class Value>
std::optional<std::string> wrong_pairs(const Variant& variant, const std::byte* in,
                                       const std::byte* out, std::size_t n) {
    const Key* const source = keys_of_input<Key, Value>(variant, in, n);
    const Key* const keys = Pairs<Key, Value>::keys(out, n);
    const Value* const values = Pairs<Key, Value>::values(out, n);
    if (auto wrong = wrong_order(variant, keys, n)) return wrong;
    const auto is_of_another_key = [&](std::size_t i) {
        return values[i] >= n || !is_same(source[values[i]], keys[i]);
    };
    std::vector<std::atomic<bool>> is_there(variant.in_any_order ? n : 0);
    const auto i = find_first(n, [&](std::size_t k) {
        if (is_of_another_key(k)) return true;
        if (variant.in_any_order) return is_there[values[k]].exchange(true);
        return k > 0 && !comes_before(variant, keys[k - 1], keys[k]) && values[k] <= values[k - 1];
    });
    if (!i) return std::nullopt;
    if (is_of_another_key(*i))
        return "the value of pair " + std::to_string(*i) + " is " + text_of(values[*i]) +
               ", which is not its key's";
    if (variant.in_any_order)
        return "the value of pair " + std::to_string(*i) + " is that of another";
    return "pair " + std::to_string(*i) + " is not in the order of the input";
}

}  // namespace

void store_elements(const Variant& variant, std::span<const int> source, std::byte* in) {
    if (variant.value)
        return with_types_of_pairs(variant, [&]<class Key, class Value>(Key, Value) {
            store_pairs<Key, Value>(variant, source, in);
        });
    with_type(variant.element, [&]<class T>(T) {
        T* const elements = reinterpret_cast<T*>(in);
        const auto element_at = [&](std::size_t i) {
            if constexpr (!kIsRecord<T>)
                if (variant.operation == Operation::scan)
                    return term_of<T>(source[i], variant.combine);
            return element_of<T>(source[i]);
        };
        parallel_for(source.size(), [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) elements[i] = element_at(i);
        });
    });
}

std::optional<std::string> what_is_wrong(const Variant& variant, const std::byte* in,
                                         const std::byte* out, std::size_t n, std::size_t count) {
    using Answer = std::optional<std::string>;
    if (variant.value)
        return with_types_of_pairs(variant, [&]<class Key, class Value>(Key, Value) {
            return wrong_pairs<Key, Value>(variant, in, out, n);
        });
    return with_type(variant.element, [&]<class T>(T) -> Answer {
        const T* const source = reinterpret_cast<const T*>(in);
        const T* const found = reinterpret_cast<const T*>(out);
        if (variant.operation == Operation::compact)
            return wrong_compaction(variant.rejects_too, source, found, n, count);
        if constexpr (!kIsRecord<T>)
            return variant.operation == Operation::scan ? wrong_scan(variant, source, found, n)
                                                        : wrong_sort(variant, source, found, n);
        refuse();
    });
}

}  // namespace stream_compaction
