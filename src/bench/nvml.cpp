#include "src/bench/nvml.h"

#include <dlfcn.h>

namespace stream_compaction {
namespace {

// From nvml.h, which the toolkit contains, but not each of its packages.
using Device = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr unsigned kMultiprocessorClock = 1;
constexpr unsigned long long kHardwareSlowdown = 0x8, kSoftwareThermal = 0x20,
                             kHardwareThermal = 0x40;
struct Utilization {
    unsigned gpu = 0, memory = 0;  // percent
};
constexpr const char* kEnergy = "nvmlDeviceGetTotalEnergyConsumption";

}  // namespace

struct Nvml::Library {
    std::string name;
    void* handle = nullptr;
    Device device = nullptr;
    int (*shutdown)() = nullptr;
    int (*get_driver_version)(char*, unsigned) = nullptr;
    int (*get_clock)(Device, unsigned, unsigned*) = nullptr;
    int (*get_throttle_reasons)(Device, unsigned long long*) = nullptr;
    int (*get_use)(Device, Utilization*) = nullptr;
    int (*get_energy)(Device, unsigned long long*) = nullptr;  ///< older drivers do not have it

    ~Library() {
        if (shutdown != nullptr) (void)shutdown();
        if (handle != nullptr) (void)dlclose(handle);
    }

    template <class Function>
    void find(Function& function, const char* symbol) const {
        function = reinterpret_cast<Function>(dlsym(handle, symbol));
    }
    template <class Function>
    void require(Function& function, const char* symbol) const {
        find(function, symbol);
        if (function == nullptr) throw NvmlError(name + " has no " + symbol);
    }
    void succeed(int result, const char* symbol) const {
        if (result != kSuccess)
            throw NvmlError(name + ": " + symbol + " returned " + std::to_string(result));
    }

    void open(const std::string& bus) {
        handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) throw NvmlError(name + " cannot be loaded");
        int (*initialize)() = nullptr;
        int (*get_device)(const char*, Device*) = nullptr;
        require(initialize, "nvmlInit_v2");
        succeed(initialize(), "nvmlInit_v2");
        find(shutdown, "nvmlShutdown");
        require(get_driver_version, "nvmlSystemGetDriverVersion");
        require(get_clock, "nvmlDeviceGetClockInfo");
        require(get_throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
        require(get_device, "nvmlDeviceGetHandleByPciBusId_v2");
        succeed(get_device(bus.c_str(), &device), "nvmlDeviceGetHandleByPciBusId_v2");
        require(get_use, "nvmlDeviceGetUtilizationRates");
        find(get_energy, kEnergy);
    }
};

Nvml::Nvml(const std::string& bus, const std::string& library)
    : library_(std::make_unique<Library>()) {
    library_->name = library;
    library_->open(bus);
}

Nvml::~Nvml() = default;

std::optional<std::string> Nvml::driver_version() const {
    char version[96] = {};
    if (library_->get_driver_version(version, sizeof version) != kSuccess) return std::nullopt;
    return version;
}

GpuClock Nvml::clock() const {
    unsigned megahertz = 0;
    unsigned long long reasons = 0;
    if (library_->get_clock(library_->device, kMultiprocessorClock, &megahertz) != kSuccess ||
        megahertz == 0)
        return {.is_throttled = true};
    if (library_->get_throttle_reasons(library_->device, &reasons) != kSuccess) reasons = 0;
    return {
        .megahertz = static_cast<double>(megahertz),
        .is_throttled = (reasons & (kHardwareSlowdown | kSoftwareThermal | kHardwareThermal)) != 0};
}

std::optional<unsigned> Nvml::busy_percent() const {
    Utilization use;
    if (library_->get_use(library_->device, &use) != kSuccess) return std::nullopt;
    return use.gpu;
}

double Nvml::millijoules() const {
    if (library_->get_energy == nullptr) throw NvmlError(library_->name + " has no " + kEnergy);
    unsigned long long millijoules = 0;
    library_->succeed(library_->get_energy(library_->device, &millijoules), kEnergy);
    return static_cast<double>(millijoules);
}

}  // namespace stream_compaction
