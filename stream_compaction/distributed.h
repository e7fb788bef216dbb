// Scan, stream compaction and sort of an array that is distributed over several GPUs, of one host
// or of many. Each GPU is a rank with a part of the array; parts may differ in size, and may be
// empty. All ranks call the same functions in the same order, each with its own part, on its own
// device, and on its own thread or in its own process.
//
//     distributed::run_ranks(simt::device_count(), [&](distributed::Communicator& ranks) {
//         simt::use_device(ranks.rank());
//         ...                                        // this rank's arrays `in` and `out`
//         distributed::Sort<int> sort(n, n, ranks);
//         sort.enqueue(in, n, out);                  // the rank's part of the sorted whole
//     });
//
// A Communicator moves data between devices: over NCCL (distributed/nccl.h), over MPI
// (distributed/mpi.h), or, as above, between the threads of a process.
//
// Sources: Blelloch, "Prefix sums and their applications", 1990, for a scan of parts; Ilic,
// Tolovski and Rabl, "RMG sort: radix-partitioning-based multi-GPU sorting", 2023, for a sort that
// computes the destination of every key from histograms of digits first, and then moves each key
// once. Here this move is also the first partition of the sort.
#pragma once

#include "simt/device.h"
#include "simt/memory.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/single_pass.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction {

/// Another rank has failed or did not arrive; the message names the rank and its error.
class RankFailed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline namespace SIMT_BACKEND {
namespace distributed {

/// How long a rank waits for another one before it assumes a hang. Even a busy machine is far
/// faster.
inline constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(5);

/// A communicator's patience if a longer one is given: clocks, which count nanoseconds, would
/// overflow.
inline constexpr std::chrono::milliseconds kMostPatience = std::chrono::years(100);

/// Communication between the ranks. All ranks call its functions in the same order.
///
/// If a rank fails, the other ranks throw RankFailed with its message, either from the function in
/// which they are waiting or from their next call, and from every later call. A wait of more than
/// kPatience (or the patience given to the communicator) counts as a failure.
class Communicator {
  public:
    /// Device memory that is sent to a rank, or received from it. The send list of one rank and the
    /// receive list of the other must agree in number, order and bytes; a rank may send to itself.
    struct Outgoing {
        unsigned to;
        const void* data;
        std::size_t bytes;
    };
    struct Incoming {
        unsigned from;
        void* data;
        std::size_t bytes;
    };

    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    virtual ~Communicator() = default;

    virtual unsigned rank() const = 0;
    virtual unsigned size() const = 0;

    /// Returns the number of the rank's next call of a plan, from 1. It is the same on all ranks.
    std::uint64_t next_call() { return ++calls_; }

    /// Gathers every rank's words, in the order of ranks, from host to host. A rank that has failed
    /// is therefore known before a device waits for it. All ranks contribute equally many words.
    virtual std::vector<std::uint64_t> all_gather(std::span<const std::uint64_t> own) = 0;

    /// In stream order; may return before anything has moved.
    virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                          simt::stream_t stream) = 0;

    /// Shares device memory, so that kernels of every rank can access it. Returns the memory of all
    /// ranks, in their order; it lives as long as any rank holds it. Empty, on all ranks, if the
    /// GPU of one cannot access that of another, or the communicator does not share memory.
    /// @param own from simt::allocate; or null, and then no other rank's access to it is tested
    virtual std::vector<std::shared_ptr<void>> share(std::shared_ptr<void> own);

    /// Work that is enqueued later, on any rank's stream, starts when the earlier work on all
    /// ranks' streams has finished.
    virtual void barrier(simt::stream_t stream);

    /// Waits until all work on the stream has finished. Not collective.
    virtual void wait(simt::stream_t stream);

    /// @throws RankFailed if a rank has failed. Not collective.
    virtual void require_whole() = 0;

    /// Reports the failure of this rank to the other ranks, once. Not collective.
    virtual void fail(const std::string& what) noexcept = 0;

  private:
    std::uint64_t calls_ = 0;
};

/// Calls `work` once for each rank, each on its own thread, and returns when all have returned. If
/// all devices can access each other's memory, plans store into it. Otherwise the receiver's device
/// copies the data: at the full speed of the bus, but not at the same time as its kernels.
/// @throws the exception of the first rank that failed; std::invalid_argument if `ranks` is 0;
///         std::system_error
void run_ranks(unsigned ranks, const std::function<void(Communicator&)>& work,
               std::chrono::milliseconds patience = kPatience);

/// The begin of a rank's part of n elements if all parts have the same size, or differ by one.
constexpr std::size_t even_begin(std::size_t n, unsigned rank, unsigned ranks) {
    return n / ranks * rank + n % ranks * rank / ranks;
}

// For all plans: every rank calls the constructor, which does not wait for other ranks. It
// allocates memory on the current device. A plan accepts any part up to the size it was made
// for, as long as the communicator lives. All ranks throw std::invalid_argument, before anything is
// written, if the ranks call different operations or use different types, if their sizes are
// impossible, or if the arrays of one rank overlap (identical arrays are allowed); the plan remains
// usable. After any other error neither the plan nor the communicator is usable.

/// The exclusive sum of the whole array's ints, modulo 2^32. May work in place; other overlaps are
/// refused.
class Scan {
  public:
    /// @param n the largest part of this rank
    /// @throws simt::Error
    Scan(std::size_t n, Communicator& ranks);
    static std::size_t workspace_bytes(std::size_t n);

    /// Returns when all ranks have called it (if they are not threads that share memory: when the
    /// sum of all earlier parts is known); `out` is written in stream order.
    /// @throws std::invalid_argument, RankFailed, simt::Error
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    void enqueue_sum_before(const int* in, std::size_t n, simt::stream_t stream);

    Communicator& ranks_;
    simt::DeviceProperties device_;
    single_pass::Workspace workspace_;
    std::shared_ptr<void> sums_;  // of this part in this call, and zero for the next one
    std::vector<std::shared_ptr<void>> shared_sums_;  // of all ranks, or nothing
    simt::PinnedArray<const unsigned*> arrays_;       // the same for the device
    simt::DeviceArray<unsigned> before_;              // sum of all earlier parts
    simt::PinnedArray<unsigned> sum_on_host_;
    bool is_connected_ = false;
    unsigned slot_ = 0;
};

/// A rank's part of a compacted array.
struct Kept {
    std::size_t count = 0;
    std::size_t offset = 0;  ///< of its first element, in the whole array
    std::size_t total = 0;   ///< elements of the whole array

    bool operator==(const Kept&) const = default;
};

/// Keeps the ints that are not zero, in their order; each rank keeps those of its own part. May
/// work in place; other overlaps are refused.
class Compact {
  public:
    /// See Scan's constructor.
    Compact(std::size_t n, Communicator& ranks);
    static std::size_t workspace_bytes(std::size_t n);

    /// Returns when the counts are known, and `out` is written.
    /// @throws std::invalid_argument, RankFailed, simt::Error
    Kept enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Communicator& ranks_;
    single_pass::BasicCompact<int, single_pass::NonZero> compact_;
    Capacity capacity_;
    simt::PinnedArray<std::size_t> count_;
};

/// Redistributes the elements so that all ranks have the same number of them, or nearly, without
/// changing their order. Returns when `out` is written.
/// @param in    `count` elements; must not overlap with `out`
/// @param room  capacity of `out` in elements
/// @throws std::invalid_argument if the room of any rank is too small, RankFailed, simt::Error
Kept even_out(Communicator& ranks, const int* in, std::size_t count, int* out, std::size_t room,
              simt::stream_t stream = nullptr);

/// The same on every rank. Tests make the limit small, so that few keys use every code path.
struct SortLimits {
    /// Keys whose highest bits are the same are sorted by one rank and then divided if they are at
    /// most this many, or a sixteenth of those that this rank gets; more are counted by further
    /// bits. Samples are read if all ranks together have more keys, and the exchange is the first
    /// partition of a rank's sort if the rank receives more than 64 times as many.
    std::size_t few = std::size_t{1} << 14;
    /// Whether a GPU stores keys into the memory of the others if it can. Otherwise it sends them.
    bool stores_to_peers = true;

    bool operator==(const SortLimits&) const = default;
};

/// How long the parts of a sort took on this rank's GPU. They include waiting for other ranks.
struct SortTimes {
    double count_us = 0;           ///< counting digits until it is known where the keys go
    double exchange_us = 0;        ///< moving them there
    double sort_us = 0;            ///< sorting what has arrived
    std::uint64_t sent_bytes = 0;  ///< that this rank moved to others, before its sort
};

/// The part of Sort that does not depend on the type of its keys.
template <class Bits>
class BitsSort {
  public:
    BitsSort(std::size_t n, std::size_t n_out, Communicator& ranks, KeyOrder order,
             SortLimits limits);
    BitsSort(BitsSort&&) noexcept;
    ~BitsSort();
    static std::size_t workspace_bytes(std::size_t n, std::size_t n_out, unsigned ranks,
                                       SortLimits limits);
    std::size_t enqueue(const Bits* in, std::size_t n, Bits* out, std::optional<std::size_t> n_out,
                        simt::stream_t stream);
    SortTimes last_times() const;

  private:
    struct Machinery;
    std::unique_ptr<Machinery> machinery_;
};

/// Keys in ascending order: rank 0 gets the smallest ones. May work in place if the array is large
/// enough for the keys before and after; other overlaps are refused.
///
/// A key is read once per digit that is counted (usually one), stored into the memory of the rank
/// that gets it, and sorted there. At most 64 distinct values are only counted, once. Whatever the
/// keys are, every rank gets as many as it asks for, and needs no more memory than
/// workspace_bytes() returns.
template <Sortable Key>
class Sort {
  public:
    using Bits = KeyBits<sizeof(Key)>;

    /// Allocates an array to receive keys, another one to sort them, and an eighth of an array,
    /// with n_out keys each, and about 2 MB. The first call allocates an array of n keys as well if
    /// the GPUs cannot store into each other's memory.
    /// @param n     the largest number of keys that this rank has
    /// @param n_out the largest number that it receives
    /// @throws std::invalid_argument for more than 128 ranks, or, with several ranks, for n above
    ///         2^31; simt::Error
    Sort(std::size_t n, std::size_t n_out, Communicator& ranks, SortLimits limits = {})
        : sort_(n, n_out, ranks, order_of<Key>(), limits) {}

    /// Device memory that the constructor and the first call allocate at most.
    static std::size_t workspace_bytes(std::size_t n, std::size_t n_out, unsigned ranks,
                                       SortLimits limits = {}) {
        return BitsSort<Bits>::workspace_bytes(n, n_out, ranks, limits);
    }

    /// Returns when `out` is written.
    /// @return how many keys this rank has received
    /// @param n_out how many keys this rank receives, for which `out` needs room. The sum over all
    /// ranks is the number of all
    ///              keys. Without it, on all ranks: the same number, or nearly (even_begin())
    /// @throws std::invalid_argument, RankFailed, simt::Error
    std::size_t enqueue(const Key* in, std::size_t n, Key* out,
                        std::optional<std::size_t> n_out = std::nullopt,
                        simt::stream_t stream = nullptr) {
        return sort_.enqueue(reinterpret_cast<const Bits*>(in), n, reinterpret_cast<Bits*>(out),
                             n_out, stream);
    }

    /// The times of the last call.
    /// @throws simt::Error if there was none
    SortTimes last_times() const { return sort_.last_times(); }

  private:
    BitsSort<Bits> sort_;
};

}  // namespace distributed
}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
