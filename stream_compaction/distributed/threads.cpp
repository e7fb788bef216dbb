// Ranks that are threads of one process.
#include "simt/device.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/distributed.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

/// A spin lock: it is held so briefly that threads yield until it is free, instead of sleeping.
class BriefLock {
  public:
    void lock() {
        while (is_held_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() { is_held_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> is_held_ = false;
};

/// A table through which threads exchange data.
class Table {
  public:
    Table(unsigned ranks, std::chrono::milliseconds patience)
        : patience_(std::min(patience, kMostPatience)), states_(ranks), shown_(ranks) {}

    unsigned ranks() const { return static_cast<unsigned>(states_.size()); }

    /// Calls read(shown) when all ranks have arrived; shown[r] is what rank r has shown. All of it
    /// remains valid until all ranks have read it, even if one fails, because it is on the stack or
    /// on the device of a rank that would otherwise return.
    /// @throws RankFailed, exceptions of `read`
    template <class Read>
    void share(unsigned rank, const void* own, Read read) {
        await_all(rank, own);
        std::exception_ptr failure;
        try {
            read(std::as_const(shown_));
        } catch (...) {
            failure = std::current_exception();
        }
        await_readers();
        if (failure) std::rethrow_exception(failure);
    }

    void fail(unsigned rank, const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (!failure_) first_to_fail_ = rank;
        fail_locked("rank " + std::to_string(rank) + ": " + what);
    }

    void require_whole() {
        const std::lock_guard lock(mutex_);
        require_whole_locked();
    }

    /// The rank has ended and will not arrive again.
    void leave(unsigned rank, std::exception_ptr exception) {
        const std::lock_guard lock(mutex_);
        states_[rank].has_left = true;
        states_[rank].exception = std::move(exception);
        if (arrived_ > 0) fail_for_who_left();
    }

    /// Rethrows the first failure. Called when all ranks have left.
    void rethrow() const {
        if (states_.empty()) return;
        if (const auto& first = states_[first_to_fail_].exception) std::rethrow_exception(first);
        for (const RankState& state : states_)
            if (state.exception) std::rethrow_exception(state.exception);
    }

  private:
    struct RankState {
        bool has_come = false;  ///< in this round
        bool has_left = false;
        std::exception_ptr exception = nullptr;
    };

    void await_all(unsigned rank, const void* own) {
        std::unique_lock lock(mutex_);
        require_whole_locked();
        shown_[rank] = own;
        states_[rank].has_come = true;
        if (++arrived_ == ranks()) {
            for (RankState& state : states_) state.has_come = false;
            arrived_ = 0;
            readers_ = ranks();
            ++turn_;
            return changed_.notify_all();
        }
        fail_for_who_left();
        const std::size_t turn = turn_;
        lock.unlock();
        if (comes_soon([&] { return turn_ != turn; })) return;
        lock.lock();
        if (!changed_.wait_for(lock, patience_, [&] { return turn_ != turn || failure_; }))
            fail_locked(who(&RankState::has_come, false) + " did not arrive in time");
        if (turn_ == turn) require_whole_locked();
    }

    void await_readers() {
        const auto is_over = [&] { return readers_ == 0; };
        std::unique_lock lock(mutex_);
        if (--readers_ == 0) return changed_.notify_all();
        lock.unlock();
        if (comes_soon(is_over)) return;
        lock.lock();
        changed_.wait(lock, is_over);
    }

    /// Whether the other ranks are so near that a sleeping thread would wake up too late.
    template <class IsOver>
    static bool comes_soon(IsOver is_over) {
        constexpr int kTurns = 1000;
        for (int turn = 0; turn < kTurns; ++turn) {
            if (is_over()) return true;
            std::this_thread::yield();
        }
        return false;
    }

    void require_whole_locked() const {
        if (failure_) throw RankFailed(*failure_);
    }
    void fail_locked(std::string what) {
        if (!failure_) failure_ = std::move(what);
        changed_.notify_all();
    }
    void fail_for_who_left() {
        if (std::ranges::any_of(states_, &RankState::has_left))
            fail_locked(who(&RankState::has_left, true) + " ended while others wait for it");
    }
    std::string who(bool RankState::*has, bool value) const {
        return "rank " + std::to_string(std::ranges::find(states_, value, has) - states_.begin());
    }

    const std::chrono::milliseconds patience_;
    BriefLock mutex_;  // guards the members below
    std::condition_variable_any changed_;
    std::vector<RankState> states_;
    std::vector<const void*> shown_;
    std::atomic<std::size_t> turn_ = 0;  // also read without the lock
    unsigned arrived_ = 0;               // in this round
    std::atomic<unsigned> readers_ = 0;  // of the previous round; also read without the lock
    std::optional<std::string> failure_;
    unsigned first_to_fail_ = 0;
};

class ThreadRank final : public Communicator {
  public:
    ThreadRank(unsigned rank, Table& table) : rank_(rank), table_(table) {}

    unsigned rank() const override { return rank_; }
    unsigned size() const override { return table_.ranks(); }

    std::vector<std::uint64_t> all_gather(std::span<const std::uint64_t> own) override {
        std::vector<std::uint64_t> all;
        all.reserve(own.size() * size());
        table_.share(rank_, &own, [&](const auto& shown) {
            for (const void* words : shown) {
                const auto& its = *static_cast<const std::span<const std::uint64_t>*>(words);
                if (its.size() != own.size())
                    throw std::invalid_argument("ranks gather different numbers of words");
                all.insert(all.end(), its.begin(), its.end());
            }
        });
        return all;
    }

    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  simt::stream_t stream) override {
        const auto is_none = [&](unsigned rank) { return rank >= size(); };
        if (std::ranges::any_of(outgoing, is_none, &Outgoing::to) ||
            std::ranges::any_of(incoming, is_none, &Incoming::from))
            throw std::invalid_argument("an exchange with a rank that is not one of " +
                                        std::to_string(size()));
        wait(stream);
        table_.share(rank_, &outgoing, [&](const auto& shown) {
            // For each rank, the index of its next message to look at.
            std::vector<std::size_t> next(size(), 0);
            for (const Incoming& part : incoming) {
                const auto& its = *static_cast<const std::span<const Outgoing>*>(shown[part.from]);
                std::size_t& i = next[part.from];
                while (i < its.size() && its[i].to != rank_) ++i;
                if (i == its.size() || its[i].bytes != part.bytes)
                    throw std::logic_error("ranks do not agree on what they exchange");
                simt::copy_async(part.data, its[i++].data, part.bytes, stream);
            }
            for (unsigned from = 0; from < size(); ++from) {
                const auto& its = *static_cast<const std::span<const Outgoing>*>(shown[from]);
                if (std::ranges::any_of(
                        its.subspan(next[from]), [&](unsigned to) { return to == rank_; },
                        &Outgoing::to))
                    throw std::logic_error("ranks do not agree on what they exchange");
            }
            wait(stream);
        });
    }

    std::vector<std::shared_ptr<void>> share(std::shared_ptr<void> own) override {
        struct Shown {
            std::shared_ptr<void> memory;
            unsigned device;
        };
        const Shown shown{std::move(own), simt::current_device()};
        std::vector<std::shared_ptr<void>> all;
        std::uint64_t can_access = 1;
        table_.share(rank_, &shown, [&](const auto& of_ranks) {
            for (const void* its : of_ranks) {
                const auto& other = *static_cast<const Shown*>(its);
                if (!simt::enable_access_to(other.device)) can_access = 0;
                all.push_back(other.memory);
            }
        });
        if (std::ranges::min(all_gather(std::span(&can_access, 1))) == 0) all.clear();
        return all;
    }

    void barrier(simt::stream_t stream) override {
        simt::Event done = simt::Event::without_time();
        done.record(stream);
        table_.share(rank_, &done, [&](const auto& of_ranks) {
            for (const void* its : of_ranks)
                if (its != &done) static_cast<const simt::Event*>(its)->hold_back(stream);
        });
    }

    void require_whole() override { table_.require_whole(); }
    void fail(const std::string& what) noexcept override { table_.fail(rank_, what); }

  private:
    unsigned rank_;
    Table& table_;
};

}  // namespace

void Communicator::wait(simt::stream_t stream) { simt::synchronize(stream); }

std::vector<std::shared_ptr<void>> Communicator::share(std::shared_ptr<void>) { return {}; }

void Communicator::barrier(simt::stream_t stream) {
    wait(stream);
    (void)all_gather({});
}

void run_ranks(unsigned ranks, const std::function<void(Communicator&)>& work,
               std::chrono::milliseconds patience) {
    if (ranks == 0) throw std::invalid_argument("run_ranks: given 0 ranks, expected at least 1");
    Table table(ranks, patience);
    const auto run = [&](unsigned rank) {
        ThreadRank communicator(rank, table);
        std::exception_ptr exception;
        try {
            work(communicator);
        } catch (const std::exception& error) {
            exception = std::current_exception();
            table.fail(rank, error.what());
        } catch (...) {
            exception = std::current_exception();
            table.fail(rank, "an exception of an unknown type");
        }
        table.leave(rank, exception);
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (unsigned rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
        } catch (const std::exception& error) {
            table.fail(static_cast<unsigned>(threads.size()), error.what());
            throw;
        }
    }
    table.rethrow();
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
