// Threads that copy between arrays on the host.
#pragma once

#include "simt/backend.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
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

    /// Enqueues a copy of `size` elements and returns at once.
    /// @param left shares that are not copied yet; must be 0 before
    void copy(const int* from, int* to, std::size_t size, std::atomic<std::size_t>& left);

    /// Copies one share. Returns false if there is none.
    bool help();

    /// Drops the shares that no thread has started, and waits for the others.
    void abandon();

  private:
    struct Share {
        const int* from;
        int* to;
        std::size_t size;
        std::atomic<std::size_t>* left;
    };

    void serve();
    void end();

    std::mutex mutex_;  // guards the members below
    std::condition_variable wake_, idle_;
    std::deque<Share> shares_;
    std::size_t busy_ = 0;
    bool has_ended_ = false;

    std::vector<std::jthread> threads_;  // last, so that they are joined first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
