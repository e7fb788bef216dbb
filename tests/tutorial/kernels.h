// The kernels of docs/tutorial.md, in plain CUDA; the page shows them word for word.
//
// nvcc compiles this file alone. After simt/kernel.h, a C++ compiler also does, for the CPU.
#pragma once

// The page has the same line breaks.
// clang-format off

// ---- Exclusive scan ----

__global__ void scan_serial(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        const int value = in[i];
        out[i] = sum;
        sum += value;
    }
}

// ---- Naive ----

__global__ void add_at_distance(const int* in, int* out, int n, int distance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i < distance ? in[i] : in[i] + in[i - distance];
}

__global__ void shift_right(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i == 0 ? 0 : in[i - 1];
}

// ---- Efficient ----

__global__ void sum_children(int* tree, int nodes, int width) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    const int left = (2 * node + 1) * width - 1;
    tree[left + width] += tree[left];
}

__global__ void hand_down(int* tree, int nodes, int width) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    const int left = (2 * node + 1) * width - 1, right = left + width;
    const int left_sum = tree[left], before = nodes == 1 ? 0 : tree[right];
    tree[left] = before;
    tree[right] = before + left_sum;
}

// ---- Shared memory ----

constexpr int kTile = 128;  // elements of a tile, and threads of a block
__device__ constexpr int pad(int i) { return i + i / 32; }

__device__ int scan_in_shared(int* tree, int t, int& total) {
    for (int width = 1; width < kTile; width *= 2, __syncthreads())
        if (t < kTile / (2 * width))
            tree[pad((2 * t + 2) * width - 1)] += tree[pad((2 * t + 1) * width - 1)];
    total = tree[pad(kTile - 1)];
    __syncthreads();
    for (int width = kTile / 2; width > 0; width /= 2, __syncthreads())
        if (t < kTile / (2 * width)) {
            const int left = pad((2 * t + 1) * width - 1), right = pad((2 * t + 2) * width - 1);
            const int left_sum = tree[left], before = width == kTile / 2 ? 0 : tree[right];
            tree[left] = before, tree[right] = before + left_sum;
        }
    return tree[pad(t)];
}

__global__ void scan_tiles(const int* in, int* out, int n, int* tile_sums) {
    __shared__ int tree[pad(kTile)];
    const int t = threadIdx.x, i = blockIdx.x * kTile + t;
    tree[pad(t)] = i < n ? in[i] : 0;
    __syncthreads();
    int total;
    const int before = scan_in_shared(tree, t, total);
    if (i < n) out[i] = before;
    if (t == 0) tile_sums[blockIdx.x] = total;
}

__global__ void add_tile_prefixes(int* out, int n, const int* tile_prefixes) {
    const int i = blockIdx.x * kTile + threadIdx.x;
    if (i < n) out[i] += tile_prefixes[blockIdx.x];
}

// ---- Roofline ----

__global__ void copy(const int4* in, int4* out, int vectors) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) out[i] = in[i];
}

// ---- Decoupled look-back ----

using Word = unsigned long long;  // a tile's state in the upper half, its sum in the lower half
constexpr Word kAggregate = Word{1} << 32, kPrefix = Word{2} << 32;

__device__ int look_back(Word* words, int tile, int aggregate) {
    atomicExch(&words[tile], kAggregate | static_cast<unsigned>(aggregate));
    int before = 0;
    for (int earlier = tile - 1; earlier >= 0; --earlier) {
        Word word;
        while ((word = atomicAdd(&words[earlier], 0)) == 0) __nanosleep(20);  // pause, ask again
        before += static_cast<int>(word);
        if (word >= kPrefix) break;  // this sum already includes all tiles before it
    }
    atomicExch(&words[tile], kPrefix | static_cast<unsigned>(before + aggregate));
    return before;
}

__global__ void scan_once(const int* in, int* out, int n, Word* words, int* tickets) {
    __shared__ int tree[pad(kTile)], tile, tile_before;
    const int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(tickets, 1);
    __syncthreads();
    const int i = tile * kTile + t;
    tree[pad(t)] = i < n ? in[i] : 0;
    __syncthreads();
    int total;
    const int before = scan_in_shared(tree, t, total);
    if (t == 0) tile_before = look_back(words, tile, total);
    __syncthreads();
    if (i < n) out[i] = tile_before + before;
}

// ---- single_pass ----

__device__ int sum_of_earlier_tiles(Word* words, int tile, int lane) {
    int sum = 0;
    for (int earlier = lane; earlier < tile; earlier += 32) {
        Word word;
        while ((word = atomicAdd(&words[earlier], 0)) == 0) __nanosleep(20);
        sum += static_cast<int>(word);
    }
    for (int distance = 16; distance > 0; distance /= 2)  // adds the sums of all lanes, for all lanes
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    return sum;
}

__global__ void scan_once_without_chain(const int* in, int* out, int n, Word* words,
                                        int* tickets) {
    __shared__ int tree[pad(kTile)], tile, tile_before;
    const int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(tickets, 1);
    __syncthreads();
    const int i = tile * kTile + t;
    tree[pad(t)] = i < n ? in[i] : 0;
    __syncthreads();
    int total;
    const int before = scan_in_shared(tree, t, total);
    if (t == 0) atomicExch(&words[tile], kAggregate | static_cast<unsigned>(total));
    if (t < 32) {
        const int sum = sum_of_earlier_tiles(words, tile, t);
        if (t == 0) tile_before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = tile_before + before;
}

// ---- Compaction ----

__global__ void map_to_flags(const int* in, int* flags, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = in[i] != 0;
}

__global__ void scatter_kept(const int* in, const int* positions, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool keep = in[i] != 0;
    if (keep) out[positions[i]] = in[i];
    if (i == n - 1) *count = positions[i] + keep;
}

// ---- Sort ----

__global__ void flag_zeros(const unsigned* in, int* flags, int n, int bit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = (in[i] >> bit & 1) == 0;
}

__global__ void split(const unsigned* in, const int* zeros_before, unsigned* out, int n, int bit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int zeros = zeros_before[n - 1] + ((in[n - 1] >> bit & 1) == 0);
    const bool is_zero = (in[i] >> bit & 1) == 0;
    out[is_zero ? zeros_before[i] : zeros + i - zeros_before[i]] = in[i];
}

__device__ int rank_in_warp(unsigned digit) {
    const unsigned same = __match_any_sync(0xffffffff, digit);  // lanes with an equal digit
    const unsigned earlier = (1u << threadIdx.x % 32) - 1;      // lanes before this lane
    return __popc(same & earlier);  // the number of bits that are 1
}

__global__ void ranks_of_digits(const unsigned* in, int* ranks, int shift) {
    ranks[threadIdx.x] = rank_in_warp(in[threadIdx.x] >> shift & 0xff);
}

// ---- A planted bug ----

__global__ void shift_tile(const int* in, int* out) {
    __shared__ int tile[kTile];
    const int t = threadIdx.x;
    tile[t] = in[t];
    // A barrier is missing here.
    out[t] = t == 0 ? 0 : tile[t - 1];
}
// clang-format on
