// One OS thread that executes blocks, one after another. Part of the executor; fiber.h explains how
// it is compiled.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/multiprocessor/fiber.h"
#include "simt/emulated/multiprocessor/fiber_queue.h"
#include "simt/emulated/multiprocessor/grid.h"
#include "simt/emulated/multiprocessor/stacks.h"
#include "simt/emulated/multiprocessor/warp.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace simt::inline SIMT_BACKEND::detail {

struct Warp {
    Lanes lanes;
    std::array<Fiber*, kWarpSize> fibers;
    OpenRendezvous open;
    WarpEdges edges;
    unsigned gone = 0;  // lanes that have exited or never existed
};

/// The block's barrier, __syncthreads.
struct Barrier {
    Fiber* first = nullptr;  // the waiting threads, in order of arrival
    Fiber* last = nullptr;
    unsigned arrived = 0;
    unsigned votes = 0;
    unsigned generation = 0;
    std::array<unsigned, 2> result{};  // of this generation and the previous one
    std::array<RaceEdge, 2> edges;
};

struct BulkLoad {
    void* shared;
    const void* global;
    unsigned bytes;
    const void* barrier;
    Location where;
};

class Multiprocessor {
  public:
    Multiprocessor() = default;
    Multiprocessor(const Multiprocessor&) = delete;
    Multiprocessor& operator=(const Multiprocessor&) = delete;
    ~Multiprocessor() { release_fibers(); }

    // How a block runs: multiprocessor.cpp.
    void start_grid(Grid& grid, unsigned worker);
    /// @throws Violation, or what the kernel has thrown
    void run_block(std::uint64_t linear);
    [[noreturn]] void fail(const std::string& what, Location where);
    void* shared_memory() { return shared_.get(); }
    std::uint64_t& cluster_arrivals() { return cluster().arrivals; }
    std::uint64_t& awaited_arrivals() { return running_->awaited_arrivals; }
    unsigned cluster_rank() const { return static_cast<unsigned>(linear_ % grid_->config.cluster); }
    void* shared_memory_of(unsigned rank, Location where);
    Stacks& stacks() { return stacks_; }
    /// Releases the fibers' stacks. Called when no block runs.
    void release_fibers();
    /// The body of a fiber: executes CUDA threads one after another until one has to wait, so a
    /// kernel without synchronisation needs no context switch. With ThreadSanitizer every thread of
    /// a block has its own fiber.
    Context& run_fiber(Fiber& self);

    // How threads wait for each other: barriers.cpp.
    unsigned sync_block(bool predicate, Location where);
    std::uint64_t sync_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned argument,
                            int width, Location where);

    // Which threads work and which only spin: progress.cpp.
    void relax(Location where);
    void after_atomic(bool changed);

    // bulk_copies.cpp
    void start_bulk_load(void* shared, const void* global, unsigned bytes, const void* barrier,
                         Location where);
    unsigned finish_bulk_loads(const void* barrier);

  private:
    static constexpr std::align_val_t kSharedAlignment{128};
    struct FreeShared {
        void operator()(std::byte* memory) const { ::operator delete(memory, kSharedAlignment); }
    };

    void prepare_block(std::uint64_t linear);
    Cluster& cluster() { return grid_->clusters[linear_ / grid_->config.cluster]; }
    bool can_start() const { return next_start_ < grid_->threads && !given_up_; }
    unsigned thread_to_start();
    Fiber* new_fiber();
    /// Returns a fiber for the next thread of the block. If there is no memory for another fiber,
    /// it abandons the block instead of throwing into the waiting thread.
    Context& fiber_to_start();
    /// Returns the context to run next: the OS thread's own stack if no thread can run.
    Context& pick();
    void dispatch(Context& self);
    void suspend();
    void run_thread(Fiber& self);
    void exit_thread(const Fiber& self);
    /// Ends the waiting threads, each on its own stack.
    void unwind();

    static bool same_location(Location a, Location b) {
        return a.line() == b.line() && a.column() == b.column() &&
               (a.file_name() == b.file_name() || std::string_view(a.file_name()) == b.file_name());
    }

    void got_somewhere() {
        count(grid_->progress[worker_].events);
        spins_ = 0;
    }
    /// Counts as progress once a thread has done many steps without spinning, even if they change
    /// no memory.
    void step() {
        if (++running_->steps % kStepsOfWork == 0) got_somewhere();
    }
    /// Release order: a thread that sees the new count sees all work before it.
    static void count(std::atomic<std::uint64_t>& counter) {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    /// Called when the block can only continue after another one.
    void idle(Location where);
    /// Lets other workers run: every round at first, because they may soon provide the awaited
    /// value; later less often, because on a busy machine each yield may cost a turn of all running
    /// processes.
    void yield();
    /// Whether every worker has left, or has spun for many rounds since the last progress of any
    /// worker. A worker that the machine does not run, or that has not started yet, makes no
    /// rounds, so a correct kernel is never aborted, however long it takes.
    bool all_stall();
    /// Describes where the threads wait: one location, and how many wait.
    std::string describe_waiting();

    void check_bulk_copy(const void* shared, const void* global, unsigned bytes, Location where);

    static constexpr unsigned kSpinRounds = 4;  // one round in random order is not fair
    static constexpr unsigned kRelaxesBetweenChecks = 4096;
    static constexpr unsigned kRoundsWithYield = 16;
    static constexpr unsigned kStepsOfWork = 256;
    static constexpr int kUndefinedByte = 0xCD;
    static constexpr std::uint64_t kNoEventsSeen = ~std::uint64_t{0};

    Grid* grid_ = nullptr;
    std::uint64_t linear_ = 0;  // the block's index
    unsigned worker_ = 0;
    std::unique_ptr<std::byte, FreeShared> shared_;
    std::size_t shared_bytes_ = 0;

    Context main_;
    Stacks stacks_{kStackBytes};
    std::vector<std::unique_ptr<Fiber>> fibers_;
    Fiber* running_ = nullptr;
    FiberQueue parked_;    // without a CUDA thread
    FiberQueue ready_;     // can continue
    FiberQueue spinning_;  // can continue, but are spinning
    std::vector<Warp> warps_;
    Barrier barrier_;
    std::vector<BulkLoad> loads_;  // started, and not yet waited for

    unsigned next_start_ = 0;
    unsigned finished_ = 0;
    std::array<std::uint16_t, kMaxThreadsPerBlock> start_order_{};  // for Order::random
    Random random_;

    unsigned spins_ = 0;  // since any thread of the block did something else
    unsigned relaxes_ = 0, yielded_at_ = 0;
    std::uint64_t seen_events_ = 0;
    std::vector<std::uint64_t> rounds_before_;  // of each worker, at the last progress

    RaceEdge block_starts_, block_ends_, bulk_loads_start_;
    std::exception_ptr failure_;
    bool given_up_ = false;  // no thread of the block may continue
    bool quit_ = false;
};

inline Fiber::Fiber(Multiprocessor& owner, unsigned number)
    : Context(owner.stacks(), number,
              [this, &owner]() -> Context& { return owner.run_fiber(*this); }) {}

}  // namespace simt::inline SIMT_BACKEND::detail
