// One OS thread that executes blocks, one after another. Part of executor.cpp; see fiber.h for how
// that is compiled.
#pragma once

#include "simt/emulated/block.h"
#include "simt/emulated/executor.h"
#include "simt/emulated/fiber.h"
#include "simt/emulated/warp.h"
#include "simt/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace simt::inline SIMT_BACKEND::detail {

/// A broken rule, on its way out of the kernel.
struct Violation {
    std::string what;
};

/// Unwinds a thread whose block is given up.
struct Abandoned {};

/// SplitMix64: the executor needs little chance, and none that is shared with instrumented code.
class Random {
  public:
    explicit Random(std::uint64_t seed = 0) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    unsigned below(unsigned bound) { return static_cast<unsigned>(next() % bound); }

  private:
    std::uint64_t state_;
};

/// One grid on its way through the workers.
struct Grid {
    const LaunchConfig& config;
    void (*thread)(const void*);
    const void* arguments;
    Options options;
    std::uint64_t blocks;
    unsigned threads;  // of a block
    int compute_capability;

    std::atomic<bool> stopped = false;
    std::atomic<bool> out_of_memory = false;
    /// What each worker has done. It alone writes that.
    struct alignas(64) Progress {
        static constexpr std::uint64_t kLeft = ~std::uint64_t{0};  // will take no block any more

        std::atomic<std::uint64_t> events = 0;       // it got somewhere; spinning does not count
        std::atomic<std::uint64_t> idle_rounds = 0;  // of spinning; or kLeft
    };
    std::vector<Progress> progress;
    std::function<void()> call_helpers;
    unsigned missing_helpers = 0;  // threads that the machine does not start
};

inline uint3 coordinates(std::uint64_t linear, dim3 extent) {
    return {static_cast<unsigned>(linear % extent.x),
            static_cast<unsigned>(linear / extent.x % extent.y),
            static_cast<unsigned>(linear / extent.x / extent.y)};
}

inline std::string describe(uint3 i) {
    return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

inline std::string describe(Place place) {
    return std::string(place.file_name()) + ":" + std::to_string(place.line());
}

class Multiprocessor;

/// One CUDA thread in flight; when it has ended, the fiber takes the next.
struct Fiber : Context {
    Fiber(Multiprocessor& owner, unsigned number);

    unsigned thread = 0;  // linear index within the block
    uint3 index{};
    Place waits_at{};
    bool waiting = false;
    unsigned steps = 0;        // collectives and atomic operations since it spun
    unsigned bulk_groups = 0;  // that the thread has committed
    Fiber* next = nullptr;     // in the list of those who wait at the same barrier
};

/// A ring of fibers that never allocates.
class FiberQueue {
  public:
    bool empty() const { return size_ == 0; }
    unsigned size() const { return size_; }
    void clear() { size_ = 0; }
    void push(Fiber* fiber) { at(size_++) = fiber; }
    Fiber* pop_back() { return at(--size_); }
    Fiber* pop_front() {
        Fiber* fiber = at(0);
        ++first_;
        --size_;
        return fiber;
    }
    Fiber* pop_at(unsigned i) {
        std::swap(at(0), at(i));
        return pop_front();
    }

  private:
    Fiber*& at(unsigned i) { return ring_[(first_ + i) % kMaxThreadsPerBlock]; }

    std::array<Fiber*, kMaxThreadsPerBlock> ring_;
    unsigned first_ = 0;
    unsigned size_ = 0;
};

struct Warp {
    Lanes lanes;
    std::array<Fiber*, kWarpSize> fibers;
    OpenRendezvous open;
    WarpEdges edges;
    unsigned gone = 0;  // lanes that have exited, or never were
};

/// A barrier of the block: number 0 is __syncthreads.
struct Barrier {
    Fiber* first = nullptr;  // those who wait, in order of arrival
    Fiber* last = nullptr;
    unsigned expected = 0;
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

struct BulkStore {
    void* global;
    const void* shared;
    unsigned bytes;
    const Fiber* fiber;
    unsigned group;
    Place where;
};

class Multiprocessor {
  public:
    Multiprocessor() = default;
    Multiprocessor(const Multiprocessor&) = delete;
    Multiprocessor& operator=(const Multiprocessor&) = delete;
    ~Multiprocessor() { release_fibers(); }

    void start_grid(Grid& grid, unsigned worker) {
        grid_ = &grid;
        worker_ = worker;
        const std::size_t shared_bytes = grid.config.shared_bytes;
        if (shared_bytes_ != shared_bytes || shared_ == nullptr) {
            shared_.reset(static_cast<std::byte*>(::operator new(shared_bytes, kSharedAlignment)));
            shared_bytes_ = shared_bytes;
        }
        const unsigned warps = (grid.threads + kWarpSize - 1) / kWarpSize;
        if (warps_.size() < warps) warps_.resize(warps);
        rounds_before_.resize(grid.progress.size());
        fibers_.reserve(grid.threads);
        // A fiber that creates another would come before it, in the eyes of ThreadSanitizer.
        while (kThreadSanitizer && fibers_.size() < grid.threads) parked_.push(new_fiber());
        blockDim = grid.config.block;
        gridDim = grid.config.grid;
        capability_of_grid = grid.compute_capability;
    }

    /// @throws Violation, or what the kernel has thrown
    void run_block(std::uint64_t linear) {
        prepare_block(linear);
        block_starts_.release();
        dispatch(main_);
        block_ends_.acquire();
        if (!given_up_ && finished_ < grid_->threads) {
            failure_ = std::make_exception_ptr(
                Violation{"block " + describe(blockIdx) + ": deadlock" + describe_waiting()});
            given_up_ = true;
        }
        if (given_up_) unwind();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

    unsigned sync_block(bool predicate, Place where) {
        Barrier& barrier = barriers_[0];
        if (finished_ > 0)
            fail("__syncthreads() that " + std::to_string(finished_) +
                     " threads of the block have exited without reaching",
                 where);
        if (barrier.first != nullptr && !same_place(barrier.first->waits_at, where))
            fail("divergent __syncthreads(): other threads wait at " +
                     describe(barrier.first->waits_at),
                 where);
        barrier.expected = grid_->threads;
        return arrive(barrier, predicate, where);
    }

    void sync_named(unsigned number, unsigned threads, Place where) {
        if (number == 0 || number >= barriers_.size())
            fail("named barriers are numbered 1 to 15; 0 is __syncthreads()", where);
        if (threads == 0 || threads % kWarpSize != 0 || threads > grid_->threads)
            fail("a named barrier of " + std::to_string(threads) +
                     " threads: must be whole warps of the block",
                 where);
        Barrier& barrier = barriers_[number];
        if (barrier.first != nullptr && barrier.expected != threads)
            fail("named barrier " + std::to_string(number) + " of " + std::to_string(threads) +
                     " threads: the thread at " + describe(barrier.first->waits_at) + " expects " +
                     std::to_string(barrier.expected),
                 where);
        barrier.expected = threads;
        arrive(barrier, false, where);
    }

    std::uint64_t sync_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned argument,
                            int width, Place where) {
        const unsigned lane = running_->thread % kWarpSize;
        Warp& warp = warps_[running_->thread / kWarpSize];
        const bool orders_memory = kind == Collective::barrier;  // ballots and shuffles do not
        if (orders_memory) warp.edges.arrive(lane);
        if ((mask >> lane & 1) == 0) fail("the calling lane is not in its own mask", where);
        if ((mask & warp.gone) != 0) fail("the mask names lanes that have exited", where);
        if (width < 1 || width > 32 || (width & (width - 1)) != 0)
            fail("a shuffle's width must be a power of two up to 32", where);
        for (const Rendezvous& r : warp.open)
            if (r.mask != mask && (r.mask >> lane & 1) != 0 && (r.arrived & mask) != 0)
                fail("the mask names lanes that wait for this one with another mask at " +
                         describe(warp.fibers[std::countr_zero(r.arrived & mask)]->waits_at),
                     where);
        Rendezvous& rendezvous = warp.open.of(mask, kind);
        if (rendezvous.kind != kind)
            fail("divergent collective of a warp: other lanes wait in another one at " +
                     describe(warp.fibers[std::countr_zero(rendezvous.arrived)]->waits_at),
                 where);
        rendezvous.arrived |= 1u << lane;
        warp.lanes[lane] = {value, 0, argument, width};
        warp.fibers[lane] = running_;
        running_->waits_at = where;
        spins_ = 0;
        step();
        if (rendezvous.arrived == mask) {
            warp.open.close(rendezvous);
            complete(kind, mask, warp.lanes);
            if (orders_memory) warp.edges.complete(mask);
            for_each_lane(mask, [&](unsigned l) { ready_.push(warp.fibers[l]); });
        }
        suspend();
        if (orders_memory) warp.edges.leave(lane, mask);
        return warp.lanes[lane].result;
    }

    void relax(Place where) {
        // Idle is a block whose threads have all spun, some rounds long, while none did anything
        // else. Those that meet in collectives between two spins never look it: hence the count.
        const bool only_spins = ready_.empty() && !can_start();
        ++relaxes_;
        if ((only_spins && ++spins_ > kSpinRounds * (spinning_.size() + 1)) ||
            relaxes_ % kRelaxesBetweenChecks == 0) {
            spins_ = 0;
            idle(where);
        }
        running_->steps = 0;
        running_->waits_at = where;
        spinning_.push(running_);
        suspend();
    }

    void after_atomic(bool changed) {
        changed ? got_somewhere() : step();
        if (grid_->options.order != Order::random || random_.below(4) != 0) return;
        ready_.push(running_);
        suspend();
    }

    void* shared_memory() { return shared_.get(); }

    void start_bulk_load(void* shared, const void* global, unsigned bytes, const void* barrier,
                         Place where) {
        check_bulk_copy(shared, global, bytes, where);
        std::memset(shared, kUndefinedByte, bytes);
        bulk_loads_start_.release();
        loads_.push_back({shared, global, bytes, barrier, where});
    }

    unsigned finish_bulk_loads(const void* barrier) {
        unsigned bytes = 0;
        bulk_loads_start_.acquire();
        std::erase_if(loads_, [&](const BulkLoad& load) {
            if (load.barrier != barrier) return false;
            std::memcpy(load.shared, load.global, load.bytes);
            bytes += load.bytes;
            return true;
        });
        return bytes;
    }

    void start_bulk_store(void* global, const void* shared, unsigned bytes, Place where) {
        check_bulk_copy(shared, global, bytes, where);
        stores_.push_back({global, shared, bytes, running_, running_->bulk_groups, where});
    }

    void commit_bulk_stores() { ++running_->bulk_groups; }

    void finish_bulk_stores(unsigned groups_left) {
        std::erase_if(stores_, [&](const BulkStore& store) {
            if (store.fiber != running_ || store.group + groups_left >= running_->bulk_groups)
                return false;
            std::memcpy(store.global, store.shared, store.bytes);
            return true;
        });
    }

    [[noreturn]] void fail(const std::string& what, Place where) {
        throw Violation{"block " + describe(blockIdx) + ", thread " + describe(threadIdx) + " at " +
                        describe(where) + ": " + what};
    }

    /// Gives back the fibers' stacks. Called when no block runs.
    void release_fibers() {
        quit_ = true;
        while (!parked_.empty()) main_.switch_to(*parked_.pop_front());
        quit_ = false;
        fibers_.clear();
    }

    /// A fiber's body: executes CUDA threads one after another, as long as none has to wait, so a
    /// kernel without synchronisation costs no switch of context. ThreadSanitizer wants every
    /// thread of a block on a fiber of its own.
    Context& run_fiber(Fiber& self) {
        while (!quit_) {
            do run_thread(self);
            while (!kThreadSanitizer && can_start());
            parked_.push(&self);
            dispatch(self);
        }
        return main_;
    }

  private:
    static constexpr std::align_val_t kSharedAlignment{128};
    struct FreeShared {
        void operator()(std::byte* memory) const { ::operator delete(memory, kSharedAlignment); }
    };

    static bool same_place(Place a, Place b) {
        return a.line() == b.line() && a.column() == b.column() &&
               (a.file_name() == b.file_name() || std::string_view(a.file_name()) == b.file_name());
    }

    void check_bulk_copy(const void* shared, const void* global, unsigned bytes, Place where) {
        const auto aligned = [](const void* p) {
            return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
        };
        if (!aligned(shared) || !aligned(global))
            fail("a bulk copy from or to an address that is not a multiple of 16", where);
        if (bytes == 0 || bytes % 16 != 0)
            fail("a bulk copy of " + std::to_string(bytes) + " bytes: must be a multiple of 16",
                 where);
    }

    bool can_start() const { return next_start_ < grid_->threads && !given_up_; }

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

    void prepare_block(std::uint64_t linear) {
        blockIdx = coordinates(linear, grid_->config.grid);
        // CUDA leaves shared memory undefined; this makes that visible.
        std::memset(shared_.get(), kUndefinedByte, shared_bytes_);
        const unsigned threads = grid_->threads;
        for (Warp& warp : warps_) {
            warp.gone = 0;
            warp.open.clear();
        }
        if (threads % kWarpSize != 0) warps_[threads / kWarpSize].gone = ~0u << threads % kWarpSize;
        for (Barrier& barrier : barriers_) {
            barrier.first = nullptr;
            barrier.arrived = barrier.votes = 0;
        }
        if (grid_->options.order == Order::random) {
            random_ = Random(grid_->options.seed * 0x9E3779B97F4A7C15 + linear);
            for (unsigned i = 0; i < threads; ++i) {
                const unsigned j = random_.below(i + 1);
                start_order_[i] = start_order_[j];
                start_order_[j] = static_cast<std::uint16_t>(i);
            }
        }
        next_start_ = finished_ = 0;
        spins_ = relaxes_ = yielded_at_ = 0;
        seen_events_ = kNoEventsSeen;
        given_up_ = false;
        ready_.clear();
        spinning_.clear();
        loads_.clear();
        stores_.clear();
    }

    unsigned thread_to_start() {
        const unsigned i = next_start_++;
        switch (grid_->options.order) {
            case Order::forward:
                return i;
            case Order::reverse:
                return grid_->threads - 1 - i;
            default:
                return start_order_[i];
        }
    }

    Fiber* new_fiber() {
        const auto number = static_cast<unsigned>(fibers_.size());
        return fibers_.emplace_back(std::make_unique<Fiber>(*this, number)).get();
    }

    /// For the next thread of the block. Where there is no memory for another fiber, the block is
    /// given up here: the kernel's code that waits has nothing to do with that.
    Context& fiber_to_start() {
        try {
            return parked_.empty() ? *new_fiber() : *parked_.pop_front();
        } catch (...) {
            failure_ = std::current_exception();
            given_up_ = true;
            return main_;
        }
    }

    /// What is to run next; the OS thread's own stack where nothing can.
    Context& pick() {
        if (given_up_) return main_;
        switch (grid_->options.order) {
            case Order::forward:
                if (!ready_.empty()) return *ready_.pop_front();
                break;
            case Order::reverse:
                if (!ready_.empty()) return *ready_.pop_back();
                break;
            case Order::random:
                if (can_start() && random_.below(2) == 0) return fiber_to_start();
                if (!ready_.empty() && (spinning_.empty() || random_.below(4) != 0))
                    return *ready_.pop_at(random_.below(ready_.size()));
                if (!spinning_.empty() && (!can_start() || random_.below(4) == 0))
                    return *spinning_.pop_at(random_.below(spinning_.size()));
                break;
        }
        if (can_start()) return fiber_to_start();
        // Last, and in turn, so that a thread which spins never keeps out the one it waits for.
        if (!spinning_.empty()) return *spinning_.pop_front();
        return main_;
    }

    void dispatch(Context& self) {
        Context& next = pick();
        if (&next != &self) self.switch_to(next);
    }

    void suspend() {
        Fiber& self = *running_;
        self.waiting = true;
        dispatch(self);
        self.waiting = false;
        running_ = &self;
        threadIdx = self.index;
        if (given_up_) throw Abandoned{};
    }

    void run_thread(Fiber& self) {
        self.thread = thread_to_start();
        self.index = threadIdx = coordinates(self.thread, grid_->config.block);
        self.steps = self.bulk_groups = 0;
        running_ = &self;
        block_starts_.acquire();
        try {
            grid_->thread(grid_->arguments);
            exit_thread(self);
        } catch (const Abandoned&) {
            given_up_ = true;
        } catch (...) {
            if (!failure_) failure_ = std::current_exception();
            given_up_ = true;
        }
        block_ends_.release();
    }

    void exit_thread(const Fiber& self) {
        Warp& warp = warps_[self.thread / kWarpSize];
        warp.gone |= 1u << self.thread % kWarpSize;
        ++finished_;
        got_somewhere();
        if (barriers_[0].first != nullptr)
            fail("__syncthreads() that a thread exits without reaching",
                 barriers_[0].first->waits_at);
        for (const BulkStore& store : stores_)
            if (store.fiber == &self)
                fail("a bulk store that its thread exits without waiting for", store.where);
        if (finished_ == grid_->threads && !loads_.empty())
            fail("a bulk load that no thread waits for", loads_.front().where);
        for (const Rendezvous& r : warp.open)
            if ((r.mask & warp.gone) != 0)
                fail("a collective whose mask names this lane, which has exited",
                     warp.fibers[std::countr_zero(r.arrived)]->waits_at);
    }

    unsigned arrive(Barrier& barrier, bool predicate, Place where) {
        const unsigned generation = barrier.generation;
        RaceEdge& edge = barrier.edges[generation % 2];
        edge.release();
        spins_ = 0;
        running_->waits_at = where;
        running_->next = nullptr;
        (barrier.first == nullptr ? barrier.first : barrier.last->next) = running_;
        barrier.last = running_;
        barrier.votes += predicate ? 1 : 0;
        if (++barrier.arrived == barrier.expected) {
            barrier.result[generation % 2] = std::exchange(barrier.votes, 0);
            ++barrier.generation;
            barrier.arrived = 0;
            for (Fiber* fiber = std::exchange(barrier.first, nullptr); fiber != nullptr;
                 fiber = fiber->next)
                ready_.push(fiber);
            got_somewhere();
        }
        suspend();
        edge.acquire();
        return barrier.result[generation % 2];
    }

    /// The block can only go on when another does.
    void idle(Place where) {
        if (grid_->stopped.load(std::memory_order_relaxed)) {
            given_up_ = true;
            throw Abandoned{};
        }
        if (worker_ == 0) grid_->call_helpers();
        count(grid_->progress[worker_].idle_rounds);
        if (!all_stall()) {
            yield();
            return;
        }
        if (grid_->missing_helpers > 0)
            throw Error(
                "the kernel's blocks wait for each other, and the machine has started only " +
                    std::to_string(grid_->progress.size() - grid_->missing_helpers) + " of " +
                    std::to_string(grid_->progress.size()) + " threads that execute blocks",
                grid_->config.where);
        fail("no block makes progress: the thread spins on what none of them provides" +
                 describe_waiting(),
             where);
    }

    /// Lets other workers run: at first in every round, for they may soon provide what is waited
    /// for; later less often, for each time may cost a turn of all that runs on a busy machine.
    void yield() {
        if (grid_->progress.size() == 1) return;
        const std::uint64_t rounds = grid_->progress[worker_].idle_rounds - rounds_before_[worker_];
        if (rounds > kRoundsWithYield && relaxes_ - yielded_at_ < kRelaxesBetweenChecks) return;
        yielded_at_ = relaxes_;
        std::this_thread::yield();
    }

    /// Whether every worker has left, or has spun for many rounds since the last event anywhere.
    /// One that the machine does not let run, or that has yet to come, makes no rounds: so a right
    /// kernel is never ended, however long it takes.
    bool all_stall() {
        bool all = true;
        for (std::size_t i = 0; i < rounds_before_.size(); ++i) {
            const std::uint64_t rounds =
                grid_->progress[i].idle_rounds.load(std::memory_order_acquire);
            all = all && (rounds == Grid::Progress::kLeft ||
                          rounds - rounds_before_[i] >= grid_->options.stall_rounds);
        }
        // Read after the rounds, and the rounds again after them: so all rounds that count were
        // made after the last event, and no event came after them.
        std::uint64_t events = 0;
        for (const Grid::Progress& worker : grid_->progress)
            events += worker.events.load(std::memory_order_acquire);
        if (events == seen_events_) return all;
        seen_events_ = events;
        for (std::size_t i = 0; i < rounds_before_.size(); ++i)
            rounds_before_[i] = grid_->progress[i].idle_rounds.load(std::memory_order_acquire);
        return false;
    }

    /// Where the threads wait, and one that waits there.
    std::string describe_waiting() {
        std::vector<const Fiber*> examples;
        unsigned waiting = 0;
        for (const auto& fiber : fibers_) {
            if (!fiber->waiting) continue;
            ++waiting;
            const auto waits_here = [&](const Fiber* other) {
                return same_place(other->waits_at, fiber->waits_at);
            };
            if (std::ranges::none_of(examples, waits_here)) examples.push_back(fiber.get());
        }
        std::string text = "; " + std::to_string(waiting) + " threads wait";
        for (const Fiber* fiber : examples)
            text += (fiber == examples.front() ? ": " : ", ") + describe(fiber->index) + " at " +
                    describe(fiber->waits_at);
        return text;
    }

    /// Ends the threads that still wait, each on its own stack.
    void unwind() {
        for (std::size_t i = 0; i < fibers_.size(); ++i)
            if (fibers_[i]->waiting) main_.switch_to(*fibers_[i]);
        block_ends_.acquire();
    }

    static constexpr unsigned kSpinRounds = 4;  // a random order is not fair in one
    static constexpr unsigned kRelaxesBetweenChecks = 4096;
    static constexpr unsigned kRoundsWithYield = 16;
    static constexpr unsigned kStepsOfWork = 256;
    static constexpr int kUndefinedByte = 0xCD;
    static constexpr std::uint64_t kNoEventsSeen = ~std::uint64_t{0};

    Grid* grid_ = nullptr;
    unsigned worker_ = 0;
    std::unique_ptr<std::byte, FreeShared> shared_;
    std::size_t shared_bytes_ = 0;

    Context main_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    Fiber* running_ = nullptr;
    FiberQueue parked_;    // without a thread
    FiberQueue ready_;     // can go on
    FiberQueue spinning_;  // can go on, but have said that they wait for something
    std::vector<Warp> warps_;
    std::array<Barrier, 16> barriers_;
    std::vector<BulkLoad> loads_;  // started, and not yet waited for
    std::vector<BulkStore> stores_;

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
    : Context(number, [this, &owner]() -> Context& { return owner.run_fiber(*this); }) {}

}  // namespace simt::inline SIMT_BACKEND::detail
