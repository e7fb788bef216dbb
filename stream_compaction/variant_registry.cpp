#include "stream_compaction/registry.h"

namespace stream_compaction {

#if defined(STREAM_COMPACTION_HAS_CUDA)
inline namespace gpu {
std::span<const Algorithm> variant_rows();
}
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
inline namespace emulated {
std::span<const Algorithm> variant_rows();
}
#endif

namespace {

Registry with_variants(const Registry& rows, std::span<const Algorithm> variants) {
    Registry all = rows;
    all.variants = variants;
    return all;
}

}  // namespace

const Registry* registry_with_variants(simt::Backend backend) {
    switch (backend) {
#if defined(STREAM_COMPACTION_HAS_CUDA)
        case simt::Backend::cuda: {
            static const Registry all = with_variants(*registry(backend), gpu::variant_rows());
            return &all;
        }
#endif
#if defined(STREAM_COMPACTION_HAS_EMULATION)
        case simt::Backend::emulated: {
            static const Registry all = with_variants(*registry(backend), emulated::variant_rows());
            return &all;
        }
#endif
        default:
            return nullptr;
    }
}

}  // namespace stream_compaction
