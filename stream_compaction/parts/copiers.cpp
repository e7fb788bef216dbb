#include "stream_compaction/parts/copiers.h"

#include "stream_compaction/grid.h"

#include <algorithm>
#include <utility>

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
        for (std::size_t number = 1; number <= threads; ++number)
            threads_.emplace_back([this, number] { serve(number); });
    } catch (...) {
        end();  // otherwise the threads that have started would never be joined
        throw;
    }
}

Copiers::~Copiers() { end(); }

void Copiers::copy(const int* from, int* to, const Part& part, Timeline* timeline,
                   std::atomic<std::size_t>& left) {
    const std::size_t size = part.bytes / sizeof(int), share = share_of(size);
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t begin = 0; begin < size; begin += share) {
            Part here = part;
            here.bytes = std::min(share, size - begin) * sizeof(int);
            shares_.push_back({from + begin, to + begin, here, timeline, &left});
            ++left;  // this share could not be queued for lack of memory
        }
    }
    for (std::size_t begin = 0; begin < size; begin += share) wake_.notify_one();
}

bool Copiers::copy_share(std::size_t number) {
    Share share;
    {
        const std::lock_guard lock(mutex_);
        if (shares_.empty()) return false;
        share = shares_.front();
        shares_.pop_front();
        ++busy_;
    }
    share.part.thread = number;
    std::exception_ptr failure;
    try {
        note(share.timeline, share.part,
             [&] { std::copy_n(share.from, share.part.bytes / sizeof(int), share.to); });
    } catch (...) {
        failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    --*share.left;
    if (--busy_ == 0) idle_.notify_one();
    return true;
}

void Copiers::serve(std::size_t number) {
    for (;;) {
        if (copy_share(number)) continue;
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
    failure_ = nullptr;
}

void Copiers::rethrow() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Copiers::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    wake_.notify_all();
}

}  // namespace stream_compaction::inline SIMT_BACKEND
