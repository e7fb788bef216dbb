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

    /// Has `size` elements copied; returns at once.
    /// @param left shares that are not copied yet; 0 before
    void copy(const int* from, int* to, std::size_t size, std::atomic<std::size_t>& left);

    /// Copies a share; false where none is to be had.
    bool help();

    /// Forgets the shares that nobody has taken, and waits for the others.
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

    std::mutex mutex_;  // guards what follows
    std::condition_variable wake_, idle_;
    std::deque<Share> shares_;
    std::size_t busy_ = 0;
    bool has_ended_ = false;

    std::vector<std::jthread> threads_;  // last, so that they are joined first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
