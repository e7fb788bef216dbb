#include "src/counts/recorder.h"

#include "src/counts/block_recorder.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

thread_local BlockRecorder* current_block = nullptr;

/// Calls f(recorder) for the block that the calling OS thread runs, if any. Functions that f calls
/// may be instrumented themselves, if the linker has kept the instrumented one of two equal
/// functions; their accesses are ignored.
template <class F>
void with_running_block(F f) {
    BlockRecorder* const block = std::exchange(current_block, nullptr);
    if (block == nullptr) return;
    try {
        f(*block);
        current_block = block;
    } catch (const std::bad_alloc&) {
        // The compiler believes that its calls throw nothing, so the launch throws when it ends.
        // The rest of the block is not recorded.
        block->lacks_memory = true;
    }
}

}  // namespace

void note_access(Access kind, std::uintptr_t address, unsigned bytes, std::uintptr_t code) {
    with_running_block([=](BlockRecorder& block) { block.access(kind, address, bytes, code); });
}
void enter_function(std::uintptr_t called_from, std::uintptr_t code) {
    with_running_block([=](BlockRecorder& block) { block.enter_function(called_from, code); });
}
void leave_function() {
    with_running_block([](BlockRecorder& block) { block.leave_function(); });
}
void reach(std::uintptr_t code) {
    with_running_block([=](BlockRecorder& block) { block.reach(code); });
}

Recorder::Recorder() { simt::watcher = this; }
Recorder::~Recorder() { simt::watcher = nullptr; }

std::vector<Launch> Recorder::take() { return std::exchange(launches_, {}); }

void Recorder::allocated(const void* memory, std::size_t bytes) {
    memory_[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}
void Recorder::released(const void* memory) {
    memory_.erase(reinterpret_cast<std::uintptr_t>(memory));
}

bool Recorder::is_global(std::uintptr_t address) const {
    const auto after = memory_.upper_bound(address);
    if (after == memory_.begin()) return false;
    const auto& [first, bytes] = *std::prev(after);
    return address - first < bytes;
}

void Recorder::launch_starts(const simt::LaunchConfig& config, const void* kernel) {
    blocks_.clear();  // left over by a launch that failed
    launch_ = {};
    launch_.kernel = reinterpret_cast<std::uintptr_t>(kernel);
    launch_.where = config.where;
    launch_.grid = {config.grid.x, config.grid.y, config.grid.z};
    launch_.block = {config.block.x, config.block.y, config.block.z};
    launch_.shared_bytes = config.shared_bytes;
}

void Recorder::launch_ends() {
    if (std::ranges::any_of(blocks_, [](const auto& one) { return one.second->lacks_memory; })) {
        blocks_.clear();
        throw std::bad_alloc();
    }
    BlockRecorder::AtomicsAt atomics_at;
    for (const auto& [thread, block] : blocks_) {
        for (const auto& [address, operations] : block->atomics_at())
            atomics_at[address] += operations;
        block->hand_over(launch_);
    }
    for (const auto& [address, operations] : atomics_at)
        launch_.counts.most_atomics = std::max(launch_.counts.most_atomics, operations);
    launches_.push_back(std::move(launch_));
}

void Recorder::block_starts(const void* shared, std::size_t shared_bytes) {
    const std::lock_guard lock(mutex_);
    auto& block = blocks_[std::this_thread::get_id()];
    if (block == nullptr) block = std::make_unique<BlockRecorder>(*this);
    block->start({reinterpret_cast<std::uintptr_t>(shared), shared_bytes});
    current_block = block.get();
}
void Recorder::block_ends() {
    with_running_block([](BlockRecorder& block) { block.end(); });
    current_block = nullptr;
}

void Recorder::meets(unsigned thread) {
    with_running_block([=](BlockRecorder& block) { block.meets(thread); });
}
void Recorder::barrier_completes() {
    with_running_block([](BlockRecorder& block) {
        ++block.counts().barriers;
        block.meeting_completes();
    });
}
void Recorder::collective_completes() {
    with_running_block([](BlockRecorder& block) {
        ++block.counts().collectives;
        block.meeting_completes();
    });
}

void Recorder::bulk_load(unsigned bytes) {
    with_running_block([=](BlockRecorder& block) { block.counts().bulk_loads += {1, bytes}; });
}

}  // namespace stream_compaction::inline SIMT_BACKEND
