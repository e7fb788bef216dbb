// CUB's algorithms for types other than int, as contenders in measure_time. GPU only.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/capacity.h"
#include "stream_compaction/compiled.h"
#include "stream_compaction/key_order.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/variants.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::cub {

/// cub::DeviceScan::ExclusiveScan. Compiled for int and Max, and for std::int64_t and double and
/// Plus, the operators of single_pass.h.
template <class T, class Operator>
class ScanOf {
    static_assert(
        kIsOneOf<ScanOf, ScanOf<int, single_pass::Max>, ScanOf<std::int64_t, single_pass::Plus>,
                 ScanOf<double, single_pass::Plus>>,
        "ScanOf is not compiled for this type; to add it, instantiate it at the end of "
        "cub/cub_types.cu, and name it here");

  public:
    explicit ScanOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const T* in, T* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceSelect::If of the non-zero elements, at most kMostCompacted elements. Compiled for
/// std::int64_t, Record<4> and Record<16>.
template <class T>
class CompactOf {
    static_assert(kIsOneOf<T, std::int64_t, Record<4>, Record<16>>,
                  "CompactOf is not compiled for this type; to add it, instantiate it at the end "
                  "of cub/cub_types.cu, and name it here");

  public:
    explicit CompactOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const T* in, T* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceRadixSort::SortKeys. Compiled for float, std::int64_t, std::uint8_t and
/// std::uint16_t.
template <class Key>
class SortOf {
    static_assert(kIsOneOf<Key, float, std::int64_t, std::uint8_t, std::uint16_t>,
                  "SortOf is not compiled for this type; to add it, instantiate it at the end of "
                  "cub/cub_types.cu, and name it here");

  public:
    explicit SortOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceRadixSort::SortKeysDescending. Compiled for float.
template <class Key>
class SortDescendingOf {
    static_assert(std::is_same_v<Key, float>,
                  "SortDescendingOf is not compiled for this type; to add it, instantiate it at "
                  "the end of cub/cub_types.cu, and name it here");

  public:
    explicit SortDescendingOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceRadixSort::SortPairs, by all bits of a key or a range of them. Compiled for keys of
/// std::uint32_t and values of std::uint32_t and std::uint64_t.
template <class Key, class Value>
class SortPairsOf {
    static_assert(std::is_same_v<Key, std::uint32_t> &&
                      kIsOneOf<Value, std::uint32_t, std::uint64_t>,
                  "SortPairsOf is not compiled for this type; to add it, instantiate it at the end "
                  "of cub/cub_types.cu, and name it here");

  public:
    /// Uses only the range of bits of the options.
    explicit SortPairsOf(std::size_t n, const SortOptions& options = {});
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    SortOptions options_;
    simt::DeviceArray<std::byte> workspace_;
};

/// SortPairsOf with the indices of the keys as values. CUB reads the indices from an array, which
/// is filled when the plan is made and which no call changes. Compiled for keys and indices of
/// std::uint32_t.
template <class Key, class Index>
class ArgsortOf {
    static_assert(kIsOneOf<ArgsortOf, ArgsortOf<std::uint32_t, std::uint32_t>>,
                  "ArgsortOf is not compiled for this type; to add it, instantiate it at the "
                  "end of cub/cub_types.cu, and name it here");

  public:
    explicit ArgsortOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Key* keys_in, Key* keys_out, Index* indices_out, std::size_t n,
                 simt::stream_t stream = nullptr);

  private:
    SortPairsOf<Key, Index> sort_;
    simt::DeviceArray<Index> indices_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
