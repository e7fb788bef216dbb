// Must not compile: the compiler's message explains how to add missing instantiations.
#include "simt/memory.h"
#include "stream_compaction/onesweep.h"
#include "stream_compaction/single_pass.h"

#include <functional>
#include <string>

void refused_types() {
    namespace single_pass = stream_compaction::single_pass;
    single_pass::BasicScan<int, std::multiplies<int>> scan(10);
    single_pass::BasicCompact<float, single_pass::IsNotZero> compact(10);
    single_pass::BasicScan<short> narrow_scan(10);
    single_pass::BasicCompact<char, single_pass::IsNotZero> narrow_compact(10);
    single_pass::BasicScan<const int> const_scan(10);
    simt::DeviceArray<std::string> texts(10);
    stream_compaction::onesweep::SortPairs<int, short> narrow_pairs(10);
}
