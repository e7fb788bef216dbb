// Asynchronous copies on the CPU; simt/async_copy.h lists the mistakes that they detect.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/block.h"
#include "simt/emulated/kernel.h"

#include <cstdint>
#include <string>

namespace simt::inline SIMT_BACKEND {
namespace detail {

inline void require_bulk_copies(Location where) {
    if (compute_capability() < 90) fail("bulk copies need compute capability 9.0", where);
}

}  // namespace detail

/// A barrier in shared memory, for threads and for the bytes of bulk copies. Its phases alternate
/// between parity 0, the first, and parity 1. A phase ends when the expected number of threads has
/// arrived and the expected number of bytes has been copied.
class TransactionBarrier {
  public:
    /// Expects `arrivals` threads in every phase. Called by one thread, before the others use the
    /// barrier.
    void init(unsigned arrivals, detail::Location where = detail::Location::current()) {
        detail::require_bulk_copies(where);
        if (arrivals == 0 || arrivals > kMaxArrivals)
            detail::fail(
                "a barrier of " + std::to_string(arrivals) + " arrivals: must be 1 to 2^20 - 1",
                where);
        // Not atomic, so that ThreadSanitizer reports threads that use the barrier too early.
        word_ = pack({.phase = 0, .bytes = 0, .arrivals = arrivals, .missing = arrivals});
    }

    void arrive(detail::Location where = detail::Location::current()) {
        arrive_expect_tx(0, where);
    }

    /// Arrives, and increases the number of bytes that the phase waits for.
    void arrive_expect_tx(unsigned bytes, detail::Location where = detail::Location::current()) {
        change(where, [&](State& state) {
            if (state.missing == 0) detail::fail("more arrivals than the barrier expects", where);
            --state.missing;
            const auto more = static_cast<int>(bytes);
            if (more < 0 || more > kMaxBytes || state.bytes + more > kMaxBytes)
                detail::fail("a barrier cannot expect more than 2^20 - 1 bytes", where);
            state.bytes += more;
        });
    }

    /// Waits for the end of the current phase if it has this parity; otherwise that phase has
    /// ended.
    void wait(unsigned parity, detail::Location where = detail::Location::current()) {
        if (parity > 1) detail::fail("a phase's parity is 0 or 1", where);
        const DeviceAtomic<std::uint64_t> word(word_);
        while (unpack(word.load(memory_order_acquire), where).phase == parity) {
            const unsigned bytes = detail::finish_bulk_loads(this);
            if (bytes > 0)
                change(where, [&](State& state) { state.bytes -= static_cast<int>(bytes); });
            else
                detail::relax(where);
        }
    }

  private:
    // The limits of PTX's mbarrier.
    static constexpr unsigned kMaxArrivals = (1u << 20) - 1;
    static constexpr int kMaxBytes = (1 << 20) - 1;

    struct State {
        unsigned phase;
        int bytes;  // still to come; negative if copies finished before they were expected
        unsigned arrivals;
        unsigned missing;  // arrivals still missing in this phase
    };

    // The two highest bits, 01, distinguish a barrier from fresh shared memory. Then follow phase,
    // bytes, arrivals, missing.
    static constexpr std::uint64_t kInitialised = 1;

    static std::uint64_t pack(State state) {
        const auto bytes = static_cast<std::uint64_t>(state.bytes + kMaxBytes);
        return kInitialised << 62 | std::uint64_t{state.phase} << 61 | bytes << 40 |
               std::uint64_t{state.arrivals} << 20 | state.missing;
    }
    static State unpack(std::uint64_t word, detail::Location where) {
        if (word >> 62 != kInitialised) detail::fail("the barrier has no init", where);
        return {.phase = static_cast<unsigned>(word >> 61 & 1),
                .bytes = static_cast<int>(word >> 40 & 0x1FFFFF) - kMaxBytes,
                .arrivals = static_cast<unsigned>(word >> 20 & 0xFFFFF),
                .missing = static_cast<unsigned>(word & 0xFFFFF)};
    }

    template <class Change>
    void change(detail::Location where, Change change_state) {
        const auto next = [&](std::uint64_t word) {
            State state = unpack(word, where);
            change_state(state);
            if (state.missing == 0 && state.bytes == 0) {
                state.missing = state.arrivals;
                state.phase ^= 1;
            }
            return pack(state);
        };
        detail::update(word_, next, std::memory_order_acq_rel);
    }

    std::uint64_t word_;
};

/// Copies to shared memory, and reports the bytes to the barrier when they have arrived. The
/// emulation has no L2.
inline void bulk_load_evict_first(void* shared, const void* global, unsigned bytes,
                                  TransactionBarrier& barrier,
                                  detail::Location where = detail::Location::current()) {
    detail::start_bulk_load(shared, global, bytes, &barrier, where);
}
inline void bulk_load_evict_last(void* shared, const void* global, unsigned bytes,
                                 TransactionBarrier& barrier,
                                 detail::Location where = detail::Location::current()) {
    detail::start_bulk_load(shared, global, bytes, &barrier, where);
}

/// Makes TransactionBarrier::init visible to bulk copies.
inline void fence_barrier_init() {}

}  // namespace simt::inline SIMT_BACKEND
