#include "src/counts/counted_row.h"

#include "src/counts/source_lines.h"

#include <map>
#include <set>
#include <utility>

namespace stream_compaction {
namespace {

/// Merges counts of the same line.
class Lines {
  public:
    void add(const std::string& file, unsigned line, const AccessCounts& counts) {
        counts_[{file, line}] += counts;
    }
    std::vector<CountedLine> in_order() const {
        std::vector<CountedLine> lines;
        for (const auto& [place, counts] : counts_)
            lines.push_back({place.first, place.second, counts});
        return lines;
    }

  private:
    std::map<std::pair<std::string, unsigned>, AccessCounts> counts_;
};

}  // namespace

LaunchCounts CountedRow::total() const {
    LaunchCounts all;
    for (const CountedLaunch& launch : launches) all += launch.launch.counts;
    return all;
}

std::vector<CountedLine> CountedRow::lines() const {
    Lines all;
    for (const CountedLaunch& launch : launches)
        for (const CountedLine& line : launch.lines) all.add(line.file, line.line, line.counts);
    return all.in_order();
}

CountedRow name_sources(const Contender& contender, const CountedInput& input,
                        std::vector<Launch> launches, const SourceLines& sources) {
    CountedRow row{.contender = contender, .input = input, .launches = {}};
    for (Launch& launch : launches) {
        const auto& kernel = sources.at(launch.kernel);
        CountedLaunch named{.kernel = std::string(launch.where.file_name()) + ':' +
                                      std::to_string(launch.where.line()),
                            .launch = {},
                            .lines = {}};
        if (!kernel.empty()) named.kernel = kernel.back().function;
        Lines lines;
        if (sources.available())
            for (const auto& [key, site] : launch.sites) {
                const SourceLine line = sources.of_access(site.calls);
                lines.add(line.file, line.line, site.counts);
            }
        named.lines = lines.in_order();
        named.launch = std::move(launch);
        row.launches.push_back(std::move(named));
    }
    return row;
}

std::vector<std::uintptr_t> code_addresses(const std::vector<Launch>& launches) {
    std::set<std::uintptr_t> addresses;
    for (const Launch& launch : launches) {
        addresses.insert(launch.kernel);
        for (const auto& [key, site] : launch.sites)
            for (const std::uintptr_t return_address : site.calls)
                addresses.insert(return_address - 1);
    }
    return {addresses.begin(), addresses.end()};
}

}  // namespace stream_compaction
