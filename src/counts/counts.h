// What kernels do to memory, in numbers. Plain data; a request is one instruction of a warp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <unordered_map>
#include <vector>

namespace stream_compaction {

/// What global memory is moved in.
inline constexpr std::uint64_t kSectorBytes = 32;

/// Loads, or stores, of global memory. There is no cache here: every request's sectors count.
struct GlobalCounts {
    std::uint64_t requests = 0;
    std::uint64_t lanes = 0;        ///< of all requests
    std::uint64_t sectors = 0;      ///< that a request touches
    std::uint64_t bytes_asked = 0;  ///< a byte that several lanes of a request want counts once

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
    std::uint64_t conflicts = 0;  ///< wavefronts beyond those that a request of its width needs

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
    std::uint64_t operations = 0;       ///< lanes of all requests
    std::uint64_t most_in_request = 0;  ///< that met at one address

    AtomicCounts& operator+=(const AtomicCounts& other) {
        requests += other.requests;
        operations += other.operations;
        most_in_request = std::max(most_in_request, other.most_in_request);
        return *this;
    }
    bool operator==(const AtomicCounts&) const = default;
};

/// Bulk copies between global and shared memory, which no warp's instruction waits for.
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
    /// Of all requests.
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

/// An instruction, and the calls that led to it.
struct Site {
    std::vector<std::uintptr_t> calls;  ///< return addresses, outermost first; last the access's
    AccessCounts counts;
};

/// What was counted of a launch; of several, where they are added.
struct LaunchCounts {
    std::uint64_t threads = 0;
    std::uint64_t active_threads = 0;  ///< that accessed memory
    std::uint64_t barriers = 0;        ///< that a block has passed
    std::uint64_t collectives = 0;     ///< shuffles, votes, reductions and barriers of a warp
    std::uint64_t most_atomics = 0;    ///< that any one address was given in a launch
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
    std::uintptr_t kernel = 0;   ///< where its code begins
    std::source_location where;  ///< of the launch
    std::array<unsigned, 3> grid{}, block{};
    std::size_t shared_bytes = 0;  ///< dynamic
    LaunchCounts counts;
    std::unordered_map<std::uint64_t, Site> sites;  ///< their counts add up to counts.accesses
};

}  // namespace stream_compaction
