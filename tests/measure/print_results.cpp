// print_results [csv|timeline]: a fabricated file, for the test of the schemas.
#include "tests/measure/fabricated_results.h"

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    const stream_compaction::Results results = stream_compaction::fabricated_results();
    const std::string_view wanted = argc > 1 ? argv[1] : "json";
    std::cout << (wanted == "csv" ? to_csv(results)
                  : wanted == "timeline"
                      ? to_json(stream_compaction::fabricated_call(), results.machine)
                      : to_json(results));
}
