// print_results [csv|samples]: a fabricated file, for the test of the schema.
#include "tests/measure/fabricated_results.h"

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    const stream_compaction::Results results = stream_compaction::fabricated_results();
    const std::string_view format = argc > 1 ? argv[1] : "json";
    std::cout << (format == "csv"       ? to_csv(results)
                  : format == "samples" ? to_json_with_samples(results)
                                        : to_json(results));
}
