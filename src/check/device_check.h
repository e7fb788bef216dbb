// Whether an output in device memory is right, told on the device: every element is looked at, and
// no reference of the same size is needed.
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

/// Judges outputs of one operation on one input.
class DeviceCheck {
  public:
    /// Elements that an output array must have room for after the n of the output: nobody may
    /// write them.
    static constexpr std::size_t kGuard = 64;

    /// Reads the input, and waits until that is done; `in` must stay as it is.
    /// @throws simt::Error
    DeviceCheck(Operation operation, const int* in, std::size_t n, const simt::Stream& stream);

    /// How many elements the right output has.
    std::size_t count() const { return count_; }

    /// Overwrites an output of n + kGuard elements, so that what is not written later is noticed.
    void prepare(int* out, std::size_t* count, const simt::Stream& stream) const;

    /// Looks at all of a prepared and then written output. Nothing: it is right.
    /// @throws simt::Error
    std::optional<std::string> what_is_wrong(const int* out, const std::size_t* count,
                                             const simt::Stream& stream) const;

  private:
    template <class Predicate>
    std::optional<std::size_t> find_first(Predicate predicate, std::size_t n,
                                          const simt::Stream& stream) const;
    template <class T>
    T read(const T* from, const simt::Stream& stream) const;
    /// Of the first n values, as far as they are not larger than `largest`.
    Multiset multiset(const int* values, std::size_t n, int largest,
                      const simt::Stream& stream) const;

    std::optional<std::string> wrong_scan(const int* out, const simt::Stream& stream) const;
    std::optional<std::string> wrong_compaction(const int* out, const std::size_t* count,
                                                const simt::Stream& stream) const;
    /// The element of the right output of a compaction.
    int kept_element(std::size_t position, const simt::Stream& stream) const;
    std::optional<std::string> wrong_sort(const int* out, const simt::Stream& stream) const;

    Operation operation_;
    const int* in_;
    std::size_t n_;
    std::size_t count_;
    Multiset multiset_;                           ///< of a sort's input
    simt::DeviceArray<std::size_t> kept_before_;  ///< each chunk of a compaction's input
    simt::DeviceArray<unsigned long long> mutable findings_;  ///< what the kernels hand back
};

}  // namespace stream_compaction::inline SIMT_BACKEND
