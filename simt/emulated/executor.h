// How the emulated backend executes kernels. For tests: a right kernel gives the same result under
// all options. May be included from sources of either backend.
#pragma once

#include "simt/backend.h"
#include "simt/device_profile.h"

#include <cstdint>

namespace simt {
#if defined(SIMT_EMULATED)
inline namespace SIMT_BACKEND {
#else
namespace emulated {
#endif

/// In which order blocks, and the threads of a block, get to run.
enum class Order {
    forward,
    reverse,
    random,  ///< also switches threads in the midst of atomic operations
};

struct Options {
    unsigned workers = 0;  ///< blocks that run at once, one OS thread each; 0: a good number
    Order order = Order::forward;
    std::uint64_t seed = 1;  ///< of the random order
    /// A kernel is ended when every block that runs has spun for so many rounds while none got
    /// anywhere. In a round each of its threads spins a few times; time plays no part.
    std::uint64_t stall_rounds = 1 << 14;
};

/// Holds for the kernels that are launched afterwards.
void set_options(const Options& options);

/// How many blocks run at once: what the options ask for, within what the machine can carry.
unsigned workers();

/// The device takes the shape of this GPU from now on: what host code sees of it, and which
/// launches it refuses. nullptr: one that suits the CPU, with a multiprocessor for each worker.
/// Until then it is what SIMT_SHAPE names in the environment. Plans made before must not be used
/// any more.
void emulate(const DeviceProfile* gpu);

}  // namespace emulated
}  // namespace simt
