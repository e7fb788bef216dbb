#include "src/measure/model_ratios.h"

#include "src/bench/statistics.h"
#include "src/measure/results_table.h"
#include "src/program/significant.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace stream_compaction {
namespace {

bool is_right(const Measurement& measurement) {
    return !measurement.wrong && measurement.microseconds.median > 0;
}

bool differ_in_the_model_alone(const Setting& a, Setting b) {
    b.distribution = a.distribution;
    return a == b;
}

/// Returns the first element for which `is_it` is true, or a new one at the end.
template <class T, class Predicate>
T& find_or_add(std::vector<T>& elements, T otherwise, Predicate is_it) {
    const auto found = std::ranges::find_if(elements, is_it);
    return found != elements.end() ? *found : elements.emplace_back(std::move(otherwise));
}

}  // namespace

void ModelRatios::note(const Setting& setting, const Round& round) {
    if (setting.distribution.kind != Distribution::model) return;
    const auto cub = std::ranges::find(round.measured, "cub", &Measurement::algorithm);
    if (cub == round.measured.end() || !is_right(*cub)) return;
    for (const Measurement& measurement : round.measured)
        if (is_right(measurement) && measurement.algorithm != "cub")
            line_of(measurement)
                .ratios.push_back({cub->microseconds.median / measurement.microseconds.median,
                                   setting.distribution.number});
}

ModelRatios::Line& ModelRatios::line_of(const Measurement& measurement) {
    Series& series = find_or_add(series_, {measurement.setting}, [&](const Series& other) {
        return differ_in_the_model_alone(other.setting, measurement.setting);
    });
    return find_or_add(
        series.lines, {measurement.algorithm, measurement.tuning}, [&](const Line& other) {
            return other.algorithm == measurement.algorithm && other.tuning == measurement.tuning;
        });
}

std::string ModelRatios::table() const {
    std::string text;
    for (const Series& series : series_) {
        const bool has_several = std::ranges::any_of(
            series.lines, [](const Line& line) { return line.ratios.size() > 1; });
        if (!has_several) continue;
        std::array<char, 128> heading;
        (void)std::snprintf(heading.data(), heading.size(), "  %-26s%11s%11s%11s%11s  %s\n", "",
                            "worst", "q1", "median", "models", "the worst is");
        text += describe(series.setting, "random key models") + ": x cub\n" + heading.data();
        for (const Line& line : series.lines) text += to_text(line);
        text += '\n';
    }
    return text;
}

std::string ModelRatios::to_text(const Line& line) {
    std::vector<double> to_cub;
    for (const Ratio& ratio : line.ratios) to_cub.push_back(ratio.to_cub);
    const Statistics all = summarize(to_cub);
    const Ratio& worst = *std::ranges::min_element(line.ratios, {}, &Ratio::to_cub);
    std::array<char, 256> text;
    (void)std::snprintf(text.data(), text.size(), "  %-26s%11s%11s%11s%11zu  %s\n",
                        describe(line.algorithm, line.tuning).c_str(),
                        three_digits(worst.to_cub).c_str(), three_digits(all.q1).c_str(),
                        three_digits(all.median).c_str(), all.samples,
                        to_string(Distribution::of_model(worst.model)).c_str());
    return text.data();
}

}  // namespace stream_compaction
