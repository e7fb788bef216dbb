// Classes of keys: what lies between two splitters, and what equals a splitter that stands for many
// keys.
//
// Sources: Sanders and Winkel, "Super scalar sample sort", 2004 (splitters from a sample, a search
// without branches); Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar
// samplesort (IPS4o)", 2017, section 4 (classes of equal keys). What is different here: a table of
// cells over the splitters' range says where the search begins, in place of the upper levels of a
// tree.
#pragma once

#include "stream_compaction/hybrid_radix/partition.h"

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {

/// Where a tile is in shared memory that is moved between splitters.
template <class Shape, class Offset>
struct SplitMemory {
    using Bits = typename Shape::Bits;
    static constexpr unsigned kClasses = 1u << Shape::kMaxClassBits;
    static constexpr unsigned kCellsOfClass = 4;
    static constexpr std::size_t kBytes =
        Shape::kSplitTile * (sizeof(Bits) + sizeof(unsigned short)) +
        kClasses *
            (2 * sizeof(Bits) + sizeof(Offset) + (kCellsOfClass + 1) * sizeof(unsigned short)) +
        (kCounters + kLanes) * sizeof(unsigned);
    Bits* keys;
    Bits* splitters;
    Bits* equals;              ///< for each number of splitters up to a key, see Splitters
    Offset* places;            ///< of each class, less where it starts in the tile
    unsigned* counts;          ///< and one more for each lane
    unsigned short* classes;   ///< for each number of `splitters` up to a key: its class, if not
    unsigned short* cells;     ///< the splitters of cells before each, and how long to search
    unsigned short* class_of;  ///< of each of `keys`

    __device__ SplitMemory()
        : keys(simt::dynamic_shared<Bits>()),
          splitters(keys + Shape::kSplitTile),
          equals(splitters + kClasses),
          places(reinterpret_cast<Offset*>(equals + kClasses)),
          counts(reinterpret_cast<unsigned*>(places + kClasses)),
          classes(reinterpret_cast<unsigned short*>(counts + kCounters + kLanes)),
          cells(classes + kClasses),
          class_of(cells + kClasses * kCellsOfClass) {}
};

/// What is known of the splitters that a block has loaded, in shared memory.
template <class Bits>
struct LoadedSplitters {
    Bits least;
    unsigned classes;  ///< there is a splitter less
    unsigned count;    ///< of splitters, each once
    unsigned shift;    ///< of a key less the least splitter: then it is a cell
};
template <class Bits>
__device__ LoadedSplitters<Bits>& loaded_splitters() {
    __shared__ LoadedSplitters<Bits> loaded;
    return loaded;
}

/// Splitters s(0) <= s(1) <= ... A key's class is the number r of splitters up to it. But where the
/// key equals a splitter that is there twice or more, it is r - 1: a class of equal keys, for
/// no other key has it.
template <class Shape, class Offset>
struct Splitters {
    using Bits = typename Shape::Bits;
    using Memory = SplitMemory<Shape, Offset>;
    static constexpr unsigned kStepsBit = 12;  ///< of a cell: below, the splitters before it

    Memory memory;
    LoadedSplitters<Bits> loaded = loaded_splitters<Bits>();

    /// By a block: from an array in order.
    static __device__ __attribute__((noinline)) void load(const Bits* splitters, unsigned bits) {
        constexpr unsigned kOfThread =
            Memory::kClasses > kThreads ? Memory::kClasses / kThreads : 1;
        __shared__ unsigned sums[kWarps];
        const Memory memory;
        const unsigned classes = 1u << bits;
        const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
        __syncthreads();  // whoever used the others is done with them

        // Those that are there more than once are kept once: the last of them, which knows the
        // class.
        unsigned own = 0;
        Bits splitter[kOfThread];
        bool is_last[kOfThread], is_there_twice[kOfThread];
#pragma unroll
        for (unsigned i = 0; i < kOfThread; ++i) {
            const unsigned s = threadIdx.x * kOfThread + i;
            const bool is_one = s + 1 < classes;
            splitter[i] = splitters[is_one ? s : 0];
            is_there_twice[i] = is_one && s > 0 && splitters[s - 1] == splitter[i];
            is_last[i] = is_one && (s + 2 == classes || splitters[s + 1] != splitter[i]);
            own += is_last[i] ? 1 : 0;
        }
        const unsigned up_to_lane = sum_up_to_lane(own);
        if (lane == kLanes - 1) sums[warp] = up_to_lane;
        __syncthreads();
        unsigned rank = up_to_lane - own + sum_of_lanes(lane < warp ? sums[lane] : 0u);
        const unsigned count = sum_of_lanes(lane < kWarps ? sums[lane] : 0u);
#pragma unroll
        for (unsigned i = 0; i < kOfThread; ++i) {
            if (!is_last[i]) continue;
            memory.splitters[rank++] = splitter[i];
            // Else, what no key of this class equals. (Zero is a class of its own.)
            memory.equals[rank] =
                is_there_twice[i] || splitter[i] == 0 ? splitter[i] : splitter[i] - 1;
            memory.classes[rank] = static_cast<unsigned short>(threadIdx.x * kOfThread + i + 1);
        }
        if (threadIdx.x == 0) {
            memory.classes[0] = 0;
            memory.equals[0] = splitter[0];  // no key of this class
        }
        const unsigned limit = 1u << bit_width(count);
        __syncthreads();
        for (unsigned s = count + threadIdx.x; s < limit; s += kThreads)
            memory.splitters[s] = ~Bits{0};  // behind the last step of any search

        find_cells(memory, classes, count, limit);
        __syncthreads();
    }

    /// Where searches begin, of which none takes more than `limit` splitters.
    static __device__ void find_cells(const Memory& memory, unsigned classes, unsigned count,
                                      unsigned limit) {
        constexpr unsigned kCellsOfThread = Memory::kClasses * Memory::kCellsOfClass / kThreads;
        const unsigned cells = classes * Memory::kCellsOfClass;
        const Bits least = memory.splitters[0];
        const unsigned width = bit_width(memory.splitters[count - 1] - least);
        const unsigned cell_bits = bit_width(cells) - 1;
        const unsigned shift = width > cell_bits ? width - cell_bits : 0;
        const auto cell_of = [&](unsigned s) {
            return s < count ? static_cast<unsigned>((memory.splitters[s] - least) >> shift)
                             : cells;
        };
        // The splitters of cells before each.
        constexpr unsigned kAtOnce = 2;  // cells of a thread, so that loads overlap
#pragma unroll 1
        for (unsigned first = threadIdx.x; first < cells; first += kAtOnce * kThreads) {
            unsigned before[kAtOnce] = {};
#pragma unroll 1
            for (unsigned step = limit / 2; step > 0; step /= 2)
#pragma unroll
                for (unsigned i = 0; i < kAtOnce; ++i)
                    if (cell_of(before[i] + step - 1) < first + i * kThreads) before[i] += step;
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i)
                if (const unsigned c = first + i * kThreads; c < cells)
                    memory.cells[c] = static_cast<unsigned short>(before[i]);
        }
        __syncthreads();
        unsigned short cell[kCellsOfThread];
#pragma unroll
        for (unsigned i = 0; i < kCellsOfThread; ++i) {
            const unsigned c = place_of(i);
            if (c >= cells) break;
            const unsigned before = memory.cells[c],
                           up_to = c + 1 < cells ? memory.cells[c + 1] : count;
            cell[i] = static_cast<unsigned short>(before | bit_width(up_to - before) << kStepsBit);
        }
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < kCellsOfThread; ++i)
            if (const unsigned c = place_of(i); c < cells) memory.cells[c] = cell[i];
        if (threadIdx.x == 0) loaded_splitters<Bits>() = {least, classes, count, shift};
    }

    /// Calls use(i, class, is_equal) for the keys of a thread; all threads of a warp call it.
    template <unsigned kKeys, class Use>
    __device__ void classify(const Bits (&key)[kKeys], Use use) const {
        unsigned up_to[kKeys], most = 0;
        const Bits last_cell = loaded.classes * Memory::kCellsOfClass - 1;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            const Bits cell = (max(key[i], loaded.least) - loaded.least) >> loaded.shift;
            up_to[i] = memory.cells[static_cast<unsigned>(min(cell, last_cell))];
            most = max(most, up_to[i]);
        }
        // All search as often as the one that has to most: what is behind a cell's splitters is
        // larger than its keys.
        const unsigned steps = max_of_lanes(most) >> kStepsBit;
        const unsigned last_start = (1u << bit_width(loaded.count)) - (1u << steps);
#pragma unroll
        for (unsigned& s : up_to) s = min(s & ((1u << kStepsBit) - 1), last_start);
#pragma unroll 1
        for (unsigned step = 1u << steps >> 1; step > 0; step /= 2)
#pragma unroll
            for (unsigned i = 0; i < kKeys; ++i)
                if (memory.splitters[up_to[i] + step - 1] <= key[i]) up_to[i] += step;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i)
            up_to[i] = min(up_to[i], loaded.count);  // the largest key is not less than the padding
        if (loaded.count + 1 == loaded.classes) {    // none repeats
#pragma unroll
            for (unsigned i = 0; i < kKeys; ++i) use(i, up_to[i], false);
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            const bool is_equal = memory.equals[up_to[i]] == key[i];
            use(i, memory.classes[up_to[i]] - (is_equal ? 1 : 0), is_equal);
        }
    }
};

/// What the keys of class c are, of splitters in order.
template <class Bits>
struct ClassRange {
    Bits least, largest;

    __device__ ClassRange(const Bits* splitters, unsigned classes, unsigned c, Bits least,
                          Bits largest)
        : least(least), largest(largest) {
        const auto is_there_twice = [=](unsigned s) {
            return s > 0 && splitters[s] == splitters[s - 1];
        };
        if (c > 0) this->least = splitters[c - 1] + (is_there_twice(c - 1) ? 1 : 0);
        if (c + 1 < classes) this->largest = splitters[c] == 0 ? 0 : splitters[c] - 1;
        if (c > 0 && c + 1 < classes && is_there_twice(c))
            this->least = this->largest = splitters[c];
    }
    __device__ bool is_one_key() const { return least == largest; }
};

}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
