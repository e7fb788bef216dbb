#include "stream_compaction/cub_types.h"

#include "stream_compaction/capacity.h"
#include "stream_compaction/cub/call.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/single_pass/operators.h"
#include "stream_compaction/variants.h"

#include <thrust/execution_policy.h>
#include <thrust/sequence.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>

namespace stream_compaction::inline SIMT_BACKEND::cub {
namespace {

template <class T, class Operator>
auto scan_call(const T* in, T* out, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        if constexpr (std::is_same_v<Operator, single_pass::Max>)
            return ::cub::DeviceScan::ExclusiveScan(workspace, bytes, in, out, ::cuda::maximum<>{},
                                                    std::numeric_limits<T>::lowest(), n, stream);
        else
            return ::cub::DeviceScan::ExclusiveSum(workspace, bytes, in, out, n, stream);
    };
}

template <class T>
auto compact_call(const T* in, T* out, std::size_t* count, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceSelect::If(workspace, bytes, in, out, count, n,
                                       single_pass::IsNotZero{}, stream);
    };
}

template <class Key>
auto sort_call(const Key* in, Key* out, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceRadixSort::SortKeys(workspace, bytes, in, out, n, 0, 8 * sizeof(Key),
                                                stream);
    };
}

template <class Key>
auto sort_descending_call(const Key* in, Key* out, simt::stream_t stream) {
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceRadixSort::SortKeysDescending(workspace, bytes, in, out, n, 0,
                                                          8 * sizeof(Key), stream);
    };
}

template <class Key, class Value>
auto sort_pairs_call(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                     const SortOptions& options, simt::stream_t stream) {
    const auto begin = static_cast<int>(options.begin_bit);
    const auto end = static_cast<int>(options.end_bit == 0 ? 8 * sizeof(Key) : options.end_bit);
    return [=](void* workspace, std::size_t& bytes, auto n) {
        return ::cub::DeviceRadixSort::SortPairs(workspace, bytes, keys_in, keys_out, values_in,
                                                 values_out, n, begin, end, stream);
    };
}

}  // namespace

template <class T, class Operator>
ScanOf<T, Operator>::ScanOf(std::size_t n) : capacity_(n), workspace_(workspace_bytes(n)) {}

template <class T, class Operator>
std::size_t ScanOf<T, Operator>::workspace_bytes(std::size_t n) {
    return bytes_for(n, scan_call<T, Operator>(nullptr, nullptr, nullptr));
}

template <class T, class Operator>
void ScanOf<T, Operator>::enqueue(const T* in, T* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n > 0) call(workspace_, n, scan_call<T, Operator>(in, out, stream));
}

template <class T>
CompactOf<T>::CompactOf(std::size_t n) : capacity_(n), workspace_(workspace_bytes(n)) {}

template <class T>
std::size_t CompactOf<T>::workspace_bytes(std::size_t n) {
    require_compactable(n);
    return bytes_for(n, compact_call<T>(nullptr, nullptr, nullptr, nullptr));
}

template <class T>
void CompactOf<T>::enqueue(const T* in, T* out, std::size_t* count, std::size_t n,
                           simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_apart({in, n}, {out, n});
    if (n > 0)
        call(workspace_, n, compact_call(in, out, count, stream));
    else
        simt::fill_async(count, 0, sizeof *count, stream);
}

template <class Key>
SortOf<Key>::SortOf(std::size_t n) : capacity_(n), workspace_(workspace_bytes(n)) {}

template <class Key>
std::size_t SortOf<Key>::workspace_bytes(std::size_t n) {
    return bytes_for(n, sort_call<Key>(nullptr, nullptr, nullptr));
}

template <class Key>
void SortOf<Key>::enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_apart({in, n}, {out, n});
    if (n > 0) call(workspace_, n, sort_call(in, out, stream));
}

template <class Key>
SortDescendingOf<Key>::SortDescendingOf(std::size_t n)
    : capacity_(n), workspace_(workspace_bytes(n)) {}

template <class Key>
std::size_t SortDescendingOf<Key>::workspace_bytes(std::size_t n) {
    return bytes_for(n, sort_descending_call<Key>(nullptr, nullptr, nullptr));
}

template <class Key>
void SortDescendingOf<Key>::enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_apart({in, n}, {out, n});
    if (n > 0) call(workspace_, n, sort_descending_call(in, out, stream));
}

template <class Key, class Value>
SortPairsOf<Key, Value>::SortPairsOf(std::size_t n, const SortOptions& options)
    : capacity_(n), options_(options), workspace_(workspace_bytes(n)) {}

/// The workspace for all bits, which is at least that for a range of bits.
template <class Key, class Value>
std::size_t SortPairsOf<Key, Value>::workspace_bytes(std::size_t n) {
    return bytes_for(n,
                     sort_pairs_call<Key, Value>(nullptr, nullptr, nullptr, nullptr, {}, nullptr));
}

template <class Key, class Value>
void SortPairsOf<Key, Value>::enqueue(const Key* keys_in, Key* keys_out, const Value* values_in,
                                      Value* values_out, std::size_t n, simt::stream_t stream) {
    require_capacity(capacity_, n);
    require_apart({keys_in, n}, {keys_out, n});
    require_apart({values_in, n}, {values_out, n});
    require_apart({keys_in, n}, {values_out, n});
    require_apart({values_in, n}, {keys_out, n});
    require_apart({keys_out, n}, {values_out, n});
    if (n > 0)
        call(workspace_, n,
             sort_pairs_call(keys_in, keys_out, values_in, values_out, options_, stream));
}

template <class Key, class Index>
ArgsortOf<Key, Index>::ArgsortOf(std::size_t n) : sort_(n), indices_(n) {
    ::thrust::sequence(::thrust::device, indices_.data(), indices_.data() + n);
}

template <class Key, class Index>
std::size_t ArgsortOf<Key, Index>::workspace_bytes(std::size_t n) {
    return simt::checked_sum(SortPairsOf<Key, Index>::workspace_bytes(n),
                             simt::checked_product(n, sizeof(Index)));
}

template <class Key, class Index>
void ArgsortOf<Key, Index>::enqueue(const Key* keys_in, Key* keys_out, Index* indices_out,
                                    std::size_t n, simt::stream_t stream) {
    sort_.enqueue(keys_in, keys_out, indices_.data(), indices_out, n, stream);
}

template class ScanOf<int, single_pass::Max>;
template class ScanOf<std::int64_t, single_pass::Plus>;
template class ScanOf<double, single_pass::Plus>;
template class CompactOf<std::int64_t>;
template class CompactOf<Record<4>>;
template class CompactOf<Record<16>>;
template class SortOf<float>;
template class SortOf<std::int64_t>;
template class SortOf<std::uint8_t>;
template class SortOf<std::uint16_t>;
template class SortDescendingOf<float>;
template class SortPairsOf<std::uint32_t, std::uint32_t>;
template class SortPairsOf<std::uint32_t, std::uint64_t>;
template class ArgsortOf<std::uint32_t, std::uint32_t>;

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
