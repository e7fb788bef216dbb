#include "simt/stream.h"

#include "simt/emulated/block.h"
#include "simt/emulated/calls.h"
#include "simt/error.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

// Work runs when it is enqueued, before the call returns. So every stream is in order, and is
// nothing but an identity.
struct CUstream_st {};

namespace simt::inline SIMT_BACKEND {
namespace {

using Clock = std::chrono::steady_clock;
struct Time {
    bool is_kept;
    std::optional<Clock::time_point> point = {};

    void set() {
        if (is_kept) point = Clock::now();
    }
};

/// The capture of the calling thread.
struct Capture {
    stream_t stream = nullptr;
    detail::Recording* recording = nullptr;  // nullptr: the thread is not capturing
};
thread_local Capture capture;

}  // namespace

namespace detail {

Recording* recording_on(stream_t stream, Location where) {
    if (capture.recording != nullptr && stream != capture.stream)
        throw Error("work for one stream while another is captured", where);
    return capture.recording;
}

void refuse_while_recording(const char* call, Location where) {
    if (capture.recording != nullptr)
        throw Error(std::string(call) + " while a stream is captured", where);
}

}  // namespace detail

void synchronize(stream_t, std::source_location where) {
    detail::refuse_while_recording("synchronize", where);
    detail::call(where, Call::wait);
}

Stream::Stream(std::source_location where) {
    detail::call(where);
    handle_.reset(new CUstream_st);
    detail::made_resource();
}

void Stream::wait(const Event& event, std::source_location where) const {
    event.hold_back(handle_.get(), where);
}

void Stream::Destroy::operator()(stream_t stream) const noexcept {
    delete stream;
    detail::destroyed_resource();
}

Event::Event(std::source_location where) {
    detail::call(where);
    handle_.reset(new Time{.is_kept = true});
    detail::made_resource();
}

Event Event::without_time(std::source_location where) {
    Event event(where);
    static_cast<Time*>(event.get())->is_kept = false;
    return event;
}

void Event::record(stream_t stream, std::source_location where) {
    detail::call(where);
    const auto time = static_cast<Time*>(get());
    if (detail::Recording* recording = detail::recording_on(stream, where))
        recording->push_back([time] { time->set(); });
    else
        time->set();
}

void Event::synchronize(std::source_location where) const {
    (void)get();
    detail::refuse_while_recording("waiting for an event", where);
    detail::call(where);
}

void Event::hold_back(stream_t, std::source_location where) const {
    (void)get();
    detail::refuse_while_recording("waiting for an event", where);
    detail::call(where);
}

bool Event::is_reached(std::source_location where) const {
    (void)get();
    detail::refuse_while_recording("asking for an event", where);
    detail::call(where);
    return true;
}

double Event::microseconds_since(const Event& start, std::source_location where) const {
    detail::refuse_while_recording("reading an event's time", where);
    detail::call(where);
    const auto begin = static_cast<const Time*>(start.get())->point;
    const auto end = static_cast<const Time*>(get())->point;
    if (!begin || !end)
        throw Error("an event that was made without a time, or never recorded, has none", where);
    return std::chrono::duration<double, std::micro>(*end - *begin).count();
}

void Event::Destroy::operator()(void* event) const noexcept {
    delete static_cast<Time*>(event);
    detail::destroyed_resource();
}

Graph::Graph(const void* work, void (*enqueue)(const void*, stream_t), std::source_location where) {
    detail::refuse_while_recording("capturing a graph", where);
    detail::call(where);
    const Stream stream(where);
    auto recording = std::make_unique<detail::Recording>();
    struct Capturing {
        Capturing(stream_t stream, detail::Recording* recording) { capture = {stream, recording}; }
        ~Capturing() { capture = {}; }
    };
    {
        const Capturing capturing(stream.get(), recording.get());
        enqueue(work, stream.get());
    }
    handle_.reset(recording.release());
    detail::made_resource();
}

void Graph::launch(stream_t, std::source_location where) const {
    detail::refuse_while_recording("launching a graph", where);
    detail::call(where);
    for (const auto& work : *static_cast<const detail::Recording*>(get())) work();
}

void Graph::Destroy::operator()(void* graph) const noexcept {
    delete static_cast<detail::Recording*>(graph);
    detail::destroyed_resource();
}

}  // namespace simt::inline SIMT_BACKEND
