// Runs the tests of one backend. If the backend is unavailable, no test is run: with REQUIRE_GPU=1
// in the environment that is a failure, otherwise CTest reports each test as skipped.
#include "simt/device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const auto reason = simt::unavailable_reason();
    if (!reason || testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();

    const char* const required = std::getenv("REQUIRE_GPU");
    if (required != nullptr && std::string_view(required) == "1") {
        std::cerr << "REQUIRE_GPU=1, but " << *reason << '\n';
        return EXIT_FAILURE;
    }
    // GoogleTest counts tests that an environment skips as passed. CTest looks for this text.
    std::cout << "[  SKIPPED ] " << *reason << '\n';
    return EXIT_SUCCESS;
}
