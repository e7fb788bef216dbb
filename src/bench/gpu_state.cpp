#include "src/bench/gpu_state.h"

#if !defined(SIMT_EMULATED)
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#endif

namespace stream_compaction::inline SIMT_BACKEND {

#if defined(SIMT_EMULATED)

struct GpuState::Library {};
GpuState::GpuState() = default;
GpuState::~GpuState() = default;
std::optional<std::string> GpuState::driver_version() const { return std::nullopt; }
bool GpuState::is_throttled() const { return false; }

#else

namespace {

// From nvml.h, which comes with the toolkit but not with every part of it.
using Device = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr unsigned kGraphicsClock = 0;
constexpr unsigned long long kHardwareSlowdown = 0x8, kSoftwareThermal = 0x20,
                             kHardwareThermal = 0x40;

}  // namespace

struct GpuState::Library {
    void* handle = nullptr;
    Device device = nullptr;
    int (*shutdown)() = nullptr;
    int (*get_driver_version)(char*, unsigned) = nullptr;
    int (*get_clock)(Device, unsigned, unsigned*) = nullptr;
    int (*get_throttle_reasons)(Device, unsigned long long*) = nullptr;

    ~Library() {
        if (shutdown != nullptr) (void)shutdown();
        if (handle != nullptr) (void)dlclose(handle);
    }

    template <class Function>
    bool load(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(handle, name));
        return function != nullptr;
    }

    /// False where something is missing.
    bool open() {
        int (*initialize)() = nullptr;
        int (*get_device)(const char*, Device*) = nullptr;
        handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr || !load(initialize, "nvmlInit_v2") || initialize() != kSuccess)
            return false;
        (void)load(shutdown, "nvmlShutdown");
        // The two libraries count devices differently; the place on the bus is the same.
        int current = 0;
        char bus[32] = {};
        if (cudaGetDevice(&current) != cudaSuccess ||
            cudaDeviceGetPCIBusId(bus, sizeof bus, current) != cudaSuccess)
            return false;
        return load(get_driver_version, "nvmlSystemGetDriverVersion") &&
               load(get_clock, "nvmlDeviceGetClockInfo") &&
               load(get_throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons") &&
               load(get_device, "nvmlDeviceGetHandleByPciBusId_v2") &&
               get_device(bus, &device) == kSuccess;
    }
};

GpuState::GpuState() {
    auto library = std::make_unique<Library>();
    if (library->open()) library_ = std::move(library);
}

GpuState::~GpuState() = default;

std::optional<std::string> GpuState::driver_version() const {
    char version[96] = {};
    if (!library_ || library_->get_driver_version(version, sizeof version) != kSuccess)
        return std::nullopt;
    return version;
}

bool GpuState::is_throttled() const {
    if (!library_) return false;
    unsigned megahertz = 0;
    unsigned long long reasons = 0;
    if (library_->get_clock(library_->device, kGraphicsClock, &megahertz) != kSuccess ||
        megahertz == 0)
        return true;
    if (library_->get_throttle_reasons(library_->device, &reasons) != kSuccess) return false;
    return (reasons & (kHardwareSlowdown | kSoftwareThermal | kHardwareThermal)) != 0;
}

#endif

}  // namespace stream_compaction::inline SIMT_BACKEND
