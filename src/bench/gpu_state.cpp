#include "src/bench/gpu_state.h"

#if !defined(SIMT_EMULATED)
#include <cuda_runtime_api.h>
#endif

namespace stream_compaction::inline SIMT_BACKEND {

#if defined(SIMT_EMULATED)

GpuState::GpuState() : unknown_("the emulated backend has no energy counter") {}

#else

GpuState::GpuState() {
    int current = 0;
    char bus[32] = {};
    if (cudaGetDevice(&current) != cudaSuccess ||
        cudaDeviceGetPCIBusId(bus, sizeof bus, current) != cudaSuccess) {
        unknown_ = "CUDA does not report the PCI address of the GPU";
        return;
    }
    try {
        nvml_.emplace(bus);
    } catch (const NvmlError& error) {
        unknown_ = error.what();
    }
}

#endif

std::optional<std::string> GpuState::driver_version() const {
    return nvml_ ? nvml_->driver_version() : std::nullopt;
}

GpuClock GpuState::clock() const { return nvml_ ? nvml_->clock() : GpuClock{}; }

std::optional<unsigned> GpuState::busy_percent() const {
    return nvml_ ? nvml_->busy_percent() : std::nullopt;
}

double GpuState::millijoules() const {
    if (!nvml_) throw NvmlError(unknown_);
    return nvml_->millijoules();
}

}  // namespace stream_compaction::inline SIMT_BACKEND
