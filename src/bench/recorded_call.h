// One call on arrays of the host: when each of its parts began and ended, and what the bus alone
// would take.
#pragma once

#include "src/bench/measurement.h"
#include "src/program/contenders.h"
#include "stream_compaction/timeline.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace stream_compaction {

/// What the bus carries from and to pinned memory, both ways at once, in bytes a microsecond.
struct BusRates {
    double up = 0, down = 0;
};

struct RecordedCall {
    Setting setting;
    std::string algorithm;
    Microseconds elapsed = {};
    BusRates bus = {};
    std::vector<Span> spans = {};
    std::optional<std::string> wrong = {};  ///< what is wrong with the result

    /// No call that moves these bytes is quicker: both ways at once, nothing else.
    Microseconds bound() const {
        double up = 0, down = 0;
        for (const auto& [part, begin, end] : spans) {
            if (part.step == Step::up) up += static_cast<double>(part.bytes);
            if (part.step == Step::down) down += static_cast<double>(part.bytes);
        }
        return Microseconds(std::max(up / bus.up, down / bus.down));
    }
};

inline namespace SIMT_BACKEND {

/// The second of two calls, on arrays that were touched before, and checked.
/// @param contender whose plan takes arrays of the host
/// @throws simt::Error, std::bad_alloc
RecordedCall record_call(const Setting& setting, const Contender& contender);

}  // namespace SIMT_BACKEND
}  // namespace stream_compaction
