// Creates a variant's input and checks its output, on the host: the counterpart of DeviceCheck.
#pragma once

#include "simt/memory.h"
#include "simt/stream.h"
#include "src/input/input.h"
#include "stream_compaction/variants.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

class VariantCheck {
  public:
    VariantCheck(const Variant& variant, const Input& input);

    /// Stores the input: `size * in_bytes` bytes.
    void store(int* in, const simt::Stream& stream) const;

    /// The number of elements of the correct output.
    std::size_t count() const { return count_; }

    /// Overwrites an output, so that elements that are not written are detected.
    void prepare(int* out, std::size_t* count, const simt::Stream& stream) const;

    /// Checks a complete output that was prepared before it was written. Returns nothing if it is
    /// correct.
    /// @throws simt::Error
    std::optional<std::string> what_is_wrong(const int* out, const std::size_t* count,
                                             const simt::Stream& stream) const;

  private:
    const Variant& variant_;
    std::size_t n_;
    std::size_t count_;
    std::vector<std::byte> in_;
    std::vector<std::byte> mutable out_;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
