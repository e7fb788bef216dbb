#include "simt/device.h"

#include "simt/cuda/check.h"
#include "simt/device_profile.h"
#include "simt/memory_budget.h"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace simt::inline SIMT_BACKEND {

std::optional<std::string> unavailable_reason() noexcept {
    int devices = 0;  // cudaGetDeviceCount leaves it untouched when it fails
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status == cudaErrorInsufficientDriver) {
        int driver = 0;
        (void)cudaDriverGetVersion(&driver);
        return driver == 0 ? "no NVIDIA driver is installed"
                           : "the NVIDIA driver is older than this program's CUDA runtime";
    }
    if (status != cudaSuccess) return cudaGetErrorString(status);
    if (devices == 0) return "no NVIDIA GPU was found";
    const cudaError_t context = cudaFree(nullptr);  // busy or broken devices fail here
    if (context != cudaSuccess) return cudaGetErrorString(context);
    return std::nullopt;
}

unsigned device_count() {
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    return static_cast<unsigned>(devices);
}

void use_device(unsigned device) { check(cudaSetDevice(static_cast<int>(device))); }

unsigned current_device() {
    int device = 0;
    check(cudaGetDevice(&device));
    return static_cast<unsigned>(device);
}

bool enable_access_to(unsigned device) {
    const auto own = static_cast<int>(current_device()), other = static_cast<int>(device);
    if (own == other) return true;
    int is_possible = 0;
    check(cudaDeviceCanAccessPeer(&is_possible, own, other));
    if (is_possible == 0) return false;
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError();  // the next call must not report it
    else
        check(status);
    return true;
}

DeviceProperties device_properties() {
    cudaDeviceProp cuda{};
    check(cudaGetDeviceProperties(&cuda, static_cast<int>(current_device())));
    DeviceProperties properties{
        .name = cuda.name,
        .compute_capability = 10 * cuda.major + cuda.minor,
        .multiprocessors = cuda.multiProcessorCount,
        .shared_bytes_per_block = cuda.sharedMemPerBlockOptin,
        .shared_bytes_per_multiprocessor = cuda.sharedMemPerMultiprocessor,
        .reserved_shared_bytes = cuda.reservedSharedMemPerBlock,
        .l2_bytes = static_cast<std::size_t>(cuda.l2CacheSize),
    };
    if (const DeviceProfile* const profile = device_profile_of_environment()) {
        const auto limit = [](auto& what, auto most) { what = std::min(what, most); };
        limit(properties.compute_capability, profile->compute_capability);
        limit(properties.shared_bytes_per_block, profile->shared_bytes_per_block);
        limit(properties.shared_bytes_per_multiprocessor, profile->shared_bytes_per_multiprocessor);
    }
    check(cudaDriverGetVersion(&properties.driver_version));
    check(cudaRuntimeGetVersion(&properties.runtime_version));
    return properties;
}

MemoryInfo memory_info() {
    MemoryInfo info;
    check(cudaMemGetInfo(&info.free, &info.total));
    return detail::memory_budget.within_limit(info);
}

}  // namespace simt::inline SIMT_BACKEND
