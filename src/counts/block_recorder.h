// Counts the accesses of one worker's blocks, as defined in recorder.h.
#pragma once

#include "src/counts/recorder.h"
#include "src/counts/request.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

class BlockRecorder {
    static constexpr unsigned kWarpSize = simt::SIMT_BACKEND::detail::kWarpSize;

    struct Range {
        std::uintptr_t first = 0;
        std::size_t bytes = 0;
        bool contains(std::uintptr_t address) const { return address - first < bytes; }
    };

    template <class T>
    static Range range_of(const T& object) {
        return {reinterpret_cast<std::uintptr_t>(&object), sizeof object};
    }

    /// The address range of the executable's thread-local variables in the calling thread.
    static Range thread_locals() {
        Range range;
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* result) {
                for (int i = 0; i < info->dlpi_phnum; ++i)
                    if (info->dlpi_phdr[i].p_type == PT_TLS)
                        *static_cast<Range*>(result) = {
                            reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data),
                            info->dlpi_phdr[i].p_memsz};
                return 1;  // the executable is the first object, and the only one that matters
            },
            &range);
        return range;
    }

    class Hash {
      public:
        Hash& add(std::uint64_t word) {
            state_ = (state_ ^ word) * 0x9E3779B97F4A7C15;
            state_ ^= state_ >> 29;
            return *this;
        }
        std::uint64_t value() const { return state_; }

      private:
        std::uint64_t state_ = 0x243F6A8885A308D3;
    };

    enum class Space { global, shared };

    /// A loop that a lane is in, or was in before.
    struct Loop {
        std::uintptr_t begin, end;
        std::uint64_t iterations;
    };

    struct Frame {
        std::uintptr_t called_from;
        std::uintptr_t at;  ///< the last address that it is known to have reached
        std::size_t first_loop;
    };

    struct Request {
        Access kind;
        Space space;
        unsigned bytes;
        Site* site;
        std::uint32_t lanes = 0;
        std::array<std::uintptr_t, kWarpSize> addresses;
    };

    /// One lane's part of a request.
    struct LaneAccess {
        Request request;
        std::uint64_t key;
        std::uintptr_t address;
    };

    struct Lane {
        std::uint64_t meeting = 0;  ///< the last one that it left; 0: the start of its block
        std::vector<Frame> frames;
        std::vector<Loop> loops;
        /// Not yet known to be a load or the first half of an atomic operation.
        std::optional<LaneAccess> atomic_load;
        bool active = false;
    };

  public:
    explicit BlockRecorder(const Recorder& recorder)
        : recorder_(recorder),
          thread_locals_(thread_locals()),
          indices_{range_of(simt::threadIdx), range_of(simt::blockIdx), range_of(simt::blockDim),
                   range_of(simt::gridDim),
                   range_of(simt::SIMT_BACKEND::detail::capability_of_grid)} {}

    void start(Range shared) {
        shared_ = shared;
        const unsigned threads = simt::blockDim.x * simt::blockDim.y * simt::blockDim.z;
        lanes_.resize(threads);
        for (Lane& lane : lanes_) {
            lane.meeting = 0;
            lane.frames.clear();
            lane.loops.clear();
            lane.atomic_load.reset();
            lane.active = false;
        }
        warps_.resize((threads + kWarpSize - 1) / kWarpSize);
        last_meeting_ = 0;
        counts_.threads += threads;
    }

    void end() {
        for (unsigned warp = 0; warp < warps_.size(); ++warp) complete_requests(warp);
        for (const Lane& lane : lanes_) counts_.active_threads += lane.active ? 1 : 0;
    }

    void meets(unsigned thread) {
        lanes_[thread].meeting = last_meeting_ + 1;
        const unsigned warp = thread / kWarpSize;
        if (meeting_warps_.empty() || meeting_warps_.back() != warp) meeting_warps_.push_back(warp);
    }
    void meeting_completes() {
        ++last_meeting_;
        for (const unsigned warp : std::exchange(meeting_warps_, {})) {
            const auto lanes = lanes_of(warp);
            if (std::ranges::any_of(
                    lanes, [&](const Lane& lane) { return lane.meeting != last_meeting_; }))
                continue;  // a part of the warp: it is unknown where it waits for the rest
            complete_requests(warp);
            for (Lane& lane : lanes)
                for (Loop& loop : lane.loops) loop.iterations = 0;
        }
    }

    LaunchCounts& counts() { return counts_; }

    bool lacks_memory = false;  ///< whether a part of its accesses was not recorded

    void access(Access kind, std::uintptr_t address, unsigned bytes, std::uintptr_t code) {
        const auto space = space_of(address);
        if (!space) return;
        const unsigned thread = running_thread();
        Lane& lane = lanes_[thread];
        lane.active = true;
        if (kind == Access::replace) {
            // The load was a part of the atomic operation.
            if (lane.atomic_load && lane.atomic_load->address == address) lane.atomic_load.reset();
            kind = Access::update;
        }
        settle(thread);
        const LaneAccess access{{kind == Access::atomic_load ? Access::load : kind,
                                 *space,
                                 bytes,
                                 &site(lane, code),
                                 0,
                                 {}},
                                key_of(lane, kind, *space, code, bytes),
                                address};
        if (kind == Access::atomic_load)
            lane.atomic_load = access;
        else
            join(thread, access);
    }

    void enter_function(std::uintptr_t called_from, std::uintptr_t code) {
        Lane& lane = lanes_[running_thread()];
        lane.frames.push_back({called_from, code, lane.loops.size()});
    }
    void leave_function() {
        Lane& lane = lanes_[running_thread()];
        if (lane.frames.empty()) return;
        lane.loops.resize(std::min(lane.loops.size(), lane.frames.back().first_loop));
        lane.frames.pop_back();
    }

    void reach(std::uintptr_t code) {
        Lane& lane = lanes_[running_thread()];
        if (lane.frames.empty()) return;
        Frame& frame = lane.frames.back();
        const auto innermost = [&]() -> Loop* {
            return lane.loops.size() > frame.first_loop ? &lane.loops.back() : nullptr;
        };
        if (code <= frame.at) {
            while (innermost() != nullptr && innermost()->begin > code) lane.loops.pop_back();
            if (Loop* const loop = innermost(); loop != nullptr && loop->begin == code) {
                ++loop->iterations;
                loop->end = std::max(loop->end, frame.at);
            } else {
                lane.loops.push_back({code, frame.at, 1});
            }
        } else {
            while (innermost() != nullptr && innermost()->end < code) lane.loops.pop_back();
        }
        frame.at = code;
    }

    /// Adds the counts since the last call to the launch.
    void hand_over(Launch& launch) {
        launch.counts += std::exchange(counts_, {});
        for (auto& [key, site] : sites_) {
            launch.counts.accesses += site.counts;
            Site& all = launch.sites[key];
            all.calls = std::move(site.calls);
            all.counts += site.counts;
        }
        sites_.clear();
    }

    using AtomicsAt = std::unordered_map<std::uintptr_t, std::uint64_t>;
    const AtomicsAt& atomics_at() const { return atomics_at_; }

  private:
    std::span<Lane> lanes_of(unsigned warp) {
        const std::size_t first = std::size_t{warp} * kWarpSize;
        return std::span(lanes_).subspan(first,
                                         std::min<std::size_t>(kWarpSize, lanes_.size() - first));
    }

    static unsigned running_thread() {
        const auto [x, y, z] = simt::threadIdx;
        return x + simt::blockDim.x * (y + simt::blockDim.y * z);
    }

    /// Returns nothing for host memory, including the stack.
    std::optional<Space> space_of(std::uintptr_t address) const {
        if (shared_.contains(address)) return Space::shared;
        if (thread_locals_.contains(address)) {
            // Static shared arrays are thread-local, but so are the thread's indices in the grid.
            if (std::ranges::any_of(indices_, [=](Range r) { return r.contains(address); }))
                return std::nullopt;
            return Space::shared;
        }
        return recorder_.is_global(address) ? std::optional(Space::global) : std::nullopt;
    }

    static std::uint64_t key_of(const Lane& lane, Access kind, Space space, std::uintptr_t code,
                                unsigned bytes) {
        Hash hash;
        hash.add(static_cast<std::uint64_t>(kind))
            .add(static_cast<std::uint64_t>(space))
            .add(bytes)
            .add(code);
        for (const Frame& frame : lane.frames) hash.add(frame.called_from);
        for (const Loop& loop : lane.loops)
            if (loop.iterations > 0) hash.add(loop.begin).add(loop.iterations);
        return hash.value();
    }

    Site& site(const Lane& lane, std::uintptr_t code) {
        Hash hash;
        hash.add(code);
        for (const Frame& frame : lane.frames) hash.add(frame.called_from);
        Site& site = sites_[hash.value()];
        if (site.calls.empty()) {
            for (const Frame& frame : lane.frames) site.calls.push_back(frame.called_from);
            site.calls.push_back(code);
        }
        return site;
    }

    /// An atomic load that was not followed by an update is a load.
    void settle(unsigned thread) {
        if (const auto load = std::exchange(lanes_[thread].atomic_load, std::nullopt))
            join(thread, *load);
    }

    void join(unsigned thread, const LaneAccess& access) {
        const std::uint32_t lane = std::uint32_t{1} << thread % kWarpSize;
        auto& requests = warps_[thread / kWarpSize];
        std::uint64_t key = access.key;
        Request* request = &requests.try_emplace(key, access.request).first->second;
        // Code that repeats outside of a loop: one more request for each repetition.
        while ((request->lanes & lane) != 0)
            request = &requests.try_emplace(++key, access.request).first->second;
        request->lanes |= lane;
        request->addresses[thread % kWarpSize] = access.address;
    }

    void complete_requests(unsigned warp) {
        const auto first = warp * kWarpSize;
        for (unsigned i = 0; i < lanes_of(warp).size(); ++i) settle(first + i);
        for (const auto& [key, request] : warps_[warp]) count(request);
        warps_[warp].clear();
    }

    void count(const Request& request) {
        std::array<std::uintptr_t, kWarpSize> of_active;
        std::size_t active = 0;
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            if ((request.lanes >> lane & 1) != 0) of_active[active++] = request.addresses[lane];
        const std::span<const std::uintptr_t> addresses(of_active.data(), active);
        AccessCounts& counts = request.site->counts;
        if (request.kind == Access::update) {
            (request.space == Space::global ? counts.global_atomics : counts.shared_atomics) +=
                atomic_request(addresses);
            if (request.space == Space::global)
                for (const std::uintptr_t address : addresses) ++atomics_at_[address];
        } else if (request.space == Space::shared) {
            counts.shared += shared_request(addresses, request.lanes, request.bytes);
        } else {
            (request.kind == Access::load ? counts.loads : counts.stores) +=
                global_request(addresses, request.bytes);
        }
    }

    const Recorder& recorder_;
    const Range thread_locals_;
    const std::array<Range, 5> indices_;
    Range shared_;
    std::vector<Lane> lanes_;
    /// Requests of the current block.
    std::vector<std::unordered_map<std::uint64_t, Request>> warps_;
    std::uint64_t last_meeting_ = 0;
    std::vector<unsigned> meeting_warps_;

    LaunchCounts counts_;
    std::unordered_map<std::uint64_t, Site> sites_;
    AtomicsAt atomics_at_;  ///< addresses of global memory
};

}  // namespace stream_compaction::inline SIMT_BACKEND
