// stream_compaction_test with broken rows.
#include "tests/broken/rows.h"

#include "src/harness/harness.h"
#include "src/program/program.h"

using namespace stream_compaction;

int main(int argc, char** argv) {
    const Registry& rows = registry_with_broken_rows();
    const bool is_cuda = rows.backend == simt::Backend::cuda;
    const BuiltBackends built{.cuda = is_cuda ? &rows : nullptr,
                              .emulated = is_cuda ? nullptr : &rows};
    return run_main(
        "stream_compaction_test",
        [&](const auto& arguments, const Console& console) {
            return run_harness(arguments, built, console.out);
        },
        argc, argv);
}
