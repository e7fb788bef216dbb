// Converts a request to all combinations that are measured, in order.
#pragma once

#include "src/bench/measurement.h"
#include "stream_compaction/registry.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stream_compaction {

/// The request of the user. Options that were not given are empty.
struct Request {
    std::vector<Operation> operations = {};
    std::vector<std::string> algorithms = {};
    std::vector<std::size_t> sizes = {};  ///< ascending; empty: 2^20, or all keys of a file
    std::vector<Mode> modes = {};
    std::vector<int> block_sizes = {};
    std::vector<int> items_per_thread = {};
    std::vector<int> paddings = {};
    std::vector<Distribution> distributions = {};
    std::vector<double> kept = {};
    std::vector<std::string> variants = {};  ///< empty: the rows on ints
    std::uint64_t seed = 1;
};

/// Contenders that are measured together.
struct Match {
    Setting setting;
    std::vector<Contender> contenders;
    std::vector<Skipped> skipped;  ///< requested, but known not to work
};

/// Why a row is not measured in a mode; nothing if it is.
std::optional<std::string> reason_against(const Algorithm& algorithm, Mode mode);

/// The content of Request::variants if all are requested.
inline constexpr std::string_view kEveryVariant = "all";

/// Defaults: all rows of the operations; mode cold; the tuned parameters; integers of [0, 50) for
/// scan and compaction, which keeps half of them (a file is not changed), and all integers for
/// sort. If variants are named (kEveryVariant: all), their rows are measured instead of those on
/// ints. A block size or number of items applies to the rows that have the parameter. Sizes ascend.
/// @throws UsageError for a name that no row has and a tuning that a row does not allow
std::vector<Match> plan_study(const Request& request, const Registry& registry);

/// Remembers rows that became so slow that larger sizes would take too long.
class SlowRows {
  public:
    /// @param limit_us maximum time of one call
    explicit SlowRows(double limit_us) : limit_us_(limit_us) {}

    void note(const Measurement& row);

    /// Moves contenders that were too slow at a smaller size from `match.contenders` to
    /// `match.skipped`.
    void remove_from(Match& match) const;

  private:
    /// Everything that identifies a row except the size.
    using Key = std::tuple<Operation, std::string, int, int, int, Mode, Distribution, double,
                           const Variant*>;
    static Key key(const Setting& setting, std::string_view algorithm, const Tuning& tuning);

    double limit_us_;
    std::map<Key, std::size_t> slow_at_;
};

}  // namespace stream_compaction
