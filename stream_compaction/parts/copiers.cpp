#include "stream_compaction/parts/copiers.h"

#include "stream_compaction/grid.h"

#include <algorithm>
#include <string>
#include <system_error>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// An eighth of a piece, so that all threads have work, but large enough that assigning a share
/// costs less than copying it.
std::size_t share_of(std::size_t size) {
    constexpr std::size_t kShares = 8, kLeast = std::size_t{1} << 14;
    return std::max(kLeast, ceil_div(size, kShares));
}

}  // namespace

Copiers::Copiers(unsigned threads) {
    try {
        for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error& error) {
        end();  // otherwise the threads that have started would never be joined; here and below
        throw std::system_error(error.code(),
                                "the machine has started only " + std::to_string(threads_.size()) +
                                    " of " + std::to_string(threads) +
                                    " threads that copy (limits: ulimit -u, pids.max of the "
                                    "cgroup)");
    } catch (...) {
        end();
        throw;
    }
}

Copiers::~Copiers() { end(); }

void Copiers::copy(const int* from, int* to, std::size_t size, std::atomic<std::size_t>& left) {
    const std::size_t share = share_of(size);
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t begin = 0; begin < size; begin += share) {
            shares_.push_back({from + begin, to + begin, std::min(share, size - begin), &left});
            ++left;  // after the push: it may fail for lack of memory
        }
    }
    for (std::size_t begin = 0; begin < size; begin += share) wake_.notify_one();
}

bool Copiers::help() {
    Share share;
    {
        const std::lock_guard lock(mutex_);
        if (shares_.empty()) return false;
        share = shares_.front();
        shares_.pop_front();
        ++busy_;
    }
    std::copy_n(share.from, share.size, share.to);
    const std::lock_guard lock(mutex_);
    --*share.left;
    if (--busy_ == 0) idle_.notify_one();
    return true;
}

void Copiers::serve() {
    for (;;) {
        if (help()) continue;
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return has_ended_ || !shares_.empty(); });
        if (has_ended_) return;
    }
}

void Copiers::abandon() {
    std::unique_lock lock(mutex_);
    for (const Share& share : shares_) --*share.left;
    shares_.clear();
    idle_.wait(lock, [&] { return busy_ == 0; });
}

void Copiers::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    wake_.notify_all();
}

}  // namespace stream_compaction::inline SIMT_BACKEND
