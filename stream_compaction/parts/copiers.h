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

/// One thread's memcpy is several times slower than the bus. Each copy is therefore divided into
/// shares, and every free thread takes the next share: the threads of this class, and their owner,
/// who calls help() when it has nothing else to do.
class Copiers {
  public:
    /// @param threads in addition to the owner; may be 0
    /// @throws std::system_error
    explicit Copiers(unsigned threads);
    Copiers(const Copiers&) = delete;
    Copiers& operator=(const Copiers&) = delete;
    ~Copiers();

    /// Enqueues a copy of part.bytes and returns at once.
    /// @param left     shares that are not copied yet; must be 0 before
    /// @param timeline records each share. May be null
    void copy(const int* from, int* to, const Part& part, Timeline* timeline,
              std::atomic<std::size_t>& left);

    /// Copies one share. Returns false if there is none.
    bool help() { return copy_share(0); }

    /// Drops the shares that no thread has started, and waits for the others.
    void abandon();

    /// Rethrows the exception of a thread that could not copy its share; until then the share
    /// counts as copied.
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

    std::mutex mutex_;  // guards the members below
    std::condition_variable wake_, idle_;
    std::deque<Share> shares_;
    std::size_t busy_ = 0;
    bool has_ended_ = false;
    std::exception_ptr failure_;  // the first one

    std::vector<std::jthread> threads_;  // last, so that they are joined first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
