#include "src/distributed/distributed_options.h"

#include "src/command_line/usage_error.h"
#include "src/input/key_file.h"
#include "src/program/file_error.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stream_compaction {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error_of(std::vector<std::string> arguments) {
    try {
        (void)parse_distributed_options(std::move(arguments));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(DistributedOptions, AreEmptyWithoutArguments) {
    const DistributedOptions options = parse_distributed_options({});
    EXPECT_EQ(options.size, std::nullopt);
    EXPECT_EQ(options.gpus, std::nullopt);
    EXPECT_THAT(options.operations, IsEmpty());
    EXPECT_EQ(options.backend, BackendWish::automatic);
    EXPECT_EQ(options.emulate, nullptr);
    EXPECT_EQ(options.seed, 1u);
    EXPECT_EQ(options.distribution, std::nullopt);
    EXPECT_EQ(options.patience, std::chrono::minutes(5));
    EXPECT_TRUE(options.has_peer_access);
    EXPECT_EQ(options.json, std::nullopt);
    EXPECT_EQ(options.answer, "");
}

TEST(DistributedOptions, AreTakenTogether) {
    const DistributedOptions options = parse_distributed_options(
        {"--size", "2^20-3", "--gpus", "128", "--operation", "scan,sort", "--backend", "cuda",
         "--seed", "7", "--distribution", "model:7", "--patience", "86400", "--no-peer-access",
         "--json", "rows.json"});
    EXPECT_EQ(options.size, 1048573u);
    EXPECT_EQ(options.gpus, 128u);
    EXPECT_THAT(options.operations, ElementsAre(Operation::scan, Operation::sort));
    EXPECT_EQ(options.backend, BackendWish::cuda);
    EXPECT_EQ(options.seed, 7u);
    EXPECT_EQ(options.distribution, Distribution::of_model(7));
    EXPECT_EQ(options.patience, std::chrono::hours(24));
    EXPECT_FALSE(options.has_peer_access);
    EXPECT_EQ(options.json, "rows.json");
}

TEST(DistributedOptions, TakeTheSmallestNumbers) {
    const DistributedOptions options =
        parse_distributed_options({"--size", "0", "--gpus", "1", "--patience", "1"});
    EXPECT_EQ(options.size, 0u);
    EXPECT_EQ(options.gpus, 1u);
    EXPECT_EQ(options.patience, std::chrono::seconds(1));
}

TEST(DistributedOptions, EmulateTheShapeOfAGpu) {
    const DistributedOptions options = parse_distributed_options({"--emulate", "t4"});
    ASSERT_NE(options.emulate, nullptr);
    EXPECT_EQ(options.emulate->name, "t4");
    EXPECT_EQ(options.backend, BackendWish::emulated);
    EXPECT_THAT(error_of({"--emulate", "t4", "--backend", "cuda"}),
                HasSubstr("cannot be combined with --backend cuda"));
}

TEST(DistributedOptions, SayWhatIsLegal) {
    for (const char* const gpus : {"0", "129", "two", "-1", ""})
        EXPECT_EQ(error_of({"--gpus", gpus}), "--gpus: given '" + std::string(gpus) +
                                                  "', expected a whole number from 1 to 128");
    for (const char* const seconds : {"0", "86401", "1.5", ""})
        EXPECT_EQ(error_of({"--patience", seconds}),
                  "--patience: given '" + std::string(seconds) +
                      "', expected a whole number from 1 to 86400");
    EXPECT_THAT(error_of({"--size", "-3"}), HasSubstr("below 2^64"));
    EXPECT_THAT(error_of({"--operation", "merge"}), HasSubstr("scan, compact"));
    EXPECT_THAT(error_of({"--distribution", "model:1..2"}), HasSubstr("expected one distribution"));
    EXPECT_EQ(error_of({"--json", ""}), "--json: given '', expected the path of a file");
    EXPECT_NE(error_of({"--algorithm", "cpu"}), "no error");
    EXPECT_NE(error_of({"--seed", "1", "--seed", "1"}), "no error");
}

TEST(DistributedOptions, TakeAFileThatHasEnoughKeys) {
    const TemporaryFile file(bytes_of({1, 2, 3}));
    const std::string keys = "file:" + file.path();
    EXPECT_EQ(parse_distributed_options({"--distribution", keys}).distribution->keys->size(), 3u);
    EXPECT_NE(error_of({"--distribution", keys, "--size", "4"}), "no error");
    EXPECT_THROW((void)parse_distributed_options({"--distribution", "file:none"}), FileError);
}

TEST(DistributedOptions, Help) {
    EXPECT_THAT(parse_distributed_options({"--help", "--distribution", "flat"}).answer,
                HasSubstr("--patience"));
}

}  // namespace
}  // namespace stream_compaction
