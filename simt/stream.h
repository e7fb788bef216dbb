// Streams, events and graphs that destroy themselves.
#pragma once

#include "simt/backend.h"

#include <functional>
#include <memory>
#include <source_location>

namespace simt::inline SIMT_BACKEND {

class Event;

/// Work on one stream happens in order; two streams are independent of each other and of the
/// default stream.
class Stream {
  public:
    /// @throws Error
    explicit Stream(std::source_location where = std::source_location::current());

    stream_t get() const { return handle_.get(); }

    /// Waits for all work on the stream.
    /// @throws Error, also for a fault of an earlier kernel
    void synchronize(std::source_location where = std::source_location::current()) const;

    /// What is put on the stream from now on starts when the event has been reached, as it was last
    /// recorded; at once where it never was.
    /// @throws Error
    void wait(const Event& event,
              std::source_location where = std::source_location::current()) const;

  private:
    struct Destroy {
        void operator()(stream_t stream) const noexcept;
    };
    std::unique_ptr<CUstream_st, Destroy> handle_;
};

/// A point in a stream, at which the device reads its clock.
class Event {
  public:
    /// @throws Error
    explicit Event(std::source_location where = std::source_location::current());

    /// An event that has no time, and costs less: others wait for it.
    /// @throws Error
    static Event without_time(std::source_location where = std::source_location::current());

    void record(stream_t stream, std::source_location where = std::source_location::current());

    /// Waits until the event has been reached, as it was last recorded; not at all where it never
    /// was.
    /// @throws Error, also for a fault of an earlier kernel
    void synchronize(std::source_location where = std::source_location::current()) const;

    /// Whether the event has been reached, as it was last recorded; true where it never was.
    /// @throws Error, also for a fault of an earlier kernel
    bool is_reached(std::source_location where = std::source_location::current()) const;

    /// Waits until both events have been reached; the microseconds from `start` to this one.
    /// @throws Error
    double microseconds_since(const Event& start,
                              std::source_location where = std::source_location::current()) const;

  private:
    friend class Stream;

    explicit Event(void* handle) : handle_(handle) {}

    struct Destroy {
        void operator()(void* event) const noexcept;
    };
    std::unique_ptr<void, Destroy> handle_;
};

/// Work captured once and launched as a whole, as often as one likes.
class Graph {
  public:
    /// Captures what `enqueue` puts on the stream that it is given; none of it runs.
    /// @throws Error where the work cannot be captured (it synchronises or allocates)
    explicit Graph(const std::function<void(stream_t)>& enqueue,
                   std::source_location where = std::source_location::current());

    /// @throws Error
    void launch(stream_t stream,
                std::source_location where = std::source_location::current()) const;

  private:
    struct Destroy {
        void operator()(void* graph) const noexcept;
    };
    std::unique_ptr<void, Destroy> handle_;
};

}  // namespace simt::inline SIMT_BACKEND
