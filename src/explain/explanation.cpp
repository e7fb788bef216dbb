#include "src/explain/explanation.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace stream_compaction {
namespace {

/// If launches and bytes account for this share of a time, they explain it.
constexpr double kExplained = 0.5;
/// With this many bank conflicts per request, a kernel is bound by shared memory.
constexpr double kConflicts = 1;

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole != 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string format(const char* pattern, double value) {
    std::array<char, 64> text;
    (void)std::snprintf(text.data(), text.size(), pattern, value);
    return text.data();
}

std::string percent(double share) { return format("%.0f %%", 100 * share); }

std::string bytes(double count) {
    if (count < 1e3) return format("%.0f B", count);
    if (count < 1e6) return format("%.1f kB", count / 1e3);
    return count < 1e9 ? format("%.1f MB", count / 1e6) : format("%.1f GB", count / 1e9);
}

std::uint64_t bytes_moved(const LaunchCounts& counts) {
    return counts.accesses.loads.bytes_moved() + counts.accesses.stores.bytes_moved() +
           counts.bulk_loads.bytes;
}

std::uint64_t bytes_asked(const LaunchCounts& counts) {
    return counts.accesses.loads.bytes_asked + counts.accesses.stores.bytes_asked +
           counts.bulk_loads.bytes;
}

double conflicts_a_request(const SharedCounts& shared) {
    return ratio(shared.conflicts, shared.requests);
}

/// The bytes that a call of n elements moves, extrapolated from the counts.
double scaled_bytes(const CountedCall& counted, std::size_t n) {
    const auto bytes = static_cast<double>(bytes_moved(counted.total));
    return n == counted.n ? bytes : bytes * ratio(n, counted.n);
}

/// The end of a line if it describes another n than the one that was counted.
std::string where_counted(const CountedCall& counted, std::size_t n) {
    if (n == counted.n) return {};
    return "; counted at n = " + std::to_string(counted.n) + ", bytes scaled, launches not";
}

std::string_view name_of(Bound bound) {
    switch (bound) {
        case Bound::launches:
            return "launches";
        case Bound::memory:
            return "memory";
        case Bound::shared_memory:
            return "shared memory";
        case Bound::waiting:
            return "waiting";
    }
    return {};
}

std::string launches(const CountedCall& counted) {
    return std::to_string(counted.launches) + (counted.launches == 1 ? " launch" : " launches");
}

std::string bank_conflicts(const SharedCounts& shared) {
    if (shared.requests == 0) return "no shared memory";
    if (shared.conflicts == 0) return "no bank conflicts";
    return format("%.2f", conflicts_a_request(shared)) + " bank conflicts a request";
}

/// How well the bytes and the lanes of a warp are used.
std::string use(const LaunchCounts& counts) {
    std::string text = percent(ratio(bytes_asked(counts), bytes_moved(counts))) + " of these used";
    if (counts.accesses.requests() > 0)
        text += ", " + format("%.1f", ratio(counts.accesses.lanes(), counts.accesses.requests())) +
                " of 32 lanes active";
    return text + ", " + bank_conflicts(counts.accesses.shared);
}

}  // namespace

Explanation explain(const CountedCall& counted, const TimedCall& timed) {
    const double launches_us = static_cast<double>(counted.launches) * timed.costs.launch_us;
    const double memory_us = scaled_bytes(counted, timed.n) / timed.costs.bytes_per_us;
    Explanation why{.bound = Bound::waiting,
                    .launches_share = launches_us / timed.microseconds,
                    .memory_share = memory_us / timed.microseconds};
    // A launch ends before its bytes are moved, so the two times add up.
    if (why.launches_share + why.memory_share >= kExplained)
        why.bound = why.launches_share > why.memory_share ? Bound::launches : Bound::memory;
    else if (conflicts_a_request(counted.total.accesses.shared) >= kConflicts)
        why.bound = Bound::shared_memory;
    return why;
}

std::string in_words(const CountedCall& counted, const TimedCall& timed) {
    const Explanation why = explain(counted, timed);
    std::string text = "bound by ";
    text.append(name_of(why.bound)).append(": ").append(launches(counted)).append(" would take ");
    return text + percent(why.launches_share) + " of the time, " +
           bytes(scaled_bytes(counted, timed.n)) + " moved " + percent(why.memory_share) + "; " +
           use(counted.total) + where_counted(counted, timed.n);
}

std::string in_words(const CountedCall& counted, std::size_t n) {
    return launches(counted) + ", " + bytes(scaled_bytes(counted, n)) + " moved, " +
           use(counted.total) + where_counted(counted, n);
}

}  // namespace stream_compaction
