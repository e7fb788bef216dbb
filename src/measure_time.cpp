// measure_time: measures every module, and compares the times.
#include "src/measure/measure_program.h"

#include "simt/backend.h"

using namespace stream_compaction;

int main(int argc, char** argv) {
    return run_main(
        "measure_time",
        [](const auto& arguments, const Console& console) {
            return measure(arguments, *registry_with_variants(simt::kBackend), console);
        },
        argc, argv);
}
