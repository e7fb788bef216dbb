#include "stream_compaction/parts/pipeline.h"

#include <unistd.h>

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {

Pipeline::Pipeline(unsigned threads, std::size_t piece, std::size_t buffers, Ways ways)
    : each_way_(buffers), threads_(threads - 1) {
    const std::size_t all = ways == Ways::at_once ? 2 * buffers : buffers;
    memory_ = simt::PinnedArray<int>(all * piece);
    for (std::size_t i = 0; i < all; ++i) buffers_.emplace_back(memory_.data() + i * piece);
    start_copiers();
}

Pipeline::~Pipeline() { leave_copiers_of_parent(); }

void Pipeline::start_copiers() {
    copiers_ = std::make_unique<Copiers>(threads_);
    process_ = getpid();
}

/// A child of fork() has none of its parent's threads, and must not wait for them.
void Pipeline::leave_copiers_of_parent() {
    if (process_ != getpid()) (void)copiers_.release();
}

void Pipeline::run(const std::function<void()>& work) {
    leave_copiers_of_parent();
    if (!copiers_) start_copiers();
    uploads_.clear();
    downloads_.clear();
    staged_ = sent_ = taken_ = begun_ = left_ = finished_ = 0;
    watch_ = TransferWatch::of_this_thread();
    try {
        work();
        wait_until([&] { return sent_ == uploads_.size() && finished_ == downloads_.size(); });
        stream_.synchronize();
    } catch (...) {
        stop();
        throw;
    }
}

void Pipeline::upload(const int* from, int* to, std::size_t size, std::size_t after) {
    uploads_.push_back({from, to, size, after});
}

void Pipeline::take_upload() {
    wait_until([&] { return sent_ > taken_; });
    stream_.wait(up(taken_).copied);
    ++taken_;
}

bool Pipeline::can_take_upload() {
    go_on();
    return sent_ > taken_;
}

void Pipeline::wait_for(const simt::Event& event) {
    wait_until([&] { return event.is_reached(); });
}

void Pipeline::download(const int* from, int* to, std::size_t size, const simt::Event& ready) {
    downloads_.push_back({from, to, size, &ready});
    go_on();
}

/// Does one step that is possible now. Returns false if there is none. Steps that empty buffers
/// come first.
bool Pipeline::go_on() {
    const bool steps[] = {finish(), hand_out(), receive(), send(), stage()};
    return std::ranges::count(steps, true) > 0;
}

/// Starts copying a piece into a buffer, by threads.
bool Pipeline::stage() {
    const std::size_t i = staged_;
    // The last piece in the buffer must have been sent and must have left it.
    if (i == uploads_.size() || i >= sent_ + each_way_ || !up(i).copied.is_reached()) return false;
    Upload& piece = uploads_[i];
    piece.is_staged = !simt::is_pinned(piece.from);
    if (piece.is_staged) copiers_->copy(piece.from, up(i).memory, piece.size, up(i).shares_left);
    ++staged_;
    return true;
}

/// Starts copying a piece to the device.
bool Pipeline::send() {
    const std::size_t i = sent_;
    // The stream must already wait for the buffer's event before the event is recorded again.
    if (i == staged_ || up(i).shares_left > 0 || i >= taken_ + each_way_ ||
        left_ < uploads_[i].after)
        return false;
    const Upload& piece = uploads_[i];
    simt::copy_async(piece.to, piece.is_staged ? up(i).memory : piece.from,
                     piece.size * sizeof(int), up_stream_.get());
    up(i).copied.record(up_stream_.get());
    tell_moved(piece.size);
    ++sent_;
    return true;
}

/// Starts copying a piece from the device.
bool Pipeline::receive() {
    const std::size_t i = begun_;
    if (i == downloads_.size() || i >= finished_ + each_way_) return false;
    Download& piece = downloads_[i];
    piece.is_staged = piece.size > 0 && !simt::is_pinned(piece.to);
    down_stream_.wait(*piece.ready);
    simt::copy_async(piece.is_staged ? down(i).memory : piece.to, piece.from,
                     piece.size * sizeof(int), down_stream_.get());
    down(i).copied.record(down_stream_.get());
    ++begun_;
    return true;
}

/// Starts copying a piece out of its buffer, by threads.
bool Pipeline::hand_out() {
    const std::size_t i = left_;
    if (i == begun_ || !down(i).copied.is_reached()) return false;
    const Download& piece = downloads_[i];
    if (piece.is_staged) copiers_->copy(down(i).memory, piece.to, piece.size, down(i).shares_left);
    ++left_;
    return true;
}

bool Pipeline::finish() {
    if (finished_ == left_ || down(finished_).shares_left > 0) return false;
    tell_moved(downloads_[finished_].size);
    ++finished_;
    return true;
}

template <class Condition>
void Pipeline::wait_until(Condition condition) {
    while (!condition())
        if (!go_on() && !copiers_->help()) std::this_thread::yield();
}

/// Waits until nothing is copied any more, because the memory is about to be released.
void Pipeline::stop() noexcept {
    copiers_->abandon();
    for (const simt::Stream* stream : {&stream_, &up_stream_, &down_stream_}) {
        try {
            stream->synchronize();
        } catch (...) {  // the first error is reported
        }
    }
}

void Pipeline::tell_moved(std::size_t elements) const {
    if (watch_ != nullptr) watch_->add_moved(elements * sizeof(int));
}

}  // namespace stream_compaction::inline SIMT_BACKEND
