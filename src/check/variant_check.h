// A variant's input and whether an output is right, told on the host: what DeviceCheck is for the
// operations on ints.
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

    /// The input's bytes: `size * in_bytes`.
    void store(int* in, const simt::Stream& stream) const;

    /// How many elements the right output has.
    std::size_t count() const { return count_; }

    /// Overwrites an output, so that what is not written later is noticed.
    void prepare(int* out, std::size_t* count, const simt::Stream& stream) const;

    /// Looks at all of a prepared and then written output. Nothing: it is right.
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
