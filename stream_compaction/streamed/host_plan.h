// How a plan is made and moved. A source defines its Machinery, includes this header, and
// instantiates the class.
#pragma once

#include "stream_compaction/streamed.h"
#include "stream_compaction/streamed/sizes.h"

namespace stream_compaction::inline SIMT_BACKEND::streamed {

template <Operation operation>
HostPlan<operation>::HostPlan(std::size_t n, const Tuning& tuning, const Limits& limits)
    : capacity_(n) {
    require({}, tuning);
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
