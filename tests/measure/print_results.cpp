// print_results [csv]: a fabricated results file, for the test of the schema.
#include "tests/measure/fabricated_results.h"

#include <iostream>

int main(int argc, char**) {
    const stream_compaction::Results results = stream_compaction::fabricated_results();
    std::cout << (argc > 1 ? to_csv(results) : to_json(results));
}
