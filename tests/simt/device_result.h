// The output of a kernel, copied to the host.
#pragma once

#include "simt/kernel.h"
#include "simt/memory.h"

#include <cstddef>
#include <span>
#include <vector>

namespace simt::inline SIMT_BACKEND::test {

/// Launches kernel(T* out, arguments...) with an `out` of this size, and returns its content.
template <class T, class... Parameters, class... Arguments>
std::vector<T> device_result(std::size_t size, void (*kernel)(T*, Parameters...),
                             const LaunchConfig& config, const Arguments&... arguments) {
    DeviceArray<T> out(size);
    // Elements that the kernel does not write are also defined.
    fill_async(out.data(), 0xCD, size * sizeof(T));
    synchronize();
    launch(kernel, config, out.data(), arguments...);
    std::vector<T> result(size);
    out.copy_to(result);
    return result;
}

template <class T>
DeviceArray<T> to_device(const std::vector<T>& host) {
    return DeviceArray<T>(std::span<const T>(host));
}

}  // namespace simt::inline SIMT_BACKEND::test
