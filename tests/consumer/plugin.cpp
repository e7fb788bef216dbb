#include "plugin.h"

#include <stream_compaction/registry.h>

void plugin_scan(std::span<const int> in, std::span<int> out) {
    using namespace stream_compaction;
    // The rows refer to everything, so the whole library becomes a part of this shared library.
    const Registry* any = registry(simt::Backend::emulated);
    if (any == nullptr) any = registry(simt::Backend::cuda);
    (void)find(*any, Operation::scan, "cpu")->run(in, out, {});
}
