#include "stream_compaction/cpu_parallel.h"

#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/host_call.h"

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform.h>

#include <omp.h>

#include <algorithm>
#include <numeric>

namespace stream_compaction::cpu_parallel {
namespace {

/// Chunks of a few pages at least, and several for each core, so that a slow core does not hold up
/// the rest.
std::size_t chunks_for(std::size_t n) {
    constexpr std::size_t kSmallestChunk = 16 * 1024, kChunksPerCore = 4;
    const auto cores = static_cast<std::size_t>(omp_get_max_threads());
    return std::clamp<std::size_t>(n / kSmallestChunk, 1, cores * kChunksPerCore);
}

/// Calls f(chunk, first, last) for every chunk of n elements, on all cores.
template <class F>
void for_each_chunk(std::size_t n, std::size_t chunks, F f) {
    const std::size_t size = ceil_div(n, chunks);
    ::thrust::for_each_n(::thrust::omp::par, ::thrust::counting_iterator<std::size_t>(0), chunks,
                         [=](std::size_t chunk) {
                             f(chunk, std::min(n, chunk * size), std::min(n, (chunk + 1) * size));
                         });
}

}  // namespace

Scan::Scan(std::size_t n, const Tuning& tuning) : capacity_(n), before_(chunks_for(n)) {
    require({}, tuning);
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    const std::size_t chunks = chunks_for(n);
    unsigned* const before = before_.data();
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        before[chunk] = std::accumulate(in + first, in + last, 0u);
    });
    std::exclusive_scan(before, before + chunks, before, 0u);
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        unsigned sum = before[chunk];
        for (std::size_t i = first; i < last; ++i) {
            const unsigned value = in[i];
            out[i] = sum;
            sum += value;
        }
    });
}

Compact::Compact(std::size_t n, const Tuning& tuning) : capacity_(n), before_(chunks_for(n) + 1) {
    require({}, tuning);
}

void Compact::enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                      Stopwatch*) {
    require_capacity(capacity_, n);
    const std::size_t chunks = chunks_for(n);
    std::size_t* const before = before_.data();
    before[chunks] = 0;
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        before[chunk] = last - first - std::count(in + first, in + last, 0);
    });
    std::exclusive_scan(before, before + chunks + 1, before, std::size_t{0});
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        std::size_t kept = before[chunk];
        for (std::size_t i = first; i < last; ++i)
            if (in[i] != 0) out[kept++] = in[i];
    });
    *count = before[chunks];
}

Sort::Sort(std::size_t n, const Tuning& tuning) : capacity_(n) { require({}, tuning); }

void Sort::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    const auto flip_sign = [](unsigned key) { return key ^ 1u << 31; };
    unsigned* const keys = reinterpret_cast<unsigned*>(out);
    ::thrust::transform(::thrust::omp::par, in, in + n, keys, flip_sign);
    ::thrust::sort(::thrust::omp::par, keys, keys + n);
    ::thrust::transform(::thrust::omp::par, keys, keys + n, keys, flip_sign);
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Compact>(input, output, tuning);
}

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Sort>(input, output, tuning);
}

}  // namespace stream_compaction::cpu_parallel
