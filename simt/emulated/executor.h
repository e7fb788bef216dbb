// How the emulated backend executes kernels. For tests: a correct kernel gives the same result
// under all options. Sources of either backend may include it.
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

/// The order in which blocks, and the threads of a block, run.
enum class Order {
    forward,
    reverse,
    random,  ///< also switches threads between atomic operations
};

struct Options {
    unsigned workers = 0;  ///< blocks that run concurrently, one OS thread each; 0: automatic
    Order order = Order::forward;
    std::uint64_t seed = 1;  ///< of the random order
    /// A kernel is aborted when every running block has spun for this many rounds without progress
    /// of any block. In a round each thread of a block spins a few times; elapsed time does not
    /// matter.
    std::uint64_t stall_rounds = 1 << 14;
};

/// Applies to kernels that are launched afterwards.
void set_options(const Options& options);

/// How many blocks run concurrently: the number in the options, limited by the machine.
unsigned workers();

/// Gives the device the profile of this GPU from now on: the properties that host code sees, and
/// the launches that fail. nullptr: a profile that suits the CPU, with one multiprocessor per
/// worker. The initial profile is the one that SIMT_SHAPE names in the environment. Plans made
/// before must not be used afterwards.
void emulate(const DeviceProfile* gpu);

}  // namespace emulated
}  // namespace simt
