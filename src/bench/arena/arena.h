// An arena: an input, room for the output, and a check of the output.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// The arrays in one memory (device or host), prepared for one setting.
class Arena {
  public:
    virtual ~Arena() = default;

    /// The number of elements of the correct output.
    virtual std::size_t count() const = 0;

    /// Overwrites the output, so that elements that are not written later are detected.
    virtual void prepare_output() = 0;

    /// Checks a complete output that was prepared before it was written. Returns nothing if it is
    /// correct.
    /// @throws simt::Error
    virtual std::optional<std::string> what_is_wrong() = 0;

    /// The phases of a call with cold caches. Returns nothing if there is no work to divide.
    /// @throws simt::Error
    virtual std::optional<Phases> phases(Plan& plan) = 0;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
