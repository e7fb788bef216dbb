// CUB's algorithms for other types than the registry's ints, as contenders in measure_time. GPU
// only.
#pragma once

#include "simt/memory.h"
#include "stream_compaction/capacity.h"

#include <cstddef>

namespace stream_compaction::inline SIMT_BACKEND::cub {

/// cub::DeviceScan::ExclusiveScan. Compiled for int and Max, std::int64_t and double and Plus, the
/// operators of single_pass.h.
template <class T, class Operator>
class ScanOf {
  public:
    explicit ScanOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const T* in, T* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceSelect::If of what is not zero, of kMostCompacted elements at most. Compiled for
/// std::int64_t, Record<4> and Record<16>.
template <class T>
class CompactOf {
  public:
    explicit CompactOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const T* in, T* out, std::size_t* count, std::size_t n,
                 simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceRadixSort::SortKeys. Compiled for float and std::int64_t.
template <class Key>
class SortOf {
  public:
    explicit SortOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Key* in, Key* out, std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

/// cub::DeviceRadixSort::SortPairs. Compiled for keys of std::uint32_t and values of std::uint32_t
/// and std::uint64_t.
template <class Key, class Value>
class SortPairsOf {
  public:
    explicit SortPairsOf(std::size_t n);
    static std::size_t workspace_bytes(std::size_t n);
    void enqueue(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                 std::size_t n, simt::stream_t stream = nullptr);

  private:
    Capacity capacity_;
    simt::DeviceArray<std::byte> workspace_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND::cub
