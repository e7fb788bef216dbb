#include "src/counts/count_options.h"

#include "src/command_line/command_line.h"
#include "src/command_line/size.h"
#include "src/input/distribution_option.h"
#include "src/input/key_file.h"

#include <utility>

namespace stream_compaction {

CountOptions parse_count_options(std::vector<std::string> arguments) {
    constexpr std::size_t kUsualSize = std::size_t{1} << 16;
    CountOptions options;
    HarnessOptions& rows = options.rows;
    rows.emulate = simt::find_device_profile("h200");  // the default tunings are those of an H200
    std::optional<std::string> distribution;
    CommandLine line("count_accesses",
                     "Runs each row once on the emulated backend, and counts what every launch "
                     "does to memory: requests, sectors, bank conflicts, atomics, barriers.");
    line.add_value(
        "--size", "N", "Elements: " + std::string(kLegalSizes) + " [2^16, or all keys of a file]",
        [&](const std::string& given) { rows.size = parse_size_option("--size", given); });
    add_choice_of_rows(line, rows, "stream_compaction_test --list");
    add_input_and_tuning(line, rows, distribution);
    line.add_value("--emulate", "GPU",
                   "Emulate this GPU: " + simt::device_profile_names() + " [h200]",
                   [&](const std::string& given) { rows.emulate = parse_profile(given); });
    line.add_flag("--by-line", "Also show the counts of each source line", options.by_line);
    line.add_value(
        "--json", "FILE",
        "Write all that is counted to a file, lines included; after Ctrl-C or SIGTERM, the "
        "rows counted so far",
        [&](const std::string& given) { options.json = parse_file("--json", given); });
    rows.answer = line.parse(std::move(arguments));
    if (rows.answer.empty() && distribution) take_distribution(*distribution, rows);
    const std::optional<std::size_t> given = rows.size;
    if (!rows.size)
        rows.size = rows.distribution && rows.distribution->keys != nullptr
                        ? rows.distribution->keys->size()
                        : kUsualSize;
    // Input and output, on the host and on the emulated device.
    if (rows.answer.empty()) require_memory(*rows.size, 4 * sizeof(int), given, rows.distribution);
    return options;
}

}  // namespace stream_compaction
