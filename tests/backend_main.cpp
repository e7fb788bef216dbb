// Runs the tests of one backend. Where it is unavailable they are skipped, and say why; with
// REQUIRE_GPU=1 in the environment that is a failure.
#include "simt/device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

class NeedsBackend : public testing::Environment {
  public:
    void SetUp() override {
        const auto reason = simt::unavailable_reason();
        if (!reason) return;
        const char* const required = std::getenv("REQUIRE_GPU");
        if (required != nullptr && std::string(required) == "1")
            FAIL() << "REQUIRE_GPU=1, but " << *reason;
        GTEST_SKIP() << *reason;
    }
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new NeedsBackend);
    return RUN_ALL_TESTS();
}
