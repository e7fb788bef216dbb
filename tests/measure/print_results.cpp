// print_results [csv]: a fabricated file, for the test of the schema.
#include "tests/measure/fabricated_results.h"

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    const stream_compaction::Results results = stream_compaction::fabricated_results();
    const bool as_csv = argc > 1 && std::string_view(argv[1]) == "csv";
    std::cout << (as_csv ? to_csv(results) : to_json(results));
}
