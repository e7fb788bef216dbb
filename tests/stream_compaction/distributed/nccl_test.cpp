// Ranks over NCCL: on two GPUs; emulated, over a fake library.
#include "stream_compaction/distributed/nccl.h"

#include "simt/device.h"
#include "simt/error.h"
#include "tests/inputs.h"
#include "tests/sizes.h"
#include "tests/stream_compaction/distributed/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stream_compaction {
namespace {

using distributed::over_nccl;
using testing::HasSubstr;

/// Sets an environment variable while it lives.
class WithVariable {
  public:
    WithVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    WithVariable(const WithVariable&) = delete;
    WithVariable& operator=(const WithVariable&) = delete;
    ~WithVariable() { unsetenv(name_); }

  private:
    const char* name_;
};

class Nccl : public testing::Test {
  protected:
    void SetUp() override {
        if (ranks() < 2) GTEST_SKIP() << "NCCL needs two GPUs";
#if defined(FAKE_NCCL)
        setenv("STREAM_COMPACTION_NCCL", FAKE_NCCL, 1);
#endif
    }

    static unsigned ranks() {
        return simt::kBackend == simt::Backend::emulated ? 3 : simt::device_count();
    }
    static void run(const std::function<void(Communicator&)>& work) {
        distributed::run_ranks(ranks(), [&](Communicator& host) {
            simt::use_device(host.rank());
            work(host);
        });
    }
};

/// Must run first, because a library stays loaded.
TEST_F(Nccl, SaysHowToGetItWhereItIsMissing) {
    const WithVariable variable("STREAM_COMPACTION_NCCL", "/nowhere/libnccl.so.2");
    try {
        run([](Communicator& host) { (void)over_nccl(host); });
        FAIL() << "it was loaded";
    } catch (const simt::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("/nowhere/libnccl.so.2 cannot be loaded"));
        EXPECT_THAT(error.what(), HasSubstr("nvidia-nccl-cu13"));
    }
}

TEST_F(Nccl, MovesAllThatThePlansExchange) {
    run([](Communicator& host) {
        const auto over = over_nccl(host);
        for (const std::size_t n : {0u, 1u, 300u})
            for (const Division& division : kDivisions) {
                SCOPED_TRACE(division.name + ", n = " + std::to_string(n));
                const Sizes sizes = division.sizes(n, ranks());
                expect_scan(inputs::random(n), sizes, *over);
                expect_compact(inputs::random(n), sizes, *over);
                for (const Division& wanted : all_or_some(kDivisions))
                    expect_sort(inputs::random(n), sizes, wanted.sizes(n, ranks()), *over);
            }
    });
}

TEST_F(Nccl, EndsAllWhereOneFails) {
    std::vector<std::string> seen(ranks());
    EXPECT_THROW(run([&](Communicator& host) {
                     const auto over = over_nccl(host);
                     (void)host.all_gather({});
                     if (host.rank() == 1) throw std::runtime_error("no more");
                     // Rank 1 never sends its part.
                     simt::DeviceArray<int> in(1);
                     const Communicator::Incoming incoming[] = {{1, in.data(), sizeof(int)}};
                     try {
                         over->exchange({}, incoming, nullptr);
                         over->wait(nullptr);
                     } catch (const RankFailed& error) {
                         over->fail(error.what());
                         seen[host.rank()] = error.what();
                     }
                 }),
                 std::runtime_error);
    seen[1] = seen[0];
    EXPECT_THAT(seen, testing::Each("rank 1: no more"));
}

#if defined(FAKE_NCCL)
TEST_F(Nccl, TellsWhatNcclSays) {
    const WithVariable fault("FAKE_NCCL_FAULT", "send");
    try {
        run([](Communicator& host) { (void)over_nccl(host); });
        FAIL() << "nothing was thrown";
    } catch (const simt::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("NCCL: an exchange: internal error"));
    }
}

TEST_F(Nccl, DoesNotWaitForEver) {
    const WithVariable fault("FAKE_NCCL_FAULT", "receive");
    try {
        run([](Communicator& host) { (void)over_nccl(host, std::chrono::milliseconds(20)); });
        FAIL() << "nothing was thrown";
    } catch (const RankFailed& error) {
        EXPECT_THAT(error.what(), HasSubstr("waited too long for the other ranks"));
    }
}
#endif

}  // namespace
}  // namespace stream_compaction
