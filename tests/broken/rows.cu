#include "tests/broken/rows.h"

#include "simt/kernel.h"
#include "simt/memory.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/transfer_watch.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

__global__ void compact_wrongly(const int* in, int* out, std::size_t* count, std::size_t n) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (in[i] != 0) out[kept++] = in[i];
    if (kept > 0) ++out[kept / 2];
    *count = kept;
}

/// After this fault a GPU answers no more calls of this process; the emulation detects a broken
/// rule.
__global__ void fault(int* nowhere) {
#if defined(SIMT_EMULATED)
    if (nowhere == nullptr) __syncwarp(2);  // executed by lane 0, which is not in that mask
#else
    *nowhere = 1;
#endif
}

/// The common part of both plans.
class BrokenPlan : public Plan {
  public:
    BrokenPlan(std::size_t n, const Tuning&) : workspace_(n) {}

  private:
    simt::DeviceArray<char> workspace_;
};

class WrongPlan final : public BrokenPlan {
  public:
    using BrokenPlan::BrokenPlan;
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t stream,
                 Stopwatch*) override {
        simt::launch(compact_wrongly, {1, 1, 0, stream}, in, out, count, n);
    }
};

class FaultyPlan final : public BrokenPlan {
  public:
    using BrokenPlan::BrokenPlan;
    void enqueue(const int*, int*, std::size_t*, std::size_t, simt::stream_t stream,
                 Stopwatch*) override {
        simt::launch(fault, {1, 1, 0, stream}, nullptr);
    }
};

template <class P>
Outcome run(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_device<P>(input, output, tuning);
}

template <class P>
Algorithm row(std::string_view name) {
    return {.operation = Operation::compact,
            .name = name,
            .description = "for tests",
            .runs_on = Place::device,
            .run = run<P>,
            .make_plan = [](std::size_t n, const Tuning& tuning) -> std::unique_ptr<Plan> {
                return std::make_unique<P>(n, tuning);
            },
            .workspace_bytes = [](std::size_t n, const Tuning&) { return n; }};
}

/// The function of the reference.
decltype(Algorithm::run) scan_quickly = nullptr;

Outcome scan_slowly(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    if (TransferWatch* const watch = TransferWatch::of_this_thread()) {
        const Transfer transfer(4'000'000'000);
        watch->add_moved(1'000'000'000);
        while (!std::filesystem::exists(std::getenv("BROKEN_SLOW_ENDS")))
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return scan_quickly(input, output, tuning);
}

}  // namespace

const Registry& registry_with_broken_rows() {
    static const std::vector<Algorithm> rows = [] {
        std::vector<Algorithm> all;
        for (const Algorithm& right : registry(simt::kBackend)->rows) {
            const bool is_reference = all.empty() || all.back().operation != right.operation;
            all.push_back(right);
            if (is_reference && right.operation == Operation::scan) {
                scan_quickly = right.run;
                all.push_back(right);
                all.back().name = "broken_slow";
                all.back().run = scan_slowly;
            }
            if (!is_reference || right.operation != Operation::compact) continue;
            all.push_back(row<WrongPlan>("broken_wrong"));
            all.push_back(row<FaultyPlan>("broken_fault"));
        }
        return all;
    }();
    static const Registry with_broken_rows = [] {
        Registry all = *registry(simt::kBackend);
        all.rows = rows;
        return all;
    }();
    return with_broken_rows;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
