#include "src/input/distribution.h"

#include "src/input/key_file.h"
#include "src/input/key_model.h"

#include <stdexcept>

namespace stream_compaction {

Distribution Distribution::of_model(std::uint64_t number) {
    Distribution distribution = model;
    distribution.number = number;
    return distribution;
}

Distribution Distribution::of_file(const KeyFile& keys) {
    Distribution distribution = file;
    distribution.keys = &keys;
    return distribution;
}

std::string to_string(const Distribution& distribution) {
    switch (distribution.kind) {
        case Distribution::uniform:
            return "uniform";
        case Distribution::uniform50:
            return "uniform50";
        case Distribution::clustered:
            return "clustered";
        case Distribution::sorted:
            return "sorted";
        case Distribution::reverse:
            return "reverse";
        case Distribution::all_equal:
            return "all_equal";
        case Distribution::range16:
            return "range16";
        case Distribution::and2:
            return "and2";
        case Distribution::and4:
            return "and4";
        case Distribution::zipf:
            return "zipf";
        case Distribution::negative:
            return "negative";
        case Distribution::outliers:
            return "outliers";
        case Distribution::gaps:
            return "gaps";
        case Distribution::year:
            return "year";
        case Distribution::bursts:
            return "bursts";
        case Distribution::nearly_sorted:
            return "nearly_sorted";
        case Distribution::organ_pipe:
            return "organ_pipe";
        case Distribution::fixed_nibble:
            return "fixed_nibble";
        case Distribution::serials:
            return "serials";
        case Distribution::letters:
            return "letters";
        case Distribution::degrees:
            return "degrees";
        case Distribution::dates:
            return "dates";
        case Distribution::morton:
            return "morton";
        case Distribution::prices:
            return "prices";
        case Distribution::bell_curve:
            return "bell_curve";
        case Distribution::normal_floats:
            return "normal_floats";
        case Distribution::ipv4:
            return "ipv4";
        case Distribution::model:
            return "model:" + std::to_string(distribution.number);
        case Distribution::file:
            return "file:" + distribution.keys->path();
    }
    throw std::invalid_argument("a distribution that does not exist");
}

std::string in_words(const Distribution& distribution, std::size_t n) {
    if (distribution.kind != Distribution::model) return {};
    return describe(KeyLaw(distribution.number, n));
}

std::string describe(const Distribution& distribution, std::size_t n) {
    const std::string words = in_words(distribution, n);
    return to_string(distribution) + (words.empty() ? "" : " (" + words + ")");
}

std::optional<Distribution> find_distribution(std::string_view name) {
    for (const Distribution distribution : kDistributions)
        if (to_string(distribution) == name) return distribution;
    return std::nullopt;
}

}  // namespace stream_compaction
