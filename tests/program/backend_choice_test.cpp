#include "src/program/backend_choice.h"

#include "src/command_line/usage_error.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

constexpr Registry kCuda = fake::registry_of(fake::kRightRows);
constexpr Registry kEmulated = fake::registry_of(fake::kRightRows, simt::Backend::emulated);
constexpr BuiltBackends kBoth{.cuda = &kCuda, .emulated = &kEmulated};

class ChooseBackend : public testing::Test {
  public:
    ~ChooseBackend() override { fake::machine = {}; }
};

template <class Error>
std::string error_of(BackendWish wish, const BuiltBackends& built) {
    try {
        (void)choose_backend(wish, built);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST_F(ChooseBackend, TakesTheGpuWhereThereIsOne) {
    EXPECT_EQ(choose_backend(BackendWish::automatic, kBoth).registry, &kCuda);
    EXPECT_EQ(choose_backend(BackendWish::automatic, kBoth).note, "");
    EXPECT_EQ(choose_backend(BackendWish::cuda, kBoth).registry, &kCuda);
}

TEST_F(ChooseBackend, EmulatesOnDemand) {
    EXPECT_EQ(choose_backend(BackendWish::emulated, kBoth).registry, &kEmulated);
    EXPECT_EQ(choose_backend(BackendWish::emulated, kBoth).note, "");
}

TEST_F(ChooseBackend, EmulatesWithoutAUsableGpuAndSaysWhy) {
    fake::machine.unavailable = "no NVIDIA driver is installed";
    const ChosenBackend backend = choose_backend(BackendWish::automatic, kBoth);
    EXPECT_EQ(backend.registry, &kEmulated);
    EXPECT_EQ(backend.note,
              "no usable GPU: no NVIDIA driver is installed; the CPU executes the kernels");
}

TEST_F(ChooseBackend, EmulatesInABuildWithoutCuda) {
    const ChosenBackend backend =
        choose_backend(BackendWish::automatic, {.cuda = nullptr, .emulated = &kEmulated});
    EXPECT_EQ(backend.registry, &kEmulated);
    EXPECT_EQ(backend.note,
              "no usable GPU: the program was built without CUDA; the CPU executes the kernels");
}

TEST_F(ChooseBackend, HasNoGpuToInsistOn) {
    EXPECT_EQ(error_of<NoUsableGpu>(BackendWish::cuda, {.cuda = nullptr, .emulated = &kEmulated}),
              "--backend cuda: the program was built without CUDA");
    fake::machine.unavailable = "no NVIDIA GPU was found";
    EXPECT_EQ(error_of<NoUsableGpu>(BackendWish::cuda, kBoth),
              "--backend cuda: no NVIDIA GPU was found");
    EXPECT_EQ(error_of<NoUsableGpu>(BackendWish::automatic, {.cuda = &kCuda, .emulated = nullptr}),
              "no usable GPU: no NVIDIA GPU was found; the program was built without the backend "
              "that emulates one");
}

TEST_F(ChooseBackend, CannotEmulateInABuildWithoutEmulation) {
    EXPECT_EQ(error_of<UsageError>(BackendWish::emulated, {.cuda = &kCuda, .emulated = nullptr}),
              "--backend: given 'emulated', expected auto or cuda: the program was built without "
              "Boost.Context");
}

TEST(DescribeMachine, NamesTheGpuAndItsVersions) {
    EXPECT_EQ(describe_machine(kCuda), "Fake GPU (CUDA 12.8, CUB 3.1.2, driver for CUDA 13.1)");
}

TEST(DescribeMachine, SaysThatTheCpuEmulates) {
    EXPECT_EQ(describe_machine(kEmulated), "Fake GPU, kernels emulated on the CPU");
}

}  // namespace
}  // namespace stream_compaction
