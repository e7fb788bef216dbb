// Which blocks of a launch are alone on a multiprocessor, where it has as many as the device holds.
// CUDA does not say; but a device puts them in the same places each time, when nothing else runs
// there. (An H100 fills eight of its 132 multiprocessors before the others get a second block.)
#pragma once

#include "simt/kernel.h"
#include "simt/memory.h"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix {
namespace {

/// The first of so many neighbours among the blocks, which are on more multiprocessors than any
/// others.
/// @param multiprocessors of each block, in the order of their numbers
unsigned first_spread(std::span<const unsigned> multiprocessors, std::size_t neighbours) {
    std::map<unsigned, unsigned> blocks_on;
    std::size_t first = 0, most = 0;
    for (std::size_t i = 0; i < multiprocessors.size(); ++i) {
        ++blocks_on[multiprocessors[i]];
        if (i + 1 < neighbours) continue;
        const std::size_t begin = i + 1 - neighbours;
        if (blocks_on.size() > most) first = begin, most = blocks_on.size();
        if (--blocks_on[multiprocessors[begin]] == 0) blocks_on.erase(multiprocessors[begin]);
    }
    return static_cast<unsigned>(first);
}

template <unsigned kThreadsOfBlock>
__global__ void __launch_bounds__(kThreadsOfBlock, 2) record_multiprocessors(unsigned* of_blocks) {
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = simt::multiprocessor();
}

/// The same of a cooperative launch of `blocks` blocks, each with so much shared memory.
/// @param memory for a word of each block
/// @throws simt::Error
template <unsigned kThreadsOfBlock>
unsigned find_first_spread(unsigned blocks, std::size_t shared_bytes, unsigned multiprocessors,
                           simt::DeviceArray<std::byte>& memory) {
    if (blocks <= multiprocessors) return 0;
    simt::launch(record_multiprocessors<kThreadsOfBlock>,
                 {blocks, kThreadsOfBlock, shared_bytes, nullptr, true},
                 reinterpret_cast<unsigned*>(memory.data()));
    std::vector<unsigned> of_blocks(blocks);
    memory.copy_to(std::as_writable_bytes(std::span(of_blocks)));
    return first_spread(of_blocks, multiprocessors);
}

}  // namespace
}  // namespace stream_compaction::inline SIMT_BACKEND::hybrid_radix
