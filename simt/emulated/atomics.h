// Words that threads share: CUDA's atomic operations. Part of kernel.h.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/block.h"

#include <atomic>
#include <concepts>
#include <type_traits>

namespace simt::inline SIMT_BACKEND {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

namespace detail {

/// Replaces the word by next(word) in one step. Returns the old value.
template <class T, class Next>
T update(T& word, Next next, std::memory_order order = std::memory_order_relaxed) {
    const std::atomic_ref<T> shared(word);
    T old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, next(old), order)) {
    }
    after_atomic(next(old) != old);
    return old;
}

/// a + b; signed and unsigned integers wrap around.
template <class T>
constexpr T sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
        return a + b;
    }
}
template <class T>
constexpr T difference(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
    } else {
        return a - b;
    }
}

}  // namespace detail

/// A word that blocks of one device share, for example a tile's descriptor.
template <class T>
class DeviceAtomic {
  public:
    using Order = std::memory_order;

    explicit DeviceAtomic(T& word) : word_(word) {}

    T load(Order order) const {
        detail::after_atomic(false);
        return std::atomic_ref<T>(word_).load(order);
    }
    void store(T value, Order order) const {
        std::atomic_ref<T>(word_).store(value, order);
        detail::after_atomic(true);
    }
    T fetch_add(T value, Order order) const {
        return detail::update(
            word_, [value](T old) { return detail::sum(old, value); }, order);
    }

  private:
    T& word_;
};

namespace detail {

template <class T>
concept AtomicInteger =
    std::same_as<T, int> || std::same_as<T, unsigned> || std::same_as<T, unsigned long long>;
template <class T>
concept AtomicNumber = AtomicInteger<T> || std::same_as<T, float> || std::same_as<T, double>;

}  // namespace detail

template <detail::AtomicNumber T>
T atomicAdd(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return detail::sum(old, value); });
}
template <detail::AtomicInteger T>
requires(sizeof(T) == sizeof(int)) T atomicSub(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return detail::difference(old, value); });
}
template <detail::AtomicInteger T>
T atomicOr(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return old | value; });
}
template <detail::AtomicInteger T>
T atomicXor(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return old ^ value; });
}
template <detail::AtomicInteger T>
T atomicMin(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return value < old ? value : old; });
}
template <detail::AtomicNumber T>
T atomicExch(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T) { return value; });
}
template <detail::AtomicInteger T>
T atomicCAS(T* word, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
    return detail::update(*word, [=](T old) { return old == expected ? desired : old; });
}

}  // namespace simt::inline SIMT_BACKEND
