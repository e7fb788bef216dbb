// Chooses the backend that a program runs on, and explains the choice.
#pragma once

#include "stream_compaction/registry.h"

#include <stdexcept>
#include <string>

namespace stream_compaction {

/// The backend that the user requests.
enum class BackendWish { automatic, cuda, emulated };

/// A GPU is needed, and there is none: the program prints the message and returns ExitCode::cuda.
class NoUsableGpu : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The backends of this build; nullptr if a backend is missing.
struct BuiltBackends {
    const Registry* cuda;
    const Registry* emulated;
};

/// The backend to run on.
struct ChosenBackend {
    const Registry* registry;
    std::string note;  ///< one line for the user if it is not the GPU that they may expect
};

/// @throws UsageError, NoUsableGpu
ChosenBackend choose_backend(BackendWish wish, const BuiltBackends& built);

/// "NVIDIA H200 (CUDA 13.0, CUB 3.0.1, driver for CUDA 13.1)"
std::string describe_machine(const Registry& registry);

}  // namespace stream_compaction
