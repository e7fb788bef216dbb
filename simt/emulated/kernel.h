// A kernel source's vocabulary on the CPU: CUDA's names in plain C++20.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/block.h"
#include "simt/emulated/vector_types.h"
#include "simt/error.h"

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// A block never leaves its OS thread, so one per OS thread is one per block.
#define __shared__ static thread_local

namespace simt::inline SIMT_BACKEND {

inline constexpr int warpSize = detail::kWarpSize;

// ---- Threads of a block, lanes of a warp ------------------------------------------------------

inline void __syncthreads(detail::Place where = detail::Place::current()) {
    detail::sync_block(false, where);
}
inline int __syncthreads_count(int predicate, detail::Place where = detail::Place::current()) {
    return static_cast<int>(detail::sync_block(predicate != 0, where));
}
inline int __syncthreads_or(int predicate, detail::Place where = detail::Place::current()) {
    return detail::sync_block(predicate != 0, where) != 0;
}
inline int __syncthreads_and(int predicate, detail::Place where = detail::Place::current()) {
    return detail::sync_block(predicate == 0, where) == 0;
}

/// The compute capability that a kernel runs with, 10 * major + minor.
inline int compute_capability() { return detail::capability_of_grid; }

inline void __syncwarp(unsigned mask = ~0u, detail::Place where = detail::Place::current()) {
    detail::sync_warp(detail::Collective::barrier, mask, 0, 0, 32, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              detail::Place where = detail::Place::current()) {
    return static_cast<unsigned>(
        detail::sync_warp(detail::Collective::ballot, mask, predicate != 0, 0, 32, where));
}
inline int __any_sync(unsigned mask, int predicate,
                      detail::Place where = detail::Place::current()) {
    return __ballot_sync(mask, predicate, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate,
                      detail::Place where = detail::Place::current()) {
    return __ballot_sync(mask, predicate, where) == mask;
}

namespace detail {

template <class T>
concept Word = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t);

template <Word T>
std::uint64_t to_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <Word T>
T exchange_lanes(Collective kind, unsigned mask, T value, unsigned argument, int width,
                 Place where) {
    const std::uint64_t bits = sync_warp(kind, mask, to_bits(value), argument, width, where);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace detail

template <detail::Word T>
unsigned __match_any_sync(unsigned mask, T value, detail::Place where = detail::Place::current()) {
    return static_cast<unsigned>(
        detail::sync_warp(detail::Collective::match, mask, detail::to_bits(value), 0, 32, where));
}

template <detail::Word T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
              detail::Place where = detail::Place::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle, mask, value,
                                  static_cast<unsigned>(lane), width, where);
}
template <detail::Word T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 detail::Place where = detail::Place::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle_up, mask, value, delta, width, where);
}
template <detail::Word T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   detail::Place where = detail::Place::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle_down, mask, value, delta, width,
                                  where);
}
template <detail::Word T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  detail::Place where = detail::Place::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle_xor, mask, value,
                                  static_cast<unsigned>(lane_mask), width, where);
}

namespace detail {

template <class T>
concept Reducible = std::same_as<T, int> || std::same_as<T, unsigned>;

template <Reducible T>
T reduce(Collective kind, unsigned mask, T value, Place where) {
    // Flipping the sign bit puts signed numbers into the order of unsigned ones.
    if (compute_capability() < 80) fail("__reduce_*_sync needs compute capability 8.0", where);
    const bool by_order = kind == Collective::minimum || kind == Collective::maximum;
    const unsigned flip = by_order && std::is_signed_v<T> ? 1u << 31 : 0;
    const auto word = static_cast<unsigned>(value) ^ flip;
    return static_cast<T>(static_cast<unsigned>(sync_warp(kind, mask, word, 0, 32, where)) ^ flip);
}

}  // namespace detail

template <detail::Reducible T>
T __reduce_add_sync(unsigned mask, T value, detail::Place where = detail::Place::current()) {
    return detail::reduce(detail::Collective::add, mask, value, where);
}
template <detail::Reducible T>
T __reduce_min_sync(unsigned mask, T value, detail::Place where = detail::Place::current()) {
    return detail::reduce(detail::Collective::minimum, mask, value, where);
}
template <detail::Reducible T>
T __reduce_max_sync(unsigned mask, T value, detail::Place where = detail::Place::current()) {
    return detail::reduce(detail::Collective::maximum, mask, value, where);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  detail::Place where = detail::Place::current()) {
    return detail::reduce(detail::Collective::bitwise_and, mask, value, where);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value,
                                 detail::Place where = detail::Place::current()) {
    return detail::reduce(detail::Collective::bitwise_or, mask, value, where);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  detail::Place where = detail::Place::current()) {
    return detail::reduce(detail::Collective::bitwise_xor, mask, value, where);
}

// ---- Memory -----------------------------------------------------------------------------------

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

namespace detail {

/// Replaces the word by next(word) in one step; what it was before.
template <class T, class Next>
T update(T& word, Next next, std::memory_order order = std::memory_order_relaxed) {
    const std::atomic_ref<T> shared(word);
    T old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, next(old), order)) {
    }
    after_atomic(next(old) != old);
    return old;
}

/// a + b; integers wrap around, signed ones too.
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
    static constexpr Order kStrongest = std::memory_order_seq_cst;

    explicit DeviceAtomic(T& word) : word_(word) {}

    T load(Order order = kStrongest) const {
        detail::after_atomic(false);
        return std::atomic_ref<T>(word_).load(order);
    }
    void store(T value, Order order = kStrongest) const {
        std::atomic_ref<T>(word_).store(value, order);
        detail::after_atomic(true);
    }
    T exchange(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T) { return value; }, order);
    }
    bool compare_exchange_strong(T& expected, T desired, Order order = kStrongest) const {
        const bool done =
            std::atomic_ref<T>(word_).compare_exchange_strong(expected, desired, order);
        detail::after_atomic(done);
        return done;
    }
    bool compare_exchange_weak(T& expected, T desired, Order order = kStrongest) const {
        return compare_exchange_strong(expected, desired, order);
    }
    T fetch_add(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return detail::sum(old, value); }, order);
    }
    T fetch_sub(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return detail::difference(old, value); }, order);
    }
    T fetch_and(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return old & value; }, order);
    }
    T fetch_or(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return old | value; }, order);
    }
    T fetch_xor(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return old ^ value; }, order);
    }
    T fetch_min(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return value < old ? value : old; }, order);
    }
    T fetch_max(T value, Order order = kStrongest) const {
        return detail::update(
            word_, [value](T old) { return old < value ? value : old; }, order);
    }

  private:
    T& word_;
};
/// A word that threads of one block share, in shared memory.
template <class T>
using BlockAtomic = DeviceAtomic<T>;

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
T atomicAnd(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return old & value; });
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
template <detail::AtomicInteger T>
T atomicMax(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T old) { return old < value ? value : old; });
}
template <detail::AtomicNumber T>
T atomicExch(T* word, std::type_identity_t<T> value) {
    return detail::update(*word, [value](T) { return value; });
}
template <detail::AtomicInteger T>
T atomicCAS(T* word, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
    return detail::update(*word, [=](T old) { return old == expected ? desired : old; });
}

inline void __threadfence() { detail::fence(); }
inline void __threadfence_block() { detail::fence(); }

template <class T>
T __ldg(const T* from) {
    return *from;
}
template <class T>
T __ldcg(const T* from) {
    return *from;
}
template <class T>
T __ldcs(const T* from) {
    return *from;
}
template <class T>
void __stcg(T* to, std::type_identity_t<T> value) {
    *to = value;
}
template <class T>
void __stcs(T* to, std::type_identity_t<T> value) {
    *to = value;
}

/// Called in the body of every spin loop.
inline void relax(detail::Place where = detail::Place::current()) { detail::relax(where); }

/// The launch's dynamic shared memory, 128-byte aligned.
template <class T>
T* dynamic_shared() {
    return static_cast<T*>(detail::shared_memory());
}

// ---- Arithmetic -------------------------------------------------------------------------------

constexpr int __popc(unsigned word) { return std::popcount(word); }
constexpr int __popcll(unsigned long long word) { return std::popcount(word); }
constexpr int __clz(int word) { return std::countl_zero(static_cast<unsigned>(word)); }
constexpr int __clzll(long long word) {
    return std::countl_zero(static_cast<unsigned long long>(word));
}
constexpr int __ffs(int word) {
    return word == 0 ? 0 : 1 + std::countr_zero(static_cast<unsigned>(word));
}
constexpr int __ffsll(long long word) {
    return word == 0 ? 0 : 1 + std::countr_zero(static_cast<unsigned long long>(word));
}
constexpr unsigned __brev(unsigned word) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (word >> bit & 1u) << (31 - bit);
    return reversed;
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}

namespace detail {

/// The pairs for which CUDA has a min and a max: equal types, and integers of one size.
template <class T, class U>
concept Comparable = std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && sizeof(T) == sizeof(U) &&
                     std::is_integral_v<T> == std::is_integral_v<U>;

}  // namespace detail

template <class T, class U>
requires detail::Comparable<T, U>
constexpr std::common_type_t<T, U> min(T a, U b) {
    using Common = std::common_type_t<T, U>;
    return static_cast<Common>(b) < static_cast<Common>(a) ? static_cast<Common>(b)
                                                           : static_cast<Common>(a);
}
template <class T, class U>
requires detail::Comparable<T, U>
constexpr std::common_type_t<T, U> max(T a, U b) {
    using Common = std::common_type_t<T, U>;
    return static_cast<Common>(a) < static_cast<Common>(b) ? static_cast<Common>(b)
                                                           : static_cast<Common>(a);
}

// ---- Launch -----------------------------------------------------------------------------------

/// Kernels of a stream never overlap here.
inline void wait_for_earlier_work() {}
inline void let_next_kernel_start() {}

/// Launches `kernel`, and returns when it has ended, unless the stream is being captured.
/// @throws Error with the caller's file and line where the launch is refused
/// @throws KernelError where the kernel breaks a rule
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchConfig& config, Arguments&&... arguments) {
    detail::check_launch(config);
    const auto thread = [kernel, parameters = std::tuple<Parameters...>(std::forward<Arguments>(
                                     arguments)...)] { std::apply(kernel, parameters); };
    const auto run = [config, thread] {
        detail::run_grid(
            config, [](const void* t) { (*static_cast<decltype(&thread)>(t))(); }, &thread);
    };
    if (detail::Recording* recording = detail::recording_on(config.stream, config.where))
        recording->push_back(run);
    else
        run();
}

/// That of the GPU whose shape the device has.
template <class... Parameters>
int compute_capability_of(void (*)(Parameters...)) {
    return detail::current_shape().compute_capability;
}

/// How many blocks of a cooperative launch the device holds.
template <class... Parameters>
unsigned resident_blocks(void (*)(Parameters...), unsigned block, std::size_t shared_bytes) {
    return detail::resident_blocks(block, shared_bytes);
}

}  // namespace simt::inline SIMT_BACKEND

using simt::__all_sync;
using simt::__any_sync;
using simt::__ballot_sync;
using simt::__brev;
using simt::__clz;
using simt::__clzll;
using simt::__ffs;
using simt::__ffsll;
using simt::__ldcg;
using simt::__ldcs;
using simt::__ldg;
using simt::__match_any_sync;
using simt::__popc;
using simt::__popcll;
using simt::__reduce_add_sync;
using simt::__reduce_and_sync;
using simt::__reduce_max_sync;
using simt::__reduce_min_sync;
using simt::__reduce_or_sync;
using simt::__reduce_xor_sync;
using simt::__shfl_down_sync;
using simt::__shfl_sync;
using simt::__shfl_up_sync;
using simt::__shfl_xor_sync;
using simt::__stcg;
using simt::__stcs;
using simt::__syncthreads;
using simt::__syncthreads_and;
using simt::__syncthreads_count;
using simt::__syncthreads_or;
using simt::__syncwarp;
using simt::__threadfence;
using simt::__threadfence_block;
using simt::__umulhi;
using simt::atomicAdd;
using simt::atomicAnd;
using simt::atomicCAS;
using simt::atomicExch;
using simt::atomicMax;
using simt::atomicMin;
using simt::atomicOr;
using simt::atomicSub;
using simt::atomicXor;
using simt::blockDim;
using simt::blockIdx;
using simt::gridDim;
using simt::max;
using simt::min;
using simt::threadIdx;
using simt::warpSize;
