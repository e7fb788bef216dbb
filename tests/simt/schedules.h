// Runs a test with every order in which the emulated backend can execute threads, or with the
// profile of a GPU.
#pragma once

#include "simt/backend.h"

#if defined(SIMT_EMULATED)
#include "simt/emulated/executor.h"
#endif

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace simt::inline SIMT_BACKEND::test {

#if defined(SIMT_EMULATED)

/// Sets the executor's options while it lives.
class WithOptions {
  public:
    explicit WithOptions(const Options& options) { set_options(options); }
    WithOptions(const WithOptions&) = delete;
    WithOptions& operator=(const WithOptions&) = delete;
    ~WithOptions() { set_options({}); }
};

/// Gives the device the profile of a GPU while it lives.
class WithProfileOf {
  public:
    explicit WithProfileOf(std::string_view name) { emulate(find_device_profile(name)); }
    WithProfileOf(const WithProfileOf&) = delete;
    WithProfileOf& operator=(const WithProfileOf&) = delete;
    ~WithProfileOf() { emulate(nullptr); }
};

template <class Test>
void under_every_schedule(Test test) {
    const auto run = [&](const Options& options) {
        const WithOptions with(options);
        SCOPED_TRACE("order " + std::to_string(static_cast<int>(options.order)) + ", seed " +
                     std::to_string(options.seed) + ", " + std::to_string(options.workers) +
                     " workers");
        test();
    };
    for (const unsigned workers : {1u, 4u}) {
        run({.workers = workers, .order = Order::forward});
        run({.workers = workers, .order = Order::reverse});
        for (const unsigned seed : {1u, 2u, 3u})
            run({.workers = workers, .order = Order::random, .seed = seed});
    }
}

#else

/// A GPU has its own order.
template <class Test>
void under_every_schedule(Test test) {
    test();
}

#endif

}  // namespace simt::inline SIMT_BACKEND::test
