// Threads that copy between arrays on the host.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/timeline.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// One thread's memcpy is several times slower than the bus. So what is to be copied is divided
/// into shares, and whoever is free takes the next one: the threads, and their owner, who has other
/// things to do and helps while there are none.
class Copiers {
  public:
    /// @param threads beside the owner; may be 0
    /// @throws std::system_error
    explicit Copiers(unsigned threads);
    Copiers(const Copiers&) = delete;
    Copiers& operator=(const Copiers&) = delete;
    ~Copiers();

    /// Has part.bytes copied; returns at once.
    /// @param left     shares that are not copied yet; 0 before
    /// @param timeline gets to know of each share; nullptr: nobody does
    void copy(const int* from, int* to, const Part& part, Timeline* timeline,
              std::atomic<std::size_t>& left);

    /// Copies a share; false where none is to be had.
    bool help() { return copy_share(0); }

    /// Forgets the shares that nobody has taken, and waits for the others.
    void abandon();

    /// Throws what a thread did that could not do its share. It counts as copied until then.
    void rethrow();

  private:
    struct Share {
        const int* from;
        int* to;
        Part part;
        Timeline* timeline;
        std::atomic<std::size_t>* left;
    };

    void serve(std::size_t number);
    bool copy_share(std::size_t number);
    void end();

    std::mutex mutex_;  // guards what follows
    std::condition_variable wake_, idle_;
    std::deque<Share> shares_;
    std::size_t busy_ = 0;
    bool has_ended_ = false;
    std::exception_ptr failure_;  // the first one

    std::vector<std::jthread> threads_;  // last, so that they are joined first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
