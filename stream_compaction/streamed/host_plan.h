// How a plan is made and moved. A source defines its Machinery, includes this header, and
// instantiates the class.
#pragma once

#include "stream_compaction/streamed.h"
#include "stream_compaction/streamed/sizes.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace stream_compaction::inline SIMT_BACKEND::streamed {

template <Operation operation>
HostPlan<operation>::HostPlan(std::size_t n, const Tuning& tuning, const Limits& limits)
    : capacity_(n) {
    require({}, tuning);
    const std::size_t least = workspace_bytes(n);
    if (limits.max_device_bytes != 0 && limits.max_device_bytes < least)
        throw std::invalid_argument("streamed::Limits::max_device_bytes: given " +
                                    std::to_string(limits.max_device_bytes) +
                                    ", allowed are at least " + std::to_string(least) + " for " +
                                    std::to_string(n) + " elements");
    if (n > 0) machinery_ = std::make_unique<Machinery>(n, complete(limits, n));
}

template <Operation operation>
HostPlan<operation>::HostPlan(HostPlan&&) noexcept = default;
template <Operation operation>
HostPlan<operation>& HostPlan<operation>::operator=(HostPlan&&) noexcept = default;
template <Operation operation>
HostPlan<operation>::~HostPlan() = default;

template <Operation operation>
std::size_t HostPlan<operation>::workspace_bytes(std::size_t n, const Tuning&) {
    require_size(n);
    return n == 0 ? 0 : Machinery::least_bytes(n);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::streamed
