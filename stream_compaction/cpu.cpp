#include "stream_compaction/cpu.h"

#include "stream_compaction/capacity.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"

#include <algorithm>
#include <limits>

namespace stream_compaction::cpu {

Scan::Scan(std::size_t n, const Tuning& tuning) : capacity_(n) { require({}, tuning); }

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const unsigned value = in[i];  // read before it is overwritten, because in may be out
        out[i] = sum;
        sum += value;
    }
}

Compact::Compact(std::size_t n, const Tuning& tuning) : capacity_(n) { require({}, tuning); }

void Compact::enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                      Stopwatch*) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_same_or_apart({in, n}, {out, n});
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (in[i] != 0) out[kept++] = in[i];
    *count = kept;
}

CompactWithScan::CompactWithScan(std::size_t n, const Tuning& tuning) : capacity_(n) {
    require({}, tuning);
    if (n <= std::numeric_limits<std::uint32_t>::max())
        positions_ = std::vector<std::uint32_t>(n);
    else
        positions_ = std::vector<std::uint64_t>(n);
}

void CompactWithScan::enqueue(const int* in, int* out, std::size_t* count, std::size_t n,
                              simt::stream_t, Stopwatch* phases) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_same_or_apart({in, n}, {out, n});
    std::visit(
        [&](auto& positions) {
            for (std::size_t i = 0; i < n; ++i) positions[i] = in[i] != 0;
            if (phases != nullptr) phases->mark();

            std::size_t kept = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const bool keep = positions[i] != 0;
                positions[i] = kept;
                kept += keep;
            }
            if (phases != nullptr) phases->mark();

            for (std::size_t i = 0; i < n; ++i)
                if (in[i] != 0) out[positions[i]] = in[i];
            *count = kept;
        },
        positions_);
}

Sort::Sort(std::size_t n, const Tuning& tuning) : capacity_(n) { require({}, tuning); }

void Sort::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    if (in != out) std::copy_n(in, n, out);
    std::sort(out, out + n);
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Compact>(input, output, tuning);
}

Outcome compact_with_scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<CompactWithScan>(input, output, tuning);
}

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Sort>(input, output, tuning);
}

}  // namespace stream_compaction::cpu
