// Memory accesses of kernels, in numbers. Plain data; a request is one instruction of a warp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <unordered_map>
#include <vector>

namespace stream_compaction {

/// The unit in which global memory is moved.
inline constexpr std::uint64_t kSectorBytes = 32;

/// Loads or stores of global memory. No cache is modelled: the sectors of every request count.
struct GlobalCounts {
    std::uint64_t requests = 0;
    std::uint64_t lanes = 0;    ///< active lanes, summed over requests
    std::uint64_t sectors = 0;  ///< touched sectors, summed over requests
    /// Requested bytes; a byte that several lanes of a request access counts once.
    std::uint64_t bytes_asked = 0;

    std::uint64_t bytes_moved() const { return sectors * kSectorBytes; }
    GlobalCounts& operator+=(const GlobalCounts& other) {
        requests += other.requests;
        lanes += other.lanes;
        sectors += other.sectors;
        bytes_asked += other.bytes_asked;
        return *this;
    }
    bool operator==(const GlobalCounts&) const = default;
};

/// Loads and stores of a block's shared memory.
struct SharedCounts {
    std::uint64_t requests = 0;
    std::uint64_t lanes = 0;
    std::uint64_t conflicts = 0;  ///< wavefronts beyond the minimum for a request of its width

    SharedCounts& operator+=(const SharedCounts& other) {
        requests += other.requests;
        lanes += other.lanes;
        conflicts += other.conflicts;
        return *this;
    }
    bool operator==(const SharedCounts&) const = default;
};

/// Atomic operations that read and write; atomic loads and stores count as loads and stores.
struct AtomicCounts {
    std::uint64_t requests = 0;
    std::uint64_t operations = 0;       ///< active lanes, summed over requests
    std::uint64_t most_in_request = 0;  ///< largest number of lanes at one address

    AtomicCounts& operator+=(const AtomicCounts& other) {
        requests += other.requests;
        operations += other.operations;
        most_in_request = std::max(most_in_request, other.most_in_request);
        return *this;
    }
    bool operator==(const AtomicCounts&) const = default;
};

/// Bulk copies between global and shared memory, which run asynchronously.
struct BulkCounts {
    std::uint64_t copies = 0;
    std::uint64_t bytes = 0;

    BulkCounts& operator+=(const BulkCounts& other) {
        copies += other.copies;
        bytes += other.bytes;
        return *this;
    }
    bool operator==(const BulkCounts&) const = default;
};

/// All accesses of an instruction, a line, a launch or a row.
struct AccessCounts {
    GlobalCounts loads, stores;
    SharedCounts shared;
    AtomicCounts global_atomics, shared_atomics;

    std::uint64_t requests() const {
        return loads.requests + stores.requests + shared.requests + global_atomics.requests +
               shared_atomics.requests;
    }
    /// Active lanes, summed over all requests.
    std::uint64_t lanes() const {
        return loads.lanes + stores.lanes + shared.lanes + global_atomics.operations +
               shared_atomics.operations;
    }
    AccessCounts& operator+=(const AccessCounts& other) {
        loads += other.loads;
        stores += other.stores;
        shared += other.shared;
        global_atomics += other.global_atomics;
        shared_atomics += other.shared_atomics;
        return *this;
    }
    bool operator==(const AccessCounts&) const = default;
};

/// An instruction, and the call stack that led to it.
struct Site {
    /// Return addresses, outermost first; the last is that of the access.
    std::vector<std::uintptr_t> calls;
    AccessCounts counts;
};

/// The counts of a launch, or the sum of several.
struct LaunchCounts {
    std::uint64_t threads = 0;
    std::uint64_t active_threads = 0;  ///< threads that accessed memory
    std::uint64_t barriers = 0;        ///< barriers that blocks have passed
    std::uint64_t collectives = 0;     ///< shuffles, votes, reductions and barriers of a warp
    /// Largest number of atomic operations at one address in a launch.
    std::uint64_t most_atomics = 0;
    AccessCounts accesses;
    BulkCounts bulk_loads;

    LaunchCounts& operator+=(const LaunchCounts& other) {
        threads += other.threads;
        active_threads += other.active_threads;
        barriers += other.barriers;
        collectives += other.collectives;
        most_atomics = std::max(most_atomics, other.most_atomics);
        accesses += other.accesses;
        bulk_loads += other.bulk_loads;
        return *this;
    }
};

/// One launch of a kernel.
struct Launch {
    std::uintptr_t kernel = 0;   ///< address of its code
    std::source_location where;  ///< of the launch
    std::array<unsigned, 3> grid{}, block{};
    std::size_t shared_bytes = 0;  ///< dynamic
    LaunchCounts counts;
    std::unordered_map<std::uint64_t, Site> sites;  ///< their counts add up to counts.accesses
};

}  // namespace stream_compaction
