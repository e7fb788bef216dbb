#include "stream_compaction/registry.h"

#include "simt/checked_size.h"

#include <algorithm>

namespace stream_compaction {

#if defined(STREAM_COMPACTION_HAS_CUDA)
inline namespace gpu {
const Registry& backend_registry();
}
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
inline namespace emulated {
const Registry& backend_registry();
}
#endif

const Registry* registry(simt::Backend backend) {
    switch (backend) {
#if defined(STREAM_COMPACTION_HAS_CUDA)
        case simt::Backend::cuda:
            return &gpu::backend_registry();
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
        case simt::Backend::emulated:
            return &emulated::backend_registry();
#endif
        default:
            return nullptr;
    }
}

const Algorithm* find(const Registry& registry, Operation operation, std::string_view name) {
    const auto row = std::ranges::find_if(registry.rows, [&](const Algorithm& algorithm) {
        return algorithm.operation == operation && algorithm.name == name;
    });
    return row == registry.rows.end() ? nullptr : &*row;
}

std::size_t device_bytes(const Algorithm& algorithm, std::size_t n, const Tuning& tuning) {
    if (algorithm.runs_on == Place::host) return 0;
    if (algorithm.arrays_on() == Place::host) return algorithm.workspace_bytes(n, tuning);
    const Variant* const variant = algorithm.variant;
    const std::size_t element =
        variant != nullptr ? variant->in_bytes + variant->out_bytes : 2 * sizeof(int);
    return simt::checked_sum(simt::checked_product(n, element),
                             algorithm.workspace_bytes(n, tuning));
}

}  // namespace stream_compaction
