// Where contenders work: an input, room for the output, and what judges it.
#pragma once

#include "simt/backend.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <optional>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND {

/// One memory's arrays, ready for one setting.
class Arena {
  public:
    virtual ~Arena() = default;

    /// How many elements the right output has.
    virtual std::size_t count() const = 0;

    /// Overwrites the output, so that what is not written later is noticed.
    virtual void prepare_output() = 0;

    /// Looks at all of a prepared and then written output. Nothing: it is right.
    /// @throws simt::Error
    virtual std::optional<std::string> what_is_wrong() = 0;

    /// How a call's time divides, with cold caches. Nothing where there is no work to divide.
    /// @throws simt::Error
    virtual std::optional<Phases> phases(Plan& plan) = 0;
};

}  // namespace stream_compaction::inline SIMT_BACKEND
