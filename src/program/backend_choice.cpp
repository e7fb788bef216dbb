#include "src/program/backend_choice.h"

#include "src/command_line/usage_error.h"
#include "src/program/versions.h"

#include <optional>

namespace stream_compaction {
namespace {

std::optional<std::string> why_no_gpu(const Registry* cuda) {
    return cuda == nullptr ? "the program was built without CUDA" : cuda->unavailable_reason();
}

}  // namespace

ChosenBackend choose_backend(BackendWish wish, const BuiltBackends& built) {
    if (wish == BackendWish::emulated) {
        if (built.emulated == nullptr)
            throw UsageError("--backend", "emulated",
                             "auto or cuda: the program was built without Boost.Context");
        return {built.emulated, {}};
    }
    const auto reason = why_no_gpu(built.cuda);
    if (!reason) return {built.cuda, {}};
    if (wish == BackendWish::cuda) throw NoUsableGpu("--backend cuda: " + *reason);
    if (built.emulated == nullptr)
        throw NoUsableGpu("no usable GPU: " + *reason +
                          "; the program was built without the backend that emulates one");
    return {built.emulated, "no usable GPU: " + *reason + "; the CPU executes the kernels"};
}

std::string describe_machine(const Registry& registry) {
    const simt::DeviceProperties properties = registry.device_properties();
    if (registry.backend == simt::Backend::emulated)
        return properties.name + ", kernels emulated on the CPU";
    return properties.name + " (CUDA " + cuda_version(properties.runtime_version) + ", CUB " +
           cub_version(registry.cub_version) + ", driver for CUDA " +
           cuda_version(properties.driver_version) + ")";
}

}  // namespace stream_compaction
