// BasicCompact for the types that single_pass.h lists.
#include "stream_compaction/single_pass/compact.h"
#include "stream_compaction/variants.h"

#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template class BasicCompact<std::int64_t, IsNotZero>;
template class BasicCompact<double, IsNotZero>;
template class BasicCompact<Record<4>, IsNotZero>;
template class BasicCompact<Record<16>, IsNotZero>;

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
