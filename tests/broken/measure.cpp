// measure_time with broken rows. The emulated backend pretends to be a GPU, so that everything
// except the times can be tested without one.
#include "tests/broken/rows.h"

#include "src/measure/measure_program.h"

using namespace stream_compaction;

int main(int argc, char** argv) {
    Registry rows = registry_with_broken_rows();
    rows.backend = simt::Backend::cuda;
    return run_main(
        "measure_time",
        [&](const auto& arguments, const Console& console) {
            return measure(arguments, rows, console);
        },
        argc, argv);
}
