#include "src/bench/skip.h"

#include "simt/device.h"
#include "simt/memory.h"
#include "src/program/shortage.h"

#include <stdexcept>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {

void skip(const Setting& setting, const Contender& contender, std::string reason, Round& round) {
    const std::string name(contender.algorithm != nullptr ? contender.algorithm->name : "copy");
    round.skipped.push_back({.setting = setting,
                             .algorithm = name,
                             .tuning = contender.tuning,
                             .reason = std::move(reason)});
}

bool try_to(const std::function<void()>& f, const Setting& setting, const Contender& contender,
            Round& round) {
    try {
        const auto shortage = shortage_in(f);
        if (!shortage) return true;
        skip(setting, contender, "skipped: " + *shortage, round);
    } catch (const std::invalid_argument& error) {
        skip(setting, contender, std::string("skipped: ") + error.what(), round);
    } catch (const std::exception& error) {
        simt::synchronize();  // throws if no later call can work either
        skip(setting, contender, std::string("failed: ") + error.what(), round);
        round.skipped.back().failed = true;
    }
    return false;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
