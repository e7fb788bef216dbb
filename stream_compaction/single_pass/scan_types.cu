// BasicScan for the types and operators that single_pass.h lists.
#include "stream_compaction/single_pass/scan.h"

#include <cstdint>

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template class BasicScan<std::int32_t, Max>;
template class BasicScan<std::int32_t, Min>;
template class BasicScan<std::uint32_t, Plus>;
template class BasicScan<std::uint32_t, Max>;
template class BasicScan<std::uint32_t, Min>;
template class BasicScan<std::int64_t, Plus>;
template class BasicScan<std::int64_t, Max>;
template class BasicScan<std::int64_t, Min>;
template class BasicScan<std::uint64_t, Plus>;
template class BasicScan<std::uint64_t, Max>;
template class BasicScan<std::uint64_t, Min>;
template class BasicScan<float, Plus>;
template class BasicScan<float, Max>;
template class BasicScan<float, Min>;
template class BasicScan<double, Plus>;
template class BasicScan<double, Max>;
template class BasicScan<double, Min>;

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
