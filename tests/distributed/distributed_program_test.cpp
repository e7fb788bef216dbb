// distributed_test, started in the same way as by a user, with one thread per rank.
#include "stream_compaction/registry.h"
#include "tests/program.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace stream_compaction {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(DistributedProgram, TellsWhatIsWrongInOneLine) {
    const ProgramResult result = program("--gpus 129");
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "distributed_test: --gpus: given '129', expected a whole number from 1 to 128\n");
}

/// For runs of kernels that are the same with and without a GPU.
class DistributedProgramEmulated : public testing::Test {
  public:
    void SetUp() override {
        if (registry(simt::Backend::emulated) == nullptr)
            GTEST_SKIP() << "built without the emulated backend";
    }
};

TEST_F(DistributedProgramEmulated, RunsAllOperationsOnTwoRanks) {
    const ProgramResult result = program("--backend emulated --size 1000");
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* const operation : {"scan", "compact", "sort"})
        for (const char* const size : {"n = 1000", "n = 997"})
            EXPECT_THAT(result.out,
                        HasSubstr(std::string("distributed ") + operation + ", 2 GPUs, " + size));
    EXPECT_THAT(result.out, HasSubstr("6 passed"));
    EXPECT_THAT(result.out, Not(HasSubstr("left out")));
}

TEST_F(DistributedProgramEmulated, RunsOnAsManyGpusAsALargeMachineHas) {
    const ProgramResult result =
        program("--backend emulated --gpus 64 --size 100 --operation sort");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("2 passed"));
}

/// All but the times, which mean nothing here.
TEST_F(DistributedProgramEmulated, WritesItsRows) {
    const TemporaryFile file("");
    for (const std::string exchange : {"stores", "messages"}) {
        const ProgramResult result =
            program("--backend emulated --gpus 3 --size 500 --operation sort --json " +
                    file.path() + (exchange == "stores" ? "" : " --no-peer-access"));
        EXPECT_EQ(result.code, 0) << result.err;
        const std::string rest =
            R"("distribution":"uniform","exchange":")" + exchange +
            R"(","calls":1,"median_us":null,"one_gpu_us":null,"count_us":null,"exchange_us":null,)"
            R"("sort_us":null,"sent_bytes":null,"verified":true})";
        std::ifstream lines(file.path());
        const std::string written(std::istreambuf_iterator<char>(lines), {});
        for (const char* const n : {"500", "497"})
            EXPECT_THAT(written, HasSubstr(R"({"operation":"sort","gpus":3,"n":)" + std::string(n) +
                                           "," + rest));
        EXPECT_THAT(written, StartsWith("{\n  \"experiment\": \"distributed\",\n  \"machine\""));
    }
}

TEST_F(DistributedProgramEmulated, EndsAtAClosedPipe) {
    const ProgramResult result = cut_off("--backend emulated --gpus 2 --size 1000");
    EXPECT_EQ(result.code, 4);
    EXPECT_EQ(result.err, "distributed_test: cannot write the output\n");
}

TEST_F(DistributedProgramEmulated, RunsWhatIsNamed) {
    const ProgramResult result =
        program("--emulate t4 --gpus 3 --size 100 --operation sort --distribution model:7");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("3 x "));
    EXPECT_THAT(result.out, HasSubstr("2 passed"));
}

TEST_F(DistributedProgramEmulated, SaysWhatOneGpuLeavesOut) {
    const ProgramResult result = program("--backend emulated --gpus 1 --size 10");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\none GPU: nothing is exchanged\n"));
}

TEST_F(DistributedProgramEmulated, GivesItsThreadsMoreStackThanTheShell) {
    const ProgramResult result =
        program("--backend emulated --size 100 --operation sort", "ulimit -s 100;");
    EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(DistributedProgramEmulated, TakesNoMoreThanTheHostHas) {
    const ProgramResult result = program("--backend emulated --size 2^60");
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("--size: given '1152921504606846976', expected at most "));
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
}

TEST_F(DistributedProgramEmulated, EndsAtASignalWithOneLine) {
    for (const char* const signal : {"INT", "TERM", "HUP"}) {
        const ProgramResult result = interrupted("--backend emulated --operation scan --size 2^24",
                                                 "distributed scan", signal);
        EXPECT_EQ(result.code, 130);
        EXPECT_EQ(result.err, "distributed_test: interrupted\n");
        EXPECT_THAT(result.out, HasSubstr("==== distributed scan, 2 GPUs, power-of-two"));
    }
}

TEST_F(DistributedProgramEmulated, HasNoChoiceOfGpusUnderMpirun) {
    const ProgramResult result = program("--gpus 2 --size 10", "OMPI_COMM_WORLD_RANK=0");
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, StartsWith("distributed_test: --gpus cannot be combined with mpirun"));
    const ProgramResult second = program("--gpus 2 --size 10", "OMPI_COMM_WORLD_RANK=1");
    EXPECT_EQ(second.code, 2);
    EXPECT_EQ(second.err, "");  // the first process has reported it
}

}  // namespace
}  // namespace stream_compaction
