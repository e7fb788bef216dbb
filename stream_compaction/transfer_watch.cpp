#include "stream_compaction/transfer_watch.h"

namespace stream_compaction {

TransferWatch::Progress TransferWatch::progress() const {
    const std::lock_guard lock(mutex_);
    Progress call = call_;
    call.moved = moved_.load(std::memory_order_relaxed);
    return call;
}

Transfer::Transfer(std::size_t bytes) : watch_(TransferWatch::of_this_thread()) {
    if (watch_ == nullptr) return;
    const std::lock_guard lock(watch_->mutex_);
    watch_->moved_ = 0;
    watch_->call_ = {.expected = bytes, .start = TransferWatch::Clock::now(), .is_running = true};
}

Transfer::~Transfer() {
    if (watch_ == nullptr) return;
    const std::lock_guard lock(watch_->mutex_);
    watch_->call_.is_running = false;
}

void Transfer::leave_out(std::size_t bytes) const {
    if (watch_ == nullptr) return;
    const std::lock_guard lock(watch_->mutex_);
    watch_->call_.expected -= bytes;
}

}  // namespace stream_compaction
