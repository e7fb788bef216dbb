// A fake of NVIDIA's management library: a device at "works", one at "hot" that heat slows down,
// and one at "fails" that reports neither its clock nor its energy. Variants of the fake lack
// functions.
#include <cstdio>
#include <cstring>

struct nvmlDevice_st {
    bool works;
    bool is_hot;
};

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
    std::snprintf(version, length, "580.82.07");
    return 0;
}

#if !defined(LACKS_CLOCK)
int nvmlDeviceGetClockInfo(nvmlDevice_st* device, unsigned type, unsigned* megahertz) {
    constexpr unsigned kMultiprocessors = 1;
    *megahertz = type == kMultiprocessors ? 1965 : 1980;
    return device->works ? 0 : 999;
}
#endif

int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_st* device, unsigned long long* reasons) {
    *reasons = device->is_hot ? 0x20 : 0x1;  // 1: idle
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvmlDevice_st** device) {
    static nvmlDevice_st works{true, false}, hot{true, true}, fails{false, false};
    *device = std::strcmp(bus, "works") == 0 ? &works
              : std::strcmp(bus, "hot") == 0 ? &hot
                                             : &fails;
    return *device != &fails || std::strcmp(bus, "fails") == 0 ? 0 : 6;
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_st* device, unsigned* percents) {
    percents[0] = 63;  // of the time in which kernels run
    percents[1] = 17;  // of the time in which memory is accessed
    return device->works ? 0 : 3;
}

#if !defined(LACKS_ENERGY)
int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_st* device, unsigned long long* millijoules) {
    static unsigned long long consumed = 1ull << 40;
    *millijoules = ++consumed;
    return device->works ? 0 : 3;
}
#endif

}  // extern "C"
