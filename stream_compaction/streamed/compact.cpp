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

std::size_t slots_size(const Ring& ring) { return ring.slots * round_up(ring.piece); }

std::size_t bytes_of(const Ring& ring) {
    return slots_size(ring) * sizeof(int) + single_pass::Compact<>::workspace_bytes(ring.piece);
}

}  // namespace

template <>
struct HostPlan<Operation::compact>::Machinery {
    static std::size_t least_bytes(std::size_t n) { return bytes_of(least_ring(n)); }

    Machinery(std::size_t n, const Limits& limits)
        : limits(limits),
          ring(ring_for(n, limits, bytes_of)),
          slots(slots_size(ring)),
          compact(ring.piece),
          counts(ring.slots),
          pipeline(limits.threads, ring.piece, buffers_for(n, ring.piece)) {
        for (std::size_t i = 0; i < ring.slots; ++i)
            compacted.push_back(simt::Event::without_time());
    }

    Limits limits;
    Ring ring;
    simt::DeviceArray<int> slots;
    single_pass::Compact<> compact;
    simt::PinnedArray<std::size_t> counts;  // of each slot; the kernel writes it
    std::vector<simt::Event> compacted;     // of each slot
    Pipeline pipeline;
};

template class HostPlan<Operation::compact>;

void Compact::enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                      Stopwatch*) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_same_or_apart({in, n}, {out, n});
    std::size_t kept = 0;
    if (n > 0) {
        auto& [limits, ring, slots, compact, counts, compacted, pipeline] = *machinery_;
        const std::size_t piece = std::min(ring.piece, piece_for(n, limits));
        const std::size_t pieces = ceil_div(n, piece);
        const auto slot = [&](std::size_t i) {
            return slots.data() + i % ring.slots * round_up(ring.piece);
        };
        const auto size = [&](std::size_t i) { return std::min(piece, n - i * piece); };
        const Transfer transfer(2 * n * sizeof(int));
        pipeline.run([&] {
            for (std::size_t i = 0; i < pieces; ++i)
                pipeline.upload(in + i * piece, slot(i), size(i),
                                i < ring.slots ? 0 : i - ring.slots + 1);
            for (std::size_t launched = 0, counted = 0; counted < pieces;) {
                // While no piece has arrived, wait for the count of the oldest one.
                const bool waits_for_piece =
                    launched == counted || (launched < pieces && pipeline.can_take_upload());
                if (waits_for_piece) {
                    const std::size_t i = launched++;
                    pipeline.take_upload();
                    compact.enqueue(slot(i), slot(i), counts.data() + i % ring.slots, size(i),
                                    pipeline.stream());
                    compacted[i % ring.slots].record(pipeline.stream());
                } else {
                    const std::size_t i = counted++;
                    const simt::Event& done = compacted[i % ring.slots];
                    pipeline.wait_for(done);
                    const std::size_t of_piece = counts.data()[i % ring.slots];
                    require_possible(of_piece, size(i));
                    transfer.leave_out((size(i) - of_piece) * sizeof(int));
                    pipeline.download(slot(i), out + kept, of_piece, done);
                    kept += of_piece;
                }
            }
        });
    }
    *count = kept;
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Compact>(input, output, tuning);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
