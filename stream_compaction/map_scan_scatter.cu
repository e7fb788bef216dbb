#include "stream_compaction/map_scan_scatter.h"

#include "simt/kernel.h"
#include "stream_compaction/parts/block_strided.h"

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// flags[i] = 1 if in[i] is not 0, else 0.
__global__ void map_to_flags(const int* in, int* flags, std::size_t n) {
    block_strided(
        0, n, [&](std::size_t i) { return in[i]; },
        [&](std::size_t i, int value) { flags[i] = value != 0; });
}

struct Candidate {
    int value;
    int position;
};

/// Stores each kept element at its position after the *kept_before elements of earlier slices. The
/// thread of the last element adds up the new number of kept elements.
__global__ void scatter_kept(const int* in, Positions positions, std::size_t n, int* out,
                             const std::size_t* kept_before, std::size_t* kept_after) {
    const std::size_t before = *kept_before;
    block_strided(
        0, n,
        [&](std::size_t i) {
            Candidate candidate{in[i], positions.within_tile[i]};
            if (positions.tile_prefixes != nullptr)
                candidate.position += positions.tile_prefixes[i >> positions.tile_log2];
            return candidate;
        },
        [&](std::size_t i, Candidate candidate) {
            const bool keep = candidate.value != 0;
            if (keep) out[before + candidate.position] = candidate.value;
            if (i == n - 1) *kept_after = before + candidate.position + keep;
        });
}

}  // namespace

void enqueue_map(const int* in, int* flags, std::size_t n, unsigned block_size,
                 simt::stream_t stream) {
    simt::launch(map_to_flags, block_strided_launch(n, block_size, stream), in, flags, n);
}

void enqueue_scatter(const int* in, const Positions& positions, std::size_t n, int* out,
                     const std::size_t* kept_before, std::size_t* kept_after, unsigned block_size,
                     simt::stream_t stream) {
    simt::launch(scatter_kept, block_strided_launch(n, block_size, stream), in, positions, n, out,
                 kept_before, kept_after);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
