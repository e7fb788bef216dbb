// The collectives of blocks and warps, under CUDA's names. Part of kernel.h.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/block.h"

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simt::inline SIMT_BACKEND {

inline void __syncthreads(detail::Location where = detail::Location::current()) {
    detail::sync_block(false, where);
}
inline int __syncthreads_count(int predicate,
                               detail::Location where = detail::Location::current()) {
    return static_cast<int>(detail::sync_block(predicate != 0, where));
}
inline int __syncthreads_or(int predicate, detail::Location where = detail::Location::current()) {
    return detail::sync_block(predicate != 0, where) != 0;
}
inline int __syncthreads_and(int predicate, detail::Location where = detail::Location::current()) {
    return detail::sync_block(predicate == 0, where) == 0;
}

inline void __syncwarp(unsigned mask = ~0u, detail::Location where = detail::Location::current()) {
    detail::sync_warp(detail::Collective::barrier, mask, 0, 0, 32, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              detail::Location where = detail::Location::current()) {
    return static_cast<unsigned>(
        detail::sync_warp(detail::Collective::ballot, mask, predicate != 0, 0, 32, where));
}
inline int __any_sync(unsigned mask, int predicate,
                      detail::Location where = detail::Location::current()) {
    return __ballot_sync(mask, predicate, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate,
                      detail::Location where = detail::Location::current()) {
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
                 Location where) {
    const std::uint64_t bits = sync_warp(kind, mask, to_bits(value), argument, width, where);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace detail

template <detail::Word T>
unsigned __match_any_sync(unsigned mask, T value,
                          detail::Location where = detail::Location::current()) {
    return static_cast<unsigned>(
        detail::sync_warp(detail::Collective::match, mask, detail::to_bits(value), 0, 32, where));
}

template <detail::Word T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
              detail::Location where = detail::Location::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle, mask, value,
                                  static_cast<unsigned>(lane), width, where);
}
template <detail::Word T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 detail::Location where = detail::Location::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle_up, mask, value, delta, width, where);
}
template <detail::Word T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  detail::Location where = detail::Location::current()) {
    return detail::exchange_lanes(detail::Collective::shuffle_xor, mask, value,
                                  static_cast<unsigned>(lane_mask), width, where);
}

namespace detail {

template <class T>
concept Reducible = std::same_as<T, int> || std::same_as<T, unsigned>;

template <Reducible T>
T reduce(Collective kind, unsigned mask, T value, Location where) {
    // Flipping the sign bit puts signed numbers into the order of unsigned ones.
    if (capability_of_grid < 80) fail("__reduce_*_sync needs compute capability 8.0", where);
    const bool by_order = kind == Collective::minimum || kind == Collective::maximum;
    const unsigned flip = by_order && std::is_signed_v<T> ? 1u << 31 : 0;
    const auto word = static_cast<unsigned>(value) ^ flip;
    return static_cast<T>(static_cast<unsigned>(sync_warp(kind, mask, word, 0, 32, where)) ^ flip);
}

}  // namespace detail

template <detail::Reducible T>
T __reduce_add_sync(unsigned mask, T value, detail::Location where = detail::Location::current()) {
    return detail::reduce(detail::Collective::add, mask, value, where);
}
template <detail::Reducible T>
T __reduce_min_sync(unsigned mask, T value, detail::Location where = detail::Location::current()) {
    return detail::reduce(detail::Collective::minimum, mask, value, where);
}
template <detail::Reducible T>
T __reduce_max_sync(unsigned mask, T value, detail::Location where = detail::Location::current()) {
    return detail::reduce(detail::Collective::maximum, mask, value, where);
}
}  // namespace simt::inline SIMT_BACKEND
