// How a block runs: its threads, and which runs next.
#include "simt/emulated/multiprocessor/multiprocessor.h"
#include "simt/emulated/watcher.h"

#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace simt::inline SIMT_BACKEND::detail {

void Multiprocessor::start_grid(Grid& grid, unsigned worker) {
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
    // If a fiber created another one, ThreadSanitizer would order the two.
    while (kThreadSanitizer && fibers_.size() < grid.threads) parked_.push(new_fiber());
    blockDim = grid.config.block;
    gridDim = grid.config.grid;
    capability_of_grid = grid.compute_capability;
    cluster_of_grid = grid.config.cluster;
}

void Multiprocessor::run_block(std::uint64_t linear) {
    prepare_block(linear);
    tell([&](auto& to) { to.block_starts(shared_.get(), shared_bytes_); });
    block_starts_.release();
    dispatch(main_);
    block_ends_.acquire();
    if (!given_up_ && finished_ < grid_->threads) {
        failure_ = std::make_exception_ptr(
            Violation{"block " + describe(blockIdx) + ": deadlock" + describe_waiting()});
        given_up_ = true;
    }
    if (given_up_) unwind();
    if (grid_->config.cluster > 1) cluster().shared[cluster_rank()] = nullptr;
    tell([](auto& to) { to.block_ends(); });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Multiprocessor::fail(const std::string& what, Location where) {
    throw Violation{"block " + describe(blockIdx) + ", thread " + describe(threadIdx) + " at " +
                    describe(where) + ": " + what};
}

void* Multiprocessor::shared_memory_of(unsigned rank, Location where) {
    if (rank >= grid_->config.cluster)
        fail("block " + std::to_string(rank) + " of a cluster of " +
                 std::to_string(grid_->config.cluster),
             where);
    void* const shared = cluster().shared[rank];
    if (shared == nullptr)
        fail("shared memory of block " + std::to_string(rank) +
                 " of the cluster, which has not started or has ended",
             where);
    return shared;
}

void Multiprocessor::release_fibers() {
    quit_ = true;
    while (!parked_.empty()) main_.switch_to(*parked_.pop_front());
    quit_ = false;
    fibers_.clear();
    stacks_.release();
}

Context& Multiprocessor::run_fiber(Fiber& self) {
    while (!quit_) {
        do run_thread(self);
        while (!kThreadSanitizer && can_start());
        parked_.push(&self);
        dispatch(self);
    }
    return main_;
}

void Multiprocessor::prepare_block(std::uint64_t linear) {
    linear_ = linear;
    blockIdx = coordinates(linear, grid_->config.grid);
    // CUDA leaves shared memory undefined; this makes uses of undefined content visible.
    std::memset(shared_.get(), kUndefinedByte, shared_bytes_);
    if (grid_->config.cluster > 1) cluster().shared[cluster_rank()] = shared_.get();
    const unsigned threads = grid_->threads;
    for (Warp& warp : warps_) {
        warp.gone = 0;
        warp.open.clear();
    }
    if (threads % kWarpSize != 0) warps_[threads / kWarpSize].gone = ~0u << threads % kWarpSize;
    barrier_.first = nullptr;
    barrier_.arrived = barrier_.votes = 0;
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
}

unsigned Multiprocessor::thread_to_start() {
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

Fiber* Multiprocessor::new_fiber() {
    const auto number = static_cast<unsigned>(fibers_.size());
    return fibers_.emplace_back(std::make_unique<Fiber>(*this, number)).get();
}

Context& Multiprocessor::fiber_to_start() {
    try {
        return parked_.empty() ? *new_fiber() : *parked_.pop_front();
    } catch (...) {
        failure_ = std::current_exception();
        given_up_ = true;
        return main_;
    }
}

Context& Multiprocessor::pick() {
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
    // Spinning threads run last and in turn, so that they never keep out the thread they wait for.
    if (!spinning_.empty()) return *spinning_.pop_front();
    return main_;
}

void Multiprocessor::dispatch(Context& self) {
    Context& next = pick();
    if (&next != &self) self.switch_to(next);
}

void Multiprocessor::suspend() {
    Fiber& self = *running_;
    self.waiting = true;
    dispatch(self);
    self.waiting = false;
    running_ = &self;
    threadIdx = self.index;
    if (given_up_) throw Abandoned{};
}

void Multiprocessor::run_thread(Fiber& self) {
    self.thread = thread_to_start();
    self.index = threadIdx = coordinates(self.thread, grid_->config.block);
    self.steps = 0;
    self.awaited_arrivals = 0;
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

void Multiprocessor::exit_thread(const Fiber& self) {
    Warp& warp = warps_[self.thread / kWarpSize];
    warp.gone |= 1u << self.thread % kWarpSize;
    ++finished_;
    got_somewhere();
    if (barrier_.first != nullptr)
        fail("a thread exits without reaching this __syncthreads()", barrier_.first->waits_at);
    if (finished_ == grid_->threads && !loads_.empty())
        fail("a bulk load that no thread waits for", loads_.front().where);
    for (const Rendezvous& r : warp.open)
        if ((r.mask & warp.gone) != 0)
            fail("a collective whose mask names this lane, which has exited",
                 warp.fibers[std::countr_zero(r.arrived)]->waits_at);
}

void Multiprocessor::unwind() {
    for (std::size_t i = 0; i < fibers_.size(); ++i)
        if (fibers_[i]->waiting) main_.switch_to(*fibers_[i]);
    block_ends_.acquire();
}

}  // namespace simt::inline SIMT_BACKEND::detail
