// Checks an output in device memory, on the device: every element is checked, without a reference
// output of the same size.
#pragma once

#include "simt/backend.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "src/check/wrong_output.h"
#include "stream_compaction/algorithm.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// Checks outputs of one operation on one input.
class DeviceCheck {
  public:
    /// Elements that an output array must have after its n elements: they must not be written.
    static constexpr std::size_t kGuard = 64;

    /// Reads the input, and waits until that has finished; `in` must not change afterwards.
    /// @throws simt::Error
    DeviceCheck(Operation operation, const int* in, std::size_t n, const simt::Stream& stream);

    /// The number of elements of the correct output.
    std::size_t count() const { return count_; }

    /// Overwrites an output of n + kGuard elements, so that elements that are not written are
    /// detected.
    void prepare(int* out, std::size_t* count, const simt::Stream& stream) const;

    /// Checks a complete output that was prepared before it was written. Returns nothing if it is
    /// correct.
    /// @throws simt::Error
    std::optional<std::string> what_is_wrong(const int* out, const std::size_t* count,
                                             const simt::Stream& stream) const;

  private:
    template <class Predicate>
    std::optional<std::size_t> find_first(Predicate predicate, std::size_t n,
                                          const simt::Stream& stream) const;
    template <class T>
    T read(const T* from, const simt::Stream& stream) const;
    /// The Multiset of the first n values, without those that exceed `largest`.
    Multiset multiset(const int* values, std::size_t n, int largest,
                      const simt::Stream& stream) const;

    std::optional<std::string> wrong_scan(const int* out, const simt::Stream& stream) const;
    std::optional<std::string> wrong_compaction(const int* out, const std::size_t* count,
                                                const simt::Stream& stream) const;
    /// An element of the correct output of a compaction.
    int kept_element(std::size_t position, const simt::Stream& stream) const;
    std::optional<std::string> wrong_sort(const int* out, const simt::Stream& stream) const;

    Operation operation_;
    const int* in_;
    std::size_t n_;
    std::size_t count_;
    Multiset multiset_;                           ///< of a sort's input
    simt::DeviceArray<std::size_t> kept_before_;  ///< for each chunk of a compaction's input
    simt::DeviceArray<unsigned long long> mutable findings_;  ///< results of the kernels
};

}  // namespace stream_compaction::inline SIMT_BACKEND
