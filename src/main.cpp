// stream_compaction_test: runs every module, checks and times it.
#include "src/harness/harness.h"
#include "src/program/program.h"
#include "stream_compaction/registry.h"

using namespace stream_compaction;

int main(int argc, char** argv) {
    const BuiltBackends built{.cuda = registry(simt::Backend::cuda),
                              .emulated = registry(simt::Backend::emulated)};
    return run_main(
        "stream_compaction_test",
        [&](const auto& arguments, const Console& console) {
            return run_harness(arguments, built, console.out);
        },
        argc, argv);
}
