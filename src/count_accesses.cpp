// count_accesses: counts the memory accesses of every launch of a module.
#include "src/counts/count_program.h"

using namespace stream_compaction;

int main(int argc, char** argv) {
    return run_main(
        "count_accesses",
        [](const auto& arguments, const Console& console) {
            return count_accesses(arguments, backend_registry(), console);
        },
        argc, argv);
}
