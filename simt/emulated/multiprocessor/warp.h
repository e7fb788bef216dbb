// The rules of a warp's collectives. Part of the executor; fiber.h explains how it is compiled.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/multiprocessor/fiber.h"

#include <array>
#include <bit>
#include <cstdint>

namespace simt::inline SIMT_BACKEND::detail {

template <class F>
void for_each_lane(unsigned mask, F f) {
    for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

/// The arguments of a lane for a collective, and its result.
struct Lane {
    std::uint64_t value, result;
    unsigned argument;
    int width;
};
using Lanes = std::array<Lane, kWarpSize>;

/// The result of a shuffle from a lane that does not participate, which CUDA leaves undefined.
inline constexpr std::uint64_t kPoison = 0xDEADBEEFDEADBEEF;

/// Returns the lane whose value a shuffle gives to `lane`.
inline unsigned shuffle_source(Collective kind, unsigned lane, unsigned argument, int width) {
    const auto size = static_cast<unsigned>(width);
    const unsigned first = lane & ~(size - 1);
    switch (kind) {
        case Collective::shuffle:
            return first + (argument & (size - 1));
        case Collective::shuffle_up:
            return argument <= lane - first ? lane - argument : lane;
        default:
            return (lane ^ argument) < first + size ? lane ^ argument : lane;
    }
}

inline std::uint64_t combine(Collective kind, std::uint64_t a, std::uint64_t b) {
    switch (kind) {
        case Collective::add:
            return a + b;
        case Collective::minimum:
            return b < a ? b : a;
        default:
            return a < b ? b : a;
    }
}

/// Computes the result of every lane of the mask.
inline void complete(Collective kind, unsigned mask, Lanes& lanes) {
    switch (kind) {
        case Collective::barrier:
            break;
        case Collective::ballot: {
            std::uint64_t votes = 0;
            for_each_lane(mask, [&](unsigned l) { votes |= lanes[l].value << l; });
            for_each_lane(mask, [&](unsigned l) { lanes[l].result = votes; });
            break;
        }
        case Collective::match:
            for (unsigned rest = mask; rest != 0;) {
                const std::uint64_t value = lanes[std::countr_zero(rest)].value;
                unsigned peers = 0;
                for_each_lane(rest, [&](unsigned l) {
                    if (lanes[l].value == value) peers |= 1u << l;
                });
                for_each_lane(peers, [&](unsigned l) { lanes[l].result = peers; });
                rest &= ~peers;
            }
            break;
        case Collective::shuffle:
        case Collective::shuffle_up:
        case Collective::shuffle_xor:
            for_each_lane(mask, [&](unsigned l) {
                const unsigned from = shuffle_source(kind, l, lanes[l].argument, lanes[l].width);
                const bool takes_part = from < kWarpSize && (mask >> from & 1) != 0;
                lanes[l].result = takes_part ? lanes[from].value : kPoison;
            });
            break;
        default: {
            const auto first = static_cast<unsigned>(std::countr_zero(mask));
            std::uint64_t all = lanes[first].value;
            for_each_lane(mask & (mask - 1),
                          [&](unsigned l) { all = combine(kind, all, lanes[l].value); });
            for_each_lane(mask, [&](unsigned l) { lanes[l].result = all; });
        }
    }
}

/// The lanes of one mask that have reached a collective.
struct Rendezvous {
    Collective kind;
    unsigned mask, arrived;
};

/// The open rendezvous of a warp: rarely more than one, at most one per lane.
class OpenRendezvous {
  public:
    void clear() { size_ = 0; }
    Rendezvous* begin() { return open_.data(); }
    Rendezvous* end() { return open_.data() + size_; }
    Rendezvous& of(unsigned mask, Collective kind_if_new) {
        for (Rendezvous& r : *this)
            if (r.mask == mask) return r;
        return open_[size_++] = {kind_if_new, mask, 0};
    }
    void close(Rendezvous& r) { r = open_[--size_]; }

  private:
    std::array<Rendezvous, kWarpSize> open_;
    unsigned size_ = 0;
};

/// The happens-before order at a warp's barriers, for ThreadSanitizer. Every lane alternates
/// between two edges, so that accesses after one barrier are not mistaken for accesses before it.
class WarpEdges {
  public:
    void arrive(unsigned lane) { edges_[lane][turns_ >> lane & 1].release(); }
    void complete(unsigned mask) {
        for_each_lane(mask, [&](unsigned l) { turns_at_completion_[l] = turns_; });
    }
    void leave(unsigned lane, unsigned mask) {
        const unsigned turns = turns_at_completion_[lane];
        for_each_lane(mask, [&](unsigned l) { edges_[l][turns >> l & 1].acquire(); });
        turns_ ^= 1u << lane;
    }

  private:
    std::array<std::array<RaceEdge, 2>, kWarpSize> edges_;
    std::array<unsigned, kWarpSize> turns_at_completion_{};
    unsigned turns_ = 0;
};

}  // namespace simt::inline SIMT_BACKEND::detail
