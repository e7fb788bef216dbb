// Which backend a program runs on, and what it says about it.
#pragma once

#include "stream_compaction/registry.h"

#include <stdexcept>
#include <string>

namespace stream_compaction {

/// Which backend the user wants.
enum class BackendWish { automatic, cuda, emulated };

/// A GPU is needed, and there is none: the program prints the text and returns ExitCode::cuda.
class NoUsableGpu : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What the build has; nullptr for what it has not.
struct BuiltBackends {
    const Registry* cuda;
    const Registry* emulated;
};

/// The backend to run on.
struct ChosenBackend {
    const Registry* registry;
    std::string note;  ///< one line for the user where it is not the GPU that they may expect
};

/// @throws UsageError, NoUsableGpu
ChosenBackend choose_backend(BackendWish wish, const BuiltBackends& built);

/// "NVIDIA H200 (CUDA 13.0, CUB 3.0.1, driver for CUDA 13.1)"
std::string describe_machine(const Registry& registry);

}  // namespace stream_compaction
