// A partition on the grid: moves keys to their bins, tile by tile, and stores whole sectors.
//
// DRAM and L2 work in sectors of 32 bytes. If a run of keys of one bin begins or ends inside a
// sector, two blocks write parts of that sector, and such partial writes slow down the L2: a
// partition into 256 bins then runs at 56 % of a copy instead of 90 % (measured on an H100). A
// block therefore stores only whole sectors. Of each bin, it keeps the keys that do not fill a
// sector, at most seven, for its next tile. After its last tile it stores the rest one by one.
//
// The idea is software write combining: Lutz et al., "Triton join: efficiently scaling to a large
// join state on GPUs with fast interconnects", 2022, section 5.
#pragma once

#include "stream_compaction/hybrid_radix/job.h"
#include "stream_compaction/hybrid_radix/tile_bins.h"

#include <bit>
#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

template <class Bits>
constexpr unsigned kKeysOfSector = 32 / sizeof(Bits);
template <class Bits>
constexpr unsigned kMostKept = kKeysOfSector<Bits> - 1;

/// Rounds down to a multiple of a sector's keys.
template <class Bits>
__device__ unsigned whole_sectors(unsigned keys) {
    return keys & ~kMostKept<Bits>;
}

/// The output positions of a bin, [begin, end), which blocks reserve in any order: first the whole
/// sectors, then the partial sectors at the end and at the beginning. Positions are counted from
/// the start of a sector, the target's origin.
template <class Bits>
struct BinPositions {
    unsigned begin, end;
    unsigned first;  ///< of the whole sectors
    unsigned limit;  ///< end of the whole sectors

    __device__ BinPositions(unsigned begin, unsigned end)
        : begin(begin),
          end(end),
          first(whole_sectors<Bits>(begin + kMostKept<Bits>)),
          limit(max(whole_sectors<Bits>(end), first)) {}

    /// The position of the i-th key that arrives in the bin.
    __device__ unsigned position(unsigned i) const {
        const unsigned at = first + i;
        return at < end ? at : begin + (at - max(end, first));
    }
};

/// How many positions of the sector in which an array begins are before the array.
template <class Bits>
__device__ unsigned phase_of(const Bits* array) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(array) / sizeof(Bits)) &
           kMostKept<Bits>;
}

/// The target of a partition by a digit: its bins are consecutive parts of one array.
template <class Shape>
struct OneArray {
    using Number = typename Shape::Bits;
    using Bins = TileBins<Number, Shape::kMaxBinBits + 2>;

    /// A bin is stored from staged[x] to origin[x + offset], for each x below `stop`.
    struct Run {
        unsigned offset, stop;

        __device__ unsigned position(const Number*, unsigned x) const { return x + offset; }
        __device__ Number* address(Number* origin, unsigned x) const {
            return origin + (x + offset);
        }
    };

    Number* to;
    const unsigned* begins;  ///< of bin i: begins[i << stride_log2]
    unsigned stride_log2;

    __device__ bool has(unsigned bin, unsigned bits) const { return bin >> bits == 0; }
    static __device__ bool is_moved(unsigned) { return true; }
    /// Start of the sector in which the array begins. Positions are counted from it.
    __device__ Number* origin() const { return to - phase_of(to); }
    __device__ Number* origin(unsigned) const { return origin(); }
    __device__ BinPositions<Number> positions(unsigned bin) const {
        const unsigned* const its = begins + (std::size_t{bin} << stride_log2);
        return {its[0] + phase_of(to), its[1u << stride_log2] + phase_of(to)};
    }
    __device__ Run run(unsigned, unsigned position, unsigned begin, unsigned stop) const {
        return {position - begin, stop};
    }
};

/// One partition of all keys: each segment is partitioned by the same bits. Its bins are
/// [segment << bits, (segment + 1) << bits). In shared memory, so it occupies no registers.
/// @tparam Target  where the bins are, and which one a key belongs to
template <class Shape, class Target = OneArray<Shape>>
struct Partition {
    using Bits = typename Shape::Bits;
    typename Shape::ItemArrays::From from;
    Target target;
    KeyMap<Bits> map;
    bool enters;           ///< whether keys become numbers
    unsigned shift, bits;  ///< position of the digit in a number
    unsigned segments;
    const unsigned* begins;  ///< of segment i: begins[i << segment_stride_log2]
    unsigned segment_stride_log2;
    Taken* taken;    ///< of each bin
    unsigned tile;   ///< keys
    unsigned chunk;  ///< consecutive tiles that a block moves before the others' chunks follow
};

/// The shared memory of a block that partitions a tile.
template <class Shape, class Target = OneArray<Shape>>
struct TileMemory {
    using Bits = typename Shape::Bits;
    using Run = typename Target::Run;
    static constexpr unsigned kMaxBins = Shape::kMaxBins;
    static constexpr unsigned kCounterBits = Shape::kMaxBinBits + 2, kCounters = 1u << kCounterBits;
    static constexpr unsigned kStaged = Shape::kTileKeys + kMostKept<Bits> * kMaxBins;
    static_assert(kStaged % kKeysOfSector<Bits> == 0);

    Bits* staged;      ///< the tile's keys, by bin; each bin begins at a sector
    Bits* kept;        ///< kMostKept for each bin: kept[slot * kMaxBins + bin]
    Run* runs;         ///< of each bin
    unsigned* words;   ///< of each bin, for its thread: words[which * kMaxBins + bin]
    unsigned* counts;  ///< and one more per lane

    static constexpr unsigned kWordsOfBin = 6;

    __device__ TileMemory()
        : staged(simt::dynamic_shared<Bits>()),
          kept(staged + kStaged),
          runs(reinterpret_cast<Run*>(kept + kMostKept<Bits> * kMaxBins)),
          words(reinterpret_cast<unsigned*>(runs + kMaxBins)),
          counts(words + kWordsOfBin * kMaxBins) {}

    static constexpr std::size_t kBytes =
        (kStaged + kMostKept<Bits> * kMaxBins) * sizeof(Bits) + kMaxBins * sizeof(Run) +
        (kWordsOfBin * kMaxBins + kCounters + kLanes) * sizeof(unsigned);
};

/// A thread's bin in the segment that the block processes. Only this thread accesses its words and
/// its kept keys. All of it is in shared memory, because the next tile's keys need the registers.
template <class Shape, class Target>
struct OwnBin {
    using Bits = typename Shape::Bits;

    const Partition<Shape, Target>& part;
    TileMemory<Shape, Target> memory;
    unsigned segment;

    __device__ bool exists() const { return part.target.has(threadIdx.x, part.bits); }

    __device__ void start() const {
        if (!exists()) return;
        const BinPositions<Bits> positions = part.target.positions(bin());
        first() = positions.first, limit() = positions.limit, kept() = 0;
    }

    /// Decides what the tile stores of this bin, given the counts of its keys in the tile: as many
    /// whole sectors as the tile's keys and the kept keys fill. Reserves output positions for them.
    /// Converts the counters to offsets in the tile, where each bin has room, in whole sectors, for
    /// its keys and for what it stores. Sets `staged` to the end of the last bin's room. All
    /// threads call it, and must synchronise before the offsets are used. Returns the first
    /// reserved position.
    __device__ unsigned decide(unsigned& staged) const {
        __shared__ unsigned sums[kWarps];
        const typename Target::Bins bins(part);
        unsigned* const counters = memory.counts + (threadIdx.x << bins.shares_log2);
        const unsigned shares = 1u << bins.shares_log2;
        unsigned count = 0, stored = 0, room = 0, taken = 0;
        if (exists()) {
#pragma unroll 1
            for (unsigned i = 0; i < shares; ++i) count += counters[i];
            stored = whole_sectors<Bits>(count + kept());
            room = max(stored, whole_sectors<Bits>(count + kMostKept<Bits>));
            if (stored > 0) taken = atomicAdd(&part.taken[bin()].whole, stored);
        }
        const unsigned begin = scan_threads(room, sums);
        if (exists()) {
            this->count() = count, this->stored() = stored, this->begin() = begin;
            unsigned offset = begin;
#pragma unroll 1
            for (unsigned i = 0; i < shares; ++i) {
                const unsigned of_counter = counters[i];
                counters[i] = offset;
                offset += of_counter;
            }
        }
        if (threadIdx.x == bins.bins - 1) staged = begin + room;
        return taken;
    }

    /// Copies kept keys to the bin's room, and sets where the room is stored.
    __device__ void place(unsigned taken) const {
        if (!exists()) return;
        const unsigned begin = this->begin(), stored = this->stored(), to = first() + taken;
        unsigned left = kept();
#pragma unroll 1
        for (unsigned x = count(); x < stored; ++x) memory.staged[begin + x] = kept_key(--left);
        kept() = left;
        memory.runs[threadIdx.x] =
            part.target.run(bin(), to, begin, begin + min(stored, max(limit(), to) - to));
    }

    /// Stores the keys of the bin that belong after its whole sectors, and keeps the tile's
    /// remaining keys.
    __device__ void finish() const {
        if (!exists()) return;
        const unsigned begin = this->begin(), stored = this->stored();
        const auto run = memory.runs[threadIdx.x];
        if (const unsigned whole = run.stop - begin; whole < stored)
            store(memory.staged + run.stop, 1, stored - whole,
                  run.position(part.target.origin(bin()), run.stop) - first());
        unsigned left = kept();
#pragma unroll 1
        for (unsigned x = stored; x < count(); ++x) kept_key(left++) = memory.staged[begin + x];
        kept() = left;
    }

    /// Stores the kept keys at the last positions of the bin, so that blocks that still store whole
    /// sectors begin at a sector.
    __device__ void flush() const {
        if (!exists() || kept() == 0) return;
        const BinPositions<Bits> positions = part.target.positions(bin());
        const unsigned behind = atomicAdd(&part.taken[bin()].rest, kept()) + kept();
        store(&kept_key(0), Shape::kMaxBins, kept(), positions.end - positions.begin - behind);
    }

  private:
    __device__ unsigned bin() const { return (segment << part.bits) + threadIdx.x; }
    __device__ Bits& kept_key(unsigned slot) const {
        return memory.kept[slot * Shape::kMaxBins + threadIdx.x];
    }
    __device__ unsigned& word(unsigned which) const {
        return memory.words[which * Shape::kMaxBins + threadIdx.x];
    }
    __device__ unsigned& first() const { return word(0); }  // see BinPositions
    __device__ unsigned& limit() const { return word(1); }
    __device__ unsigned& kept() const { return word(2); }    // keys
    __device__ unsigned& begin() const { return word(3); }   // of its room in the tile
    __device__ unsigned& count() const { return word(4); }   // keys in the tile
    __device__ unsigned& stored() const { return word(5); }  // keys

    /// Stores keys one by one, from the bin's i-th position on.
    __device__ void store(const Bits* from, unsigned stride, unsigned keys, unsigned i) const {
        if (!part.target.is_moved(bin())) return;
        const BinPositions<Bits> positions = part.target.positions(bin());
        Bits* const origin = part.target.origin(bin());
#pragma unroll 1
        for (unsigned k = 0; k < keys; ++k) origin[positions.position(i + k)] = from[k * stride];
    }
};

/// Stores the whole sectors of a tile's bins, 16 bytes per lane at a time. Two lanes share a
/// sector, so all keys that a lane stores are of one bin, the bin of the sector's first key.
/// @param origin  from which the runs count
template <class Shape, class Target, class Bits = typename Shape::Bits>
__device__ void store_sectors(const TileMemory<Shape, Target>& memory,
                              const typename Target::Bins& bins, unsigned staged, Bits* origin) {
    struct alignas(16) Vector {
        Bits key[16 / sizeof(Bits)];
    };
    constexpr unsigned kOfVector = 16 / sizeof(Bits);
    // Not unrolled further, because the next tile's keys occupy registers meanwhile.
#pragma unroll 2
    for (unsigned i = 0; index_of(i) - threadIdx.x < staged / kOfVector; ++i) {
        const unsigned x = index_of(i) * kOfVector;
        const Vector vector =
            *reinterpret_cast<const Vector*>(memory.staged + min(x, staged - kOfVector));
        const Bits first = __shfl_sync(kAllLanes, vector.key[0], threadIdx.x % kLanes & ~1u);
        constexpr unsigned kRunLog2 = std::countr_zero(sizeof(typename Target::Run));
        const auto run = *reinterpret_cast<const typename Target::Run*>(
            reinterpret_cast<const char*>(memory.runs) + bins.bin_times(first, kRunLog2));
        if (x < run.stop) *reinterpret_cast<Vector*>(run.address(origin, x)) = vector;
    }
}

/// The tiles of a partition. The tiles of a segment are consecutive; the first begins with the
/// segment.
template <class Shape>
struct Tiles {
    unsigned begins[Shape::kMaxBins + 1];  ///< where each segment begins in the array, and n,
    unsigned firsts[Shape::kMaxBins + 1];  ///< and its first tile, and how many tiles there are

    /// Called by the whole block.
    template <class Target>
    __device__ void lay_out(const Partition<Shape, Target>& part) {
        __shared__ unsigned sums[kWarps];
        for (unsigned s = threadIdx.x; s <= part.segments; s += kThreads)
            begins[s] = part.begins[std::size_t{s} << part.segment_stride_log2];
        __syncthreads();
        const bool has_segment = threadIdx.x < part.segments;
        const unsigned size = has_segment ? begins[threadIdx.x + 1] - begins[threadIdx.x] : 0;
        const unsigned tiles = (size + part.tile - 1) / part.tile;
        const unsigned first = scan_threads(tiles, sums);
        if (has_segment) firsts[threadIdx.x] = first;
        if (threadIdx.x == part.segments - 1) firsts[part.segments] = first + tiles;
        __syncthreads();
    }
};

/// Moves the block's tiles: chunks of consecutive tiles, in turn with the other blocks. Keys of one
/// bin come in any order: the rank in the tile is what atomicAdd in shared memory returned, and one
/// atomicAdd per bin and tile reserves the output positions of the tile's keys. The next tile is
/// loaded while one is stored.
template <class Shape, class Target, class Bits = typename Shape::Bits>
__device__ __attribute__((noinline)) void move_tiles(const Partition<Shape, Target>& part) {
    constexpr unsigned kItems = Shape::kTileItems;
    __shared__ Tiles<Shape> tiles;
    __shared__ unsigned staged;
    const TileMemory<Shape, Target> memory;
    OwnBin<Shape, Target> own{part, memory, 0};
    using Bins = typename Target::Bins;
    tiles.lay_out(part);

    unsigned t = blockIdx.x * part.chunk, size = 0;
    Bits key[kItems];
    const auto load = [&](unsigned& segment) {
        while (tiles.firsts[segment + 1] <= t) ++segment;
        const unsigned first = tiles.begins[segment] + (t - tiles.firsts[segment]) * part.tile;
        size = min(tiles.begins[segment + 1] - first, part.tile);
        with_array(part.from, [&](auto from) { load_keys(key, from + first, size); });
    };
    const auto is_left = [&] { return t < tiles.firsts[part.segments]; };
    if (!is_left()) return;
    load(own.segment);
    own.start();
    while (true) {
        {
            const Bins bins(part);
            clear(memory.counts, bins.counters);
            if (part.enters) {
                const KeyMap<Bits> map = part.map;
                for (Bits& k : key) k = map.number(k);
            }
        }
        __syncthreads();
        Ranks<kItems> ranks;
        {
            const Bins bins(part);
            rank_keys(key, size, memory.counts, bins.counters * sizeof(unsigned), ranks,
                      [=](Bits k) { return bins.counter_byte(k); });
        }
        __syncthreads();
        const unsigned taken = own.decide(staged);
        __syncthreads();
        for (Bits& k : key) forget(k);
        forget(size);
        {
            const Bins bins(part);
            scatter_keys(key, size, memory.counts, ranks, memory.staged,
                         [=](Bits k) { return bins.counter_byte(k); });
        }
        own.place(taken);
        __syncthreads();
        if (++t % part.chunk == 0) t += (gridDim.x - 1) * part.chunk;
        const bool is_last = !is_left();
        unsigned segment = own.segment;
        if (!is_last) load(segment);  // in flight while this tile is stored
        store_sectors<Shape, Target>(memory, Bins(part), staged, part.target.origin());
        own.finish();
        if (is_last) break;
        if (segment != own.segment) {
            own.flush();
            own.segment = segment;
            own.start();
        }
    }
    own.flush();
}

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
