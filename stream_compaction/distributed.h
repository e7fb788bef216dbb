// Scan, stream compaction and sort of an array that several GPUs hold together: of one host, or of
// many. Each is a rank with a part of the array; parts may differ in size, and may be empty. All
// ranks call the same functions in the same order, each with its own part, on its own device, and
// on a thread or in a process of its own.
//
//     distributed::run_ranks(simt::device_count(), [&](distributed::Communicator& ranks) {
//         simt::use_device(ranks.rank());
//         ...                                        // this rank's arrays `in` and `out`
//         distributed::Sort<int> sort(n, n, ranks);
//         sort.enqueue(in, n, out);                  // the rank's part of the sorted whole
//     });
//
// What moves between devices is a Communicator's business: over NCCL (distributed/nccl.h), over MPI
// (distributed/mpi.h), or, as above, between the threads of a process.
//
// Sources: Blelloch, "Prefix sums and their applications", 1990, for a scan of parts; Ilic,
// Tolovski and Rabl, "RMG sort: radix-partitioning-based multi-GPU sorting", 2023, for a sort that
// knows from histograms of digits where every key belongs before it moves one, and moves it once.
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

/// Another rank has failed, or does not come; the text names it, and says with what.
class RankFailed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline namespace SIMT_BACKEND {
namespace distributed {

/// How long a rank waits for another one. It is for what hangs: no busy machine comes near it.
inline constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(5);

/// What a rank has to do with the others. Its functions are called by all ranks, in the same order.
///
/// Where a rank fails, the others throw RankFailed with its message from what they are waiting in,
/// or at their next call; so they do from then on, and from a wait of more than kPatience, or what
/// the communicator was made with.
class Communicator {
  public:
    /// Memory of the device that goes to a rank, or comes from it. What two ranks give for each
    /// other agrees in number, order and bytes; a rank may send to itself.
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

    /// The number of the rank's next call of a plan, from 1. All ranks have the same.
    std::uint64_t next_call() { return ++calls_; }

    /// Every rank's words, in the order of ranks: from host to host, so that a rank that has failed
    /// is known before a device waits for it. All give equally many.
    virtual std::vector<std::uint64_t> all_gather(std::span<const std::uint64_t> own) = 0;

    /// In stream order; may return before anything has moved.
    virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                          simt::stream_t stream) = 0;

    /// Waits until all work on the stream is done. Not collective.
    virtual void wait(simt::stream_t stream);

    /// @throws RankFailed where a rank has failed. Not collective.
    virtual void require_whole() = 0;

    /// This rank has failed: tells the others, unless that was done. Not collective.
    virtual void fail(const std::string& what) noexcept = 0;

  private:
    std::uint64_t calls_ = 0;
};

/// Calls `work` once for each rank, on a thread each, and returns when all have returned. What
/// moves is copied by the receiver's device: at the full speed of a bus, but not beside its
/// kernels.
/// @throws what the first rank that failed has thrown; std::system_error
void run_ranks(unsigned ranks, const std::function<void(Communicator&)>& work,
               std::chrono::milliseconds patience = kPatience);

/// Where a rank's part of n elements starts, if all have the same number of them, or nearly.
constexpr std::size_t even_begin(std::size_t n, unsigned rank, unsigned ranks) {
    return n / ranks * rank + n % ranks * rank / ranks;
}

// Of all plans: the constructor is called by every rank, but waits for none. It takes all memory on
// the current device. A plan serves any part up to the one it was made for, as long as the
// communicator lives. If the ranks call different operations, or for different types, if their
// sizes are impossible, or if one rank's arrays overlap (unless they are the same), all of them
// throw std::invalid_argument before anything is written; the plan can be used again. After any
// other error it cannot, and neither can the communicator.

/// The exclusive sum of the whole array's ints, modulo 2^32. In place is fine; other overlaps are
/// refused.
class Scan {
  public:
    /// @param n the most that this rank has
    /// @throws simt::Error
    Scan(std::size_t n, Communicator& ranks);
    static std::size_t workspace_bytes(std::size_t n);

    /// Returns when what is before the part is known; `out` is written in stream order.
    /// @throws std::invalid_argument, RankFailed, simt::Error
    void enqueue(const int* in, int* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Communicator& ranks_;
    simt::DeviceProperties device_;
    single_pass::Workspace workspace_;
    simt::DeviceArray<unsigned> sum_;
    simt::PinnedArray<unsigned> sum_on_host_;
};

/// What a rank has of a compacted array.
struct Kept {
    std::size_t count = 0;
    std::size_t offset = 0;  ///< of its first element, in the whole
    std::size_t total = 0;   ///< the whole's elements

    bool operator==(const Kept&) const = default;
};

/// The ints that are not zero, in their order: each rank keeps those of its own part. In place is
/// fine; other overlaps are refused.
class Compact {
  public:
    /// As Scan's.
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

/// Gives all ranks the same number of elements, or nearly, of what they have together, without
/// changing the order. Returns when `out` is written.
/// @param in    `count` elements; must not overlap with `out`
/// @param room  elements that `out` has room for
/// @throws std::invalid_argument where somebody's room is too small, RankFailed, simt::Error
Kept even_out(Communicator& ranks, const int* in, std::size_t count, int* out, std::size_t room,
              simt::stream_t stream = nullptr);

/// The same on every rank. Tests make them small, so that few keys show all of it.
struct SortLimits {
    /// A rank's keys arrive in pieces of about so many, in eight at most: one is sorted while the
    /// next is on its way.
    std::size_t piece = std::size_t{1} << 22;
    /// So many keys of a rank, or a sixteenth of them, are sorted to find where they are to be cut.
    std::size_t few = std::size_t{1} << 14;

    bool operator==(const SortLimits&) const = default;
};

/// What Sort does, without the type of its keys.
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

  private:
    struct Machinery;
    std::unique_ptr<Machinery> machinery_;
};

/// Keys in ascending order: rank 0 gets the smallest ones. In place is fine, where the array has
/// room for what is there before and afterwards; other overlaps are refused.
///
/// A key is read two or three times, and moves once; whatever the keys are, every rank gets as many
/// as it asks for, and needs no more memory than workspace_bytes() says.
template <Sortable Key>
class Sort {
  public:
    using Bits = KeyBits<sizeof(Key)>;

    /// Takes an array of n keys, and for sorting a piece of the result an eighth of n_out (or a
    /// sixteenth of n, where that is more) and three to eleven percent of that: 1.14 arrays where n
    /// and n_out are the same large number. So a rank has 2.2 times its part in place, and 3.2
    /// times with two arrays. Of more than 64 ranks a piece is larger than an eighth: together
    /// they have 512 pieces.
    /// @param n     the most keys that this rank has
    /// @param n_out the most that it gets
    /// @throws std::invalid_argument for more than 512 ranks, simt::Error
    Sort(std::size_t n, std::size_t n_out, Communicator& ranks, SortLimits limits = {})
        : sort_(n, n_out, ranks, order_of<Key>(), limits) {}

    /// What the constructor takes on a device.
    static std::size_t workspace_bytes(std::size_t n, std::size_t n_out, unsigned ranks,
                                       SortLimits limits = {}) {
        return BitsSort<Bits>::workspace_bytes(n, n_out, ranks, limits);
    }

    /// Returns when `out` is written.
    /// @param n_out how many keys this rank gets; of all ranks together as many as they have.
    ///              Without it, on all of them: the same number, or nearly, as even_begin() says
    /// @return n_out
    /// @throws std::invalid_argument, RankFailed, simt::Error
    std::size_t enqueue(const Key* in, std::size_t n, Key* out,
                        std::optional<std::size_t> n_out = std::nullopt,
                        simt::stream_t stream = nullptr) {
        return sort_.enqueue(reinterpret_cast<const Bits*>(in), n, reinterpret_cast<Bits*>(out),
                             n_out, stream);
    }

  private:
    BitsSort<Bits> sort_;
};

}  // namespace distributed
}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
