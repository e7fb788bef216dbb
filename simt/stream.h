// Owning streams, events and graphs.
#pragma once

#include "simt/backend.h"

#include <concepts>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>

namespace simt::inline SIMT_BACKEND {

namespace detail {

/// @throws std::logic_error for the null handle of a moved-from object
template <class Handle>
Handle* not_moved(Handle* handle, const char* what) {
    if (handle == nullptr) throw std::logic_error(std::string("the ") + what + " was moved from");
    return handle;
}

}  // namespace detail

/// Waits for all work on the stream.
/// @throws Error, also for a fault of an earlier kernel
void synchronize(stream_t stream, std::source_location where = std::source_location::current());

class Event;

/// Work on one stream happens in order; two streams are independent of each other and of the
/// default stream.
class Stream {
  public:
    /// @throws Error
    explicit Stream(std::source_location where = std::source_location::current());

    stream_t get() const { return handle_.get(); }

    /// See the function above.
    /// @throws Error
    void synchronize(std::source_location where = std::source_location::current()) const {
        simt::synchronize(handle_.get(), where);
    }

    /// See Event::hold_back.
    /// @throws Error
    void wait(const Event& event,
              std::source_location where = std::source_location::current()) const;

  private:
    struct Destroy {
        void operator()(stream_t stream) const noexcept;
    };
    std::unique_ptr<CUstream_st, Destroy> handle_;
};

/// A point in a stream, at which the device reads its clock. Every use of a moved-from event throws
/// std::logic_error.
class Event {
  public:
    /// @throws Error
    explicit Event(std::source_location where = std::source_location::current());

    /// An event without a time, which costs less: other streams wait for it.
    /// @throws Error
    static Event without_time(std::source_location where = std::source_location::current());

    void record(stream_t stream, std::source_location where = std::source_location::current());

    /// Later work on the stream, which may be one of another device, starts when the last record of
    /// the event has been reached, or at once if the event was never recorded.
    /// @throws Error
    void hold_back(stream_t stream,
                   std::source_location where = std::source_location::current()) const;

    /// Waits until the last record of the event has been reached; returns at once if it was never
    /// recorded.
    /// @throws Error, also for a fault of an earlier kernel
    void synchronize(std::source_location where = std::source_location::current()) const;

    /// Whether the last record of the event has been reached; true if it was never recorded.
    /// @throws Error, also for a fault of an earlier kernel
    bool is_reached(std::source_location where = std::source_location::current()) const;

    /// Waits until both events have been reached. Returns the microseconds from `start` to this
    /// event.
    /// @throws Error, also if one of them was never recorded, or made without a time
    double microseconds_since(const Event& start,
                              std::source_location where = std::source_location::current()) const;

  private:
    explicit Event(void* handle) : handle_(handle) {}

    void* get() const { return detail::not_moved(handle_.get(), "event"); }

    struct Destroy {
        void operator()(void* event) const noexcept;
    };
    std::unique_ptr<void, Destroy> handle_;
};

/// Work that is captured once and can be launched as a whole any number of times. The launch of a
/// moved-from graph throws std::logic_error.
class Graph {
  public:
    /// Captures the work that enqueue(stream) puts on the given stream; none of it runs.
    /// @throws Error if the work cannot be captured (it synchronises or allocates)
    template <std::invocable<stream_t> Enqueue>
    explicit Graph(const Enqueue& enqueue,
                   std::source_location where = std::source_location::current())
        : Graph(
              &enqueue,
              [](const void* work, stream_t stream) {
                  (*static_cast<const Enqueue*>(work))(stream);
              },
              where) {}

    /// @throws Error
    void launch(stream_t stream,
                std::source_location where = std::source_location::current()) const;

  private:
    Graph(const void* work, void (*enqueue)(const void* work, stream_t stream),
          std::source_location where);

    void* get() const { return detail::not_moved(handle_.get(), "graph"); }

    struct Destroy {
        void operator()(void* graph) const noexcept;
    };
    std::unique_ptr<void, Destroy> handle_;
};

}  // namespace simt::inline SIMT_BACKEND
