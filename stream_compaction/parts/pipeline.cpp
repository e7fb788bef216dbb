#include "stream_compaction/parts/pipeline.h"

#include <algorithm>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// Thrown to leave the caller's work where a lane has failed.
struct Abandoned {};

}  // namespace

Pipeline::Pipeline(unsigned lanes, std::size_t piece, Ways ways) {
    const auto start = [&](Job job) {
        std::vector<Lane*> side;
        for (std::size_t number = 0; number < lanes; ++number) {
            Lane& lane = lanes_.emplace_back(piece);
            side.push_back(&lane);
            lane.thread = std::jthread([this, &lane, number, job] { serve(lane, number, job); });
        }
        return side;
    };
    try {
        if (ways == Ways::at_once) {
            up_ = start(&Pipeline::send);
            down_ = start(&Pipeline::receive);
        } else {
            up_ = down_ = start(&Pipeline::send_or_receive);
        }
    } catch (...) {
        end();  // else the threads that are there would never be joined
        throw;
    }
}

Pipeline::~Pipeline() { end(); }

void Pipeline::run(const std::function<void()>& work) {
    timeline_ = Timeline::of_this_thread();
    if (timeline_ != nullptr) timeline_->begin(stream());
    {
        const std::lock_guard lock(mutex_);
        uploads_.clear();
        downloads_.clear();
        taken_ = 0;
        watch_ = TransferWatch::of_this_thread();
        worked_on_ = 0;
        is_closed_ = false;
        for (Lane& lane : lanes_) lane.done = 0;
        busy_ = lanes_.size();
        ++runs_;
    }
    wake_all();
    try {
        work();
    } catch (...) {
        fail(std::current_exception());
    }
    std::exception_ptr failure;
    {
        std::unique_lock lock(mutex_);
        is_closed_ = true;
        wake_all();
        caller_.wait(lock, [&] { return busy_ == 0; });
        failure = std::exchange(failure_, nullptr);
    }
    if (failure) {
        drain();
        std::rethrow_exception(failure);
    }
    stream_.synchronize();
}

void Pipeline::upload(const int* from, int* to, std::size_t size, std::size_t after) {
    const std::lock_guard lock(mutex_);
    up_[uploads_.size() % up_.size()]->wake.notify_one();
    uploads_.push_back({from, to, size, after});
}

void Pipeline::take_upload() {
    std::unique_lock lock(mutex_);
    caller_.wait(lock, [&] { return failure_ || is_on_its_way(taken_); });
    if (failure_) throw Abandoned();
    Lane& lane = *up_[taken_ % up_.size()];
    const Staging& staging = lane.staging[taken_ / up_.size() % 2];
    lock.unlock();
    stream_.wait(staging.copied);
    lock.lock();
    ++taken_;
    lane.wake.notify_one();
}

bool Pipeline::can_take_upload() {
    const std::lock_guard lock(mutex_);
    return is_on_its_way(taken_);
}

void Pipeline::download(const int* from, int* to, std::size_t size, const simt::Event& ready) {
    const std::lock_guard lock(mutex_);
    down_[downloads_.size() % down_.size()]->wake.notify_one();
    downloads_.push_back({from, to, size, &ready});
}

void Pipeline::serve(Lane& lane, std::size_t number, Job job) {
    std::size_t served = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        lane.wake.wait(lock, [&] { return has_ended_ || runs_ != served; });
        if (has_ended_) return;
        served = runs_;
        lock.unlock();
        try {
            (this->*job)(lane, number);
        } catch (...) {
            fail(std::current_exception());
        }
        lock.lock();
        if (--busy_ == 0) caller_.notify_one();
    }
}

void Pipeline::send(Lane& lane, std::size_t number) {
    for (std::size_t k = 0;; ++k) {
        const std::size_t index = k * up_.size() + number;
        const std::optional<Upload> piece = next(uploads_, lane, index);
        if (!piece) return;
        Staging& staging = lane.staging[k % 2];
        staging.copied.synchronize();  // the piece before the last
        const auto part = [&](Step step) {
            return Part{step, number, index, piece->size * sizeof(int)};
        };
        const int* from = piece->from;
        if (!simt::is_pinned(from)) {
            note(timeline_, part(Step::copy_in),
                 [&] { std::copy_n(from, piece->size, staging.memory.data()); });
            from = staging.memory.data();
        }
        // The stream must have been told of the event before it is recorded again.
        const auto has_room = [&] {
            return index < taken_ + 2 * up_.size() && have_left(piece->after);
        };
        if (!wait(lane, has_room)) return;
        note(timeline_, part(Step::up), lane.stream.get(), [&] {
            simt::copy_async(piece->to, from, piece->size * sizeof(int), lane.stream.get());
        });
        staging.copied.record(lane.stream.get());
        tell_moved(piece->size);
        const std::lock_guard lock(mutex_);
        ++lane.done;
        caller_.notify_one();
    }
}

void Pipeline::receive(Lane& lane, std::size_t number) {
    struct Arrival {
        Download piece;
        std::size_t index;
        Staging& staging;
        bool is_staged;
    };
    std::optional<Arrival> arrival;
    const auto part = [&](Step step, std::size_t index, const Download& piece) {
        return Part{step, number, index, piece.size * sizeof(int)};
    };
    const auto finish = [&] {
        if (!arrival) return;
        const auto& [piece, index, staging, is_staged] = *arrival;
        staging.copied.synchronize();
        {
            const std::lock_guard lock(mutex_);
            ++lane.done;
            for (Lane* upload : up_) upload->wake.notify_one();
        }
        if (is_staged)
            note(timeline_, part(Step::copy_out, index, piece),
                 [&] { std::copy_n(staging.memory.data(), piece.size, piece.to); });
        tell_moved(piece.size);
        arrival.reset();
    };
    const auto is_there = [&](std::size_t index) {
        const std::lock_guard lock(mutex_);
        return index < downloads_.size();
    };
    for (std::size_t k = 0;; ++k) {
        const std::size_t index = k * down_.size() + number;
        if (!is_there(index)) finish();
        const std::optional<Download> piece = next(downloads_, lane, index);
        if (!piece) return;
        Staging& staging = lane.staging[k % 2];
        const bool is_staged = piece->size > 0 && !simt::is_pinned(piece->to);
        lane.stream.wait(*piece->ready);
        note(timeline_, part(Step::down, index, *piece), lane.stream.get(), [&] {
            simt::copy_async(is_staged ? staging.memory.data() : piece->to, piece->from,
                             piece->size * sizeof(int), lane.stream.get());
        });
        staging.copied.record(lane.stream.get());
        finish();
        arrival.emplace(Arrival{*piece, index, staging, is_staged});
    }
}

/// Of the two, the run has pieces for one.
void Pipeline::send_or_receive(Lane& lane, std::size_t number) {
    send(lane, number);
    receive(lane, number);
}

template <class Ready>
bool Pipeline::wait(Lane& lane, Ready ready) {
    std::unique_lock lock(mutex_);
    lane.wake.wait(lock, [&] { return failure_ || ready(); });
    return !failure_;
}

template <class Piece>
std::optional<Piece> Pipeline::next(const std::vector<Piece>& pieces, Lane& lane,
                                    std::size_t index) {
    std::unique_lock lock(mutex_);
    lane.wake.wait(lock, [&] { return failure_ || is_closed_ || index < pieces.size(); });
    if (failure_ || index >= pieces.size()) return std::nullopt;
    return pieces[index];
}

bool Pipeline::is_on_its_way(std::size_t upload) const {
    return up_[upload % up_.size()]->done > upload / up_.size();
}

bool Pipeline::have_left(std::size_t downloads) const {
    for (std::size_t number = 0; number < down_.size(); ++number)
        if (down_[number]->done < (downloads + down_.size() - 1 - number) / down_.size())
            return false;
    return true;
}

void Pipeline::wake_all() {
    for (Lane& lane : lanes_) lane.wake.notify_one();
}

void Pipeline::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    wake_all();
}

void Pipeline::fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    wake_all();
    caller_.notify_one();
}

/// From a lane in its run: whoever waits for that keeps the watch.
void Pipeline::tell_moved(std::size_t elements) const {
    if (watch_ != nullptr) watch_->add_moved(elements * sizeof(int));
}

/// Copies may be under way, from and to memory that others are about to release.
void Pipeline::drain() const noexcept {
    const auto drain = [](const simt::Stream& stream) {
        try {
            stream.synchronize();
        } catch (...) {  // the first error is the one that is told
        }
    };
    drain(stream_);
    for (const Lane& lane : lanes_) drain(lane.stream);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
