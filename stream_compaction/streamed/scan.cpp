// A slot on the device holds a piece and a word before and after it:
//
//     | ... carry | piece: x0 x1 x2 ... | next |
//
// The exclusive sum of `carry` to `next`, in place, is 0, carry, carry + x0, carry + x0 + x1, ...:
// the results of the piece are where the piece was, and `next` has become the next slot's carry. So
// the sum passes from piece to piece by a copy of one word on the device, and no kernel except the
// scan itself is needed.
#include "simt/checked_size.h"
#include "simt/memory.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"
#include "stream_compaction/parts/pipeline.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/streamed.h"
#include "stream_compaction/streamed/host_plan.h"
#include "stream_compaction/streamed/sizes.h"
#include "stream_compaction/transfer_watch.h"

#include <algorithm>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND::streamed {
namespace {

/// Distance between slots: each carry is directly before an aligned piece.
std::size_t stride(std::size_t piece) { return kAligned + round_up(piece + 1); }

std::size_t slots_size(const Ring& ring) { return ring.slots * stride(ring.piece); }

std::size_t bytes_of(const Ring& ring) {
    return slots_size(ring) * sizeof(int) + single_pass::Scan<>::workspace_bytes(ring.piece + 2);
}

}  // namespace

template <>
struct HostPlan<Operation::scan>::Machinery {
    static std::size_t least_bytes(std::size_t n) { return bytes_of(least_ring(n)); }

    Machinery(std::size_t n, const Limits& limits)
        : limits(limits),
          ring(ring_for(n, limits, bytes_of)),
          slots(slots_size(ring)),
          scan(ring.piece + 2),
          pipeline(limits.threads, ring.piece, buffers_for(n, ring.piece)) {
        for (std::size_t i = 0; i < ring.slots; ++i) scanned.push_back(simt::Event::without_time());
        // A scan reads the word after a piece, but its value does not matter.
        simt::fill_async(slots.data(), 0, slots.size() * sizeof(int));
        simt::synchronize();
    }

    int* piece_at(std::size_t i) {
        return slots.data() + i % ring.slots * stride(ring.piece) + kAligned;
    }

    Limits limits;
    Ring ring;
    simt::DeviceArray<int> slots;
    single_pass::Scan<> scan;
    std::vector<simt::Event> scanned;  // for each slot
    Pipeline pipeline;
};

template class HostPlan<Operation::scan>;

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (n == 0) return;
    auto& [limits, ring, slots, scan, scanned, pipeline] = *machinery_;
    const std::size_t piece = std::min(ring.piece, piece_for(n, limits));
    const std::size_t pieces = ceil_div(n, piece);
    const auto size = [&](std::size_t i) { return std::min(piece, n - i * piece); };
    const Transfer transfer(2 * n * sizeof(int));
    pipeline.run([&] {
        for (std::size_t i = 0; i < pieces; ++i)
            pipeline.upload(in + i * piece, machinery_->piece_at(i), size(i),
                            i < ring.slots ? 0 : i - ring.slots + 1);
        simt::fill_async(machinery_->piece_at(0) - 1, 0, sizeof(int), pipeline.stream());
        for (std::size_t i = 0; i < pieces; ++i) {
            int* const here = machinery_->piece_at(i);
            pipeline.take_upload();
            scan.enqueue(here - 1, here - 1, size(i) + 2, pipeline.stream());
            simt::Event& done = scanned[i % ring.slots];
            done.record(pipeline.stream());
            pipeline.download(here, out + i * piece, size(i), done);
            if (i + 1 < pieces)
                simt::copy_async(machinery_->piece_at(i + 1) - 1, here + size(i), sizeof(int),
                                 pipeline.stream());
        }
    });
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Scan>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
