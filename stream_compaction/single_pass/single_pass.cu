#include "stream_compaction/single_pass.h"

#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/single_pass/compact.h"
#include "stream_compaction/single_pass/scan.h"

namespace stream_compaction::inline SIMT_BACKEND::single_pass {

template class BasicScan<int, Plus>;
template class BasicCompact<int, NonZero>;

template <Path path>
Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Scan<path>>(input, output, tuning);
}

template <Path path>
Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<Compact<path>>(input, output, tuning);
}

using HostArray = std::span<const int>;
template Outcome scan<Path::automatic>(HostArray, std::span<int>, const Tuning&);
template Outcome scan<Path::pipelined>(HostArray, std::span<int>, const Tuning&);
template Outcome scan<Path::plain>(HostArray, std::span<int>, const Tuning&);
template Outcome compact<Path::automatic>(HostArray, std::span<int>, const Tuning&);
template Outcome compact<Path::pipelined>(HostArray, std::span<int>, const Tuning&);
template Outcome compact<Path::plain>(HostArray, std::span<int>, const Tuning&);

}  // namespace stream_compaction::inline SIMT_BACKEND::single_pass
