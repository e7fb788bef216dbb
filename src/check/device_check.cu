#include "src/check/device_check.h"

#include "simt/kernel.h"
#include "src/input/input.h"
#include "stream_compaction/grid.h"

#include <algorithm>
#include <array>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

constexpr unsigned kBlockSize = 256;
constexpr unsigned kWarp = 32;
constexpr std::size_t kChunk = 4096;  ///< elements that a single warp processes, in their order
constexpr unsigned long long kNowhere = ~0ull;
constexpr unsigned char kSentinelByte = 0x5c;
constexpr int kSentinel = 0x5c5c5c5c;

unsigned grid_for(std::size_t n) {
    constexpr std::size_t kMostBlocks = 4096;  // enough to fill any GPU
    return static_cast<unsigned>(std::clamp<std::size_t>(ceil_div(n, kBlockSize), 1, kMostBlocks));
}

unsigned grid_of_warps(std::size_t chunks) {
    return blocks_for(std::max<std::size_t>(chunks, 1) * kWarp, kBlockSize);
}

struct IsWrongSum {
    const int *in, *out;
    __device__ bool operator()(std::size_t i) const {
        if (i == 0) return out[0] != 0;
        return static_cast<unsigned>(out[i]) !=
               static_cast<unsigned>(out[i - 1]) + static_cast<unsigned>(in[i - 1]);
    }
};

struct IsDescent {
    const int* out;
    __device__ bool operator()(std::size_t i) const { return i > 0 && out[i] < out[i - 1]; }
};

struct IsWritten {
    const int* rest;
    __device__ bool operator()(std::size_t i) const { return rest[i] != kSentinel; }
};

/// Stores the smallest i < n with predicate(i) in *first.
template <class Predicate>
__global__ void find_first_where(Predicate predicate, std::size_t n, unsigned long long* first) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        if (!predicate(i)) continue;
        atomicMin(first, static_cast<unsigned long long>(i));
        return;
    }
}

/// Adds the Multiset of the values up to `largest` to sums.
__global__ void add_hashes(const int* values, std::size_t n, int largest,
                           unsigned long long* sums) {
    unsigned long long count = 0, sum = 0, exclusive_or = 0;
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        if (values[i] > largest) continue;
        const unsigned long long hash = hash_of_key(values[i]);
        ++count;
        sum += hash;
        exclusive_or ^= hash;
    }
    atomicAdd(&sums[0], count);
    atomicAdd(&sums[1], sum);
    atomicXor(&sums[2], exclusive_or);
}

/// One warp per chunk: kept[chunk] = number of its elements that are not zero.
__global__ void count_kept(const int* in, std::size_t n, std::size_t chunks, std::size_t* kept) {
    const std::size_t chunk = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
    const unsigned lane = threadIdx.x % kWarp;
    if (chunk >= chunks) return;
    std::size_t count = 0;
    const std::size_t last = min((chunk + 1) * kChunk, n);
    for (std::size_t first = chunk * kChunk; first < last; first += kWarp) {
        const bool keep = first + lane < last && in[first + lane] != 0;
        count += __popc(__ballot_sync(0xffffffffu, keep));
    }
    if (lane == 0) kept[chunk] = count;
}

/// One warp per chunk: for each kept element in[i], checks out[number of kept elements before it]
/// == in[i]. Stores the smallest output index that is wrong in *first.
__global__ void find_misplaced(const int* in, std::size_t n, std::size_t chunks,
                               const std::size_t* kept_before, const int* out,
                               unsigned long long* first_wrong) {
    const std::size_t chunk = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
    const unsigned lane = threadIdx.x % kWarp;
    if (chunk >= chunks) return;
    std::size_t before = kept_before[chunk];
    const std::size_t last = min((chunk + 1) * kChunk, n);
    for (std::size_t first = chunk * kChunk; first < last; first += kWarp) {
        const int value = first + lane < last ? in[first + lane] : 0;
        const unsigned kept = __ballot_sync(0xffffffffu, value != 0);
        const std::size_t position = before + __popc(kept & ((1u << lane) - 1));
        if (value != 0 && out[position] != value)
            atomicMin(first_wrong, static_cast<unsigned long long>(position));
        before += __popc(kept);
    }
}

/// Exclusive scan in place; returns the total.
std::size_t exclusive_sums(std::vector<std::size_t>& counts) {
    std::size_t sum = 0;
    for (std::size_t& count : counts) {
        const std::size_t before = sum;
        sum += count;
        count = before;
    }
    return sum;
}

}  // namespace

DeviceCheck::DeviceCheck(Operation operation, const int* in, std::size_t n,
                         const simt::Stream& stream)
    : operation_(operation), in_(in), n_(n), count_(n), findings_(3) {
    if (operation == Operation::sort) multiset_ = multiset(in, n, kLargestKey, stream);
    if (operation == Operation::compact) {
        const std::size_t chunks = ceil_div(n, kChunk);
        kept_before_ = simt::DeviceArray<std::size_t>(chunks);
        if (n > 0)
            simt::launch(count_kept, {grid_of_warps(chunks), kBlockSize, 0, stream.get()}, in, n,
                         chunks, kept_before_.data());
        std::vector<std::size_t> kept(chunks);
        kept_before_.copy_to(kept);
        count_ = exclusive_sums(kept);
        kept_before_.copy_from(kept);
    }
}

void DeviceCheck::prepare(int* out, std::size_t* count, const simt::Stream& stream) const {
    simt::fill_async(out, kSentinelByte, (n_ + kGuard) * sizeof(int), stream.get());
    simt::fill_async(count, kSentinelByte, sizeof *count, stream.get());
}

std::optional<std::string> DeviceCheck::what_is_wrong(const int* out, const std::size_t* count,
                                                      const simt::Stream& stream) const {
    std::optional<std::string> wrong;
    switch (operation_) {
        case Operation::scan:
            wrong = wrong_scan(out, stream);
            break;
        case Operation::compact:
            wrong = wrong_compaction(out, count, stream);
            break;
        case Operation::sort:
            wrong = wrong_sort(out, stream);
            break;
    }
    if (wrong) return wrong;
    const int* const rest = out + count_;
    const auto written = find_first(IsWritten{rest}, n_ + kGuard - count_, stream);
    if (written) return written_past_the_end(count_ + *written, read(rest + *written, stream));
    return std::nullopt;
}

std::optional<std::string> DeviceCheck::wrong_scan(const int* out,
                                                   const simt::Stream& stream) const {
    const auto i = find_first(IsWrongSum{in_, out}, n_, stream);
    if (!i) return std::nullopt;
    const unsigned expected = *i == 0 ? 0u
                                      : static_cast<unsigned>(read(out + *i - 1, stream)) +
                                            static_cast<unsigned>(read(in_ + *i - 1, stream));
    return wrong_element(*i, static_cast<int>(expected), read(out + *i, stream));
}

std::optional<std::string> DeviceCheck::wrong_compaction(const int* out, const std::size_t* count,
                                                         const simt::Stream& stream) const {
    const std::size_t got = read(count, stream);
    if (got != count_) return wrong_count(count_, got);
    const std::size_t chunks = kept_before_.size();
    if (chunks == 0) return std::nullopt;
    simt::fill_async(findings_.data(), 0xff, sizeof kNowhere, stream.get());
    simt::launch(find_misplaced, {grid_of_warps(chunks), kBlockSize, 0, stream.get()}, in_, n_,
                 chunks, kept_before_.data(), out, findings_.data());
    const unsigned long long position = read(findings_.data(), stream);
    if (position == kNowhere) return std::nullopt;
    return wrong_element(position, kept_element(position, stream), read(out + position, stream));
}

int DeviceCheck::kept_element(std::size_t position, const simt::Stream& stream) const {
    std::vector<std::size_t> kept_before(kept_before_.size());
    kept_before_.copy_to(kept_before);
    const auto after = std::ranges::upper_bound(kept_before, position);
    const auto chunk = static_cast<std::size_t>(after - kept_before.begin()) - 1;
    std::size_t i = chunk * kChunk;
    for (std::size_t kept = kept_before[chunk];; ++i)
        if (const int value = read(in_ + i, stream); value != 0 && kept++ == position) return value;
}

std::optional<std::string> DeviceCheck::wrong_sort(const int* out,
                                                   const simt::Stream& stream) const {
    const std::size_t ascending = find_first(IsDescent{out}, n_, stream).value_or(n_);
    if (multiset(out, ascending, kLargestKey, stream) == multiset_) return std::nullopt;
    const auto [i, expected] =
        first_wrong_key([&](int largest) { return multiset(in_, n_, largest, stream); },
                        [&](int largest) { return multiset(out, ascending, largest, stream); });
    return wrong_element(i, expected, read(out + i, stream));
}

template <class Predicate>
std::optional<std::size_t> DeviceCheck::find_first(Predicate predicate, std::size_t n,
                                                   const simt::Stream& stream) const {
    simt::fill_async(findings_.data(), 0xff, sizeof kNowhere, stream.get());
    simt::launch(find_first_where<Predicate>, {grid_for(n), kBlockSize, 0, stream.get()}, predicate,
                 n, findings_.data());
    const unsigned long long first = read(findings_.data(), stream);
    if (first == kNowhere) return std::nullopt;
    return first;
}

Multiset DeviceCheck::multiset(const int* values, std::size_t n, int largest,
                               const simt::Stream& stream) const {
    simt::fill_async(findings_.data(), 0, 3 * sizeof(unsigned long long), stream.get());
    simt::launch(add_hashes, {grid_for(n), kBlockSize, 0, stream.get()}, values, n, largest,
                 findings_.data());
    return {read(findings_.data(), stream), read(findings_.data() + 1, stream),
            read(findings_.data() + 2, stream)};
}

template <class T>
T DeviceCheck::read(const T* from, const simt::Stream& stream) const {
    T value;
    simt::copy_async(&value, from, sizeof value, stream.get());
    stream.synchronize();
    return value;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
