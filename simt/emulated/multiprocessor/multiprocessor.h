// One OS thread that executes blocks, one after another. Part of the executor; see fiber.h for how
// that is compiled.
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
    unsigned gone = 0;  // lanes that have exited, or never were
};

/// The block's barrier, __syncthreads.
struct Barrier {
    Fiber* first = nullptr;  // those who wait, in order of arrival
    Fiber* last = nullptr;
    unsigned arrived = 0;
    unsigned votes = 0;
    unsigned generation = 0;
    std::array<unsigned, 2> result{};  // of this generation, and of the one before
    std::array<RaceEdge, 2> edges;
};

struct BulkLoad {
    void* shared;
    const void* global;
    unsigned bytes;
    const void* barrier;
    Place where;
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
    [[noreturn]] void fail(const std::string& what, Place where);
    void* shared_memory() { return shared_.get(); }
    std::uint64_t& cluster_arrivals() { return cluster().arrivals; }
    std::uint64_t& awaited_arrivals() { return running_->awaited_arrivals; }
    unsigned cluster_rank() const { return static_cast<unsigned>(linear_ % grid_->config.cluster); }
    void* shared_memory_of(unsigned rank, Place where);
    Stacks& stacks() { return stacks_; }
    /// Gives back the fibers' stacks. Called when no block runs.
    void release_fibers();
    /// A fiber's body: executes CUDA threads one after another, as long as none has to wait, so a
    /// kernel without synchronisation costs no switch of context. ThreadSanitizer wants every
    /// thread of a block on a fiber of its own.
    Context& run_fiber(Fiber& self);

    // Where threads wait for each other: barriers.cpp.
    unsigned sync_block(bool predicate, Place where);
    std::uint64_t sync_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned argument,
                            int width, Place where);

    // Who works and who only spins: progress.cpp.
    void relax(Place where);
    void after_atomic(bool changed);

    // bulk_copies.cpp
    void start_bulk_load(void* shared, const void* global, unsigned bytes, const void* barrier,
                         Place where);
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
    /// For the next thread of the block. Where there is no memory for another fiber, the block is
    /// given up here: the kernel's code that waits has nothing to do with that.
    Context& fiber_to_start();
    /// What is to run next; the OS thread's own stack where nothing can.
    Context& pick();
    void dispatch(Context& self);
    void suspend();
    void run_thread(Fiber& self);
    void exit_thread(const Fiber& self);
    /// Ends the threads that still wait, each on its own stack.
    void unwind();

    static bool same_place(Place a, Place b) {
        return a.line() == b.line() && a.column() == b.column() &&
               (a.file_name() == b.file_name() || std::string_view(a.file_name()) == b.file_name());
    }

    void got_somewhere() {
        count(grid_->progress[worker_].events);
        spins_ = 0;
    }
    /// A thread that does so much without spinning works, even where nobody can see of it.
    void step() {
        if (++running_->steps % kStepsOfWork == 0) got_somewhere();
    }
    /// Others who see the new count see what was done before.
    static void count(std::atomic<std::uint64_t>& counter) {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    /// The block can only go on when another does.
    void idle(Place where);
    /// Lets other workers run: at first in every round, for they may soon provide what is waited
    /// for; later less often, for each time may cost a turn of all that runs on a busy machine.
    void yield();
    /// Whether every worker has left, or has spun for many rounds since the last event anywhere.
    /// One that the machine does not let run, or that has yet to come, makes no rounds: so a right
    /// kernel is never ended, however long it takes.
    bool all_stall();
    /// Where the threads wait, and one that waits there.
    std::string describe_waiting();

    void check_bulk_copy(const void* shared, const void* global, unsigned bytes, Place where);

    static constexpr unsigned kSpinRounds = 4;  // a random order is not fair in one
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
    FiberQueue parked_;    // without a thread
    FiberQueue ready_;     // can go on
    FiberQueue spinning_;  // can go on, but have said that they wait for something
    std::vector<Warp> warps_;
    Barrier barrier_;
    std::vector<BulkLoad> loads_;  // started, and not yet waited for

    unsigned next_start_ = 0;
    unsigned finished_ = 0;
    std::array<std::uint16_t, kMaxThreadsPerBlock> start_order_{};  // for Order::random
    Random random_;

    unsigned spins_ = 0;  // since a thread of the block did anything else
    unsigned relaxes_ = 0, yielded_at_ = 0;
    std::uint64_t seen_events_ = 0;
    std::vector<std::uint64_t> rounds_before_;  // each worker's, at the last event

    RaceEdge block_starts_, block_ends_, bulk_loads_start_;
    std::exception_ptr failure_;
    bool given_up_ = false;  // no thread of the block may go on
    bool quit_ = false;
};

inline Fiber::Fiber(Multiprocessor& owner, unsigned number)
    : Context(owner.stacks(), number,
              [this, &owner]() -> Context& { return owner.run_fiber(*this); }) {}

}  // namespace simt::inline SIMT_BACKEND::detail
