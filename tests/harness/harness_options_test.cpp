#include "src/harness/harness_options.h"

#include "src/command_line/size.h"
#include "src/command_line/usage_error.h"
#include "src/input/key_file.h"
#include "src/program/file_error.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error_of(std::vector<std::string> arguments) {
    try {
        (void)parse_harness_options(std::move(arguments));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(HarnessOptions, AreEmptyWithoutArguments) {
    const HarnessOptions options = parse_harness_options({});
    EXPECT_EQ(options.size, std::nullopt);
    EXPECT_THAT(options.operations, IsEmpty());
    EXPECT_THAT(options.algorithms, IsEmpty());
    EXPECT_EQ(options.backend, BackendWish::automatic);
    EXPECT_EQ(options.seed, 1u);
    EXPECT_EQ(options.block_size, std::nullopt);
    EXPECT_EQ(options.items_per_thread, std::nullopt);
    EXPECT_EQ(options.padding, std::nullopt);
    EXPECT_EQ(options.max_device_bytes, std::nullopt);
    EXPECT_FALSE(options.once);
    EXPECT_FALSE(options.list);
    EXPECT_EQ(options.answer, "");
}

TEST(HarnessOptions, AreTakenTogether) {
    const HarnessOptions options = parse_harness_options(
        {"--size", "2^22-3", "--operation", "scan", "--algorithm", "naive", "--backend", "cuda",
         "--seed", "18446744073709551615", "--block-size", "128", "--items-per-thread", "4",
         "--padding", "0", "--max-device-bytes", "3e9", "--once"});
    EXPECT_EQ(options.size, 4194301u);
    EXPECT_THAT(options.operations, ElementsAre(Operation::scan));
    EXPECT_THAT(options.algorithms, ElementsAre("naive"));
    EXPECT_EQ(options.backend, BackendWish::cuda);
    EXPECT_EQ(options.seed, 18446744073709551615u);
    EXPECT_EQ(options.block_size, 128);
    EXPECT_EQ(options.items_per_thread, 4);
    EXPECT_EQ(options.padding, 0);
    EXPECT_EQ(options.max_device_bytes, 3000000000u);
    EXPECT_TRUE(options.once);
    EXPECT_TRUE(parse_harness_options({"--list"}).list);
}

TEST(HarnessOptions, TakeTheirValueAfterAnEqualsSign) {
    EXPECT_EQ(parse_harness_options({"--size=0"}).size, 0u);
    EXPECT_EQ(parse_harness_options({"--backend=emulated"}).backend, BackendWish::emulated);
    EXPECT_EQ(parse_harness_options({"--backend=auto"}).backend, BackendWish::automatic);
}

TEST(HarnessOptions, TakeOneDistribution) {
    EXPECT_EQ(parse_harness_options({}).distribution, std::nullopt);
    EXPECT_EQ(parse_harness_options({"--distribution", "zipf"}).distribution, Distribution::zipf);
    EXPECT_EQ(parse_harness_options({"--distribution", "model:7"}).distribution,
              Distribution::of_model(7));
    EXPECT_EQ(error_of({"--distribution", "model:1..2"}),
              "--distribution: given 'model:1..2', expected one distribution");
    EXPECT_THAT(error_of({"--distribution", "flat"}), HasSubstr("expected uniform, "));
}

TEST(HarnessOptions, TakeAFileThatHasEnoughKeys) {
    const TemporaryFile file(bytes_of({1, 2, 3}));
    const auto keys_read = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"--distribution", "file:" + file.path()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const HarnessOptions options = parse_harness_options(arguments);
        return options.distribution->keys->keys().size();
    };
    EXPECT_EQ(keys_read({}), 3u);
    EXPECT_EQ(keys_read({"--size", "3"}), 3u);
    EXPECT_EQ(keys_read({"--size", "2"}), 2u);
    EXPECT_EQ(error_of({"--distribution", "file:" + file.path(), "--size", "4"}),
              "--size: given '4', expected at most 3, all keys of '" + file.path() + '\'');
    EXPECT_THROW(parse_harness_options({"--distribution", "file:/none"}), FileError);
    EXPECT_NE(parse_harness_options({"--distribution", "file:/none", "--help"}).answer, "");
}

TEST(HarnessOptions, EmulateAGpu) {
    const HarnessOptions options = parse_harness_options({"--emulate", "t4"});
    ASSERT_NE(options.emulate, nullptr);
    EXPECT_EQ(options.emulate->gpu, "Tesla T4");
    EXPECT_EQ(options.backend, BackendWish::emulated);
    EXPECT_EQ(parse_harness_options({}).emulate, nullptr);
}

TEST(HarnessOptions, TakeListsWithCommasAndRepeated) {
    const HarnessOptions options =
        parse_harness_options({"--operation", "sort,scan", "--algorithm", "cpu,naive",
                               "--operation", "compact", "--algorithm", "cub"});
    EXPECT_THAT(options.operations,
                ElementsAre(Operation::sort, Operation::scan, Operation::compact));
    EXPECT_THAT(options.algorithms, ElementsAre("cpu", "naive", "cub"));
}

TEST(HarnessOptions, HelpNamesEveryOption) {
    const std::string help = parse_harness_options({"--help"}).answer;
    for (const char* option :
         {"--size", "--operation", "--algorithm", "--backend", "--seed", "--distribution",
          "--block-size", "--items-per-thread", "--padding", "--max-device-bytes", "--once",
          "--explain", "--list", "--help", "--version"})
        EXPECT_THAT(help, HasSubstr(option));
}

TEST(HarnessOptions, VersionIsTheProjects) {
    EXPECT_EQ(parse_harness_options({"--version"}).answer, "stream_compaction 1.0.0\n");
}

struct Wrong {
    std::vector<std::string> arguments;
    std::string line;
};

class WrongOptions : public testing::TestWithParam<Wrong> {};

TEST_P(WrongOptions, AreToldInOneLine) {
    EXPECT_EQ(error_of(GetParam().arguments), GetParam().line);
}

const std::string kSizes(kLegalSizes);
const std::string kNames =
    "--help, --version, --size, --operation, --algorithm, --backend, --emulate, --seed, "
    "--distribution, "
    "--block-size, "
    "--items-per-thread, --padding, --max-device-bytes, --once, --explain, --list";

const Wrong kWrong[] = {
    {{"--size", "-3"}, "--size: '-3' is negative, expected " + kSizes},
    {{"--size", ""}, "--size: '' is not a size, expected " + kSizes},
    {{"--size", "1.5"}, "--size: '1.5' is not whole, expected " + kSizes},
    {{"--size", "2^64"}, "--size: '2^64' is too large, expected " + kSizes},
    {{"--size", "a\nb"}, "--size: 'a\\x0ab' is not a size, expected " + kSizes},
    {{"--size", "--list"}, "--size: '--list' is not a size, expected " + kSizes},
    {{"--size"}, "--size: the value is missing"},
    {{"--size="}, "--size: the value is missing"},
    {{"--size", "1", "--size", "2"}, "--size: given twice ('1', '2')"},
    {{"--operation", "merge"}, "--operation: given 'merge', expected scan, compact or sort"},
    {{"--operation", "scan,"}, "--operation: given '', expected scan, compact or sort"},
    {{"--operation", "Scan"}, "--operation: given 'Scan', expected scan, compact or sort"},
    {{"--backend", "gpu"}, "--backend: given 'gpu', expected auto, cuda or emulated"},
    {{"--emulate", "T4"},
     "--emulate: given 'T4', expected t4, a100, rtx3060, rtx4090, h200, b200, rtx5090"},
    {{"--list", "--once"}, "--list cannot be combined with --once or --explain: it runs nothing"},
    {{"--explain", "--list"},
     "--list cannot be combined with --once or --explain: it runs nothing"},
    {{"--emulate", "t4", "--backend", "cuda"}, "--emulate cannot be combined with --backend cuda"},
    {{"--seed", "-1"}, "--seed: given '-1', expected a whole number from 0 to 2^64 - 1"},
    {{"--seed", "x"}, "--seed: given 'x', expected a whole number from 0 to 2^64 - 1"},
    {{"--seed", "1.0"}, "--seed: given '1.0', expected a whole number from 0 to 2^64 - 1"},
    {{"--seed", "18446744073709551616"},
     "--seed: given '18446744073709551616', expected a whole number from 0 to 2^64 - 1"},
    {{"--block-size", "0"},
     "--block-size: given '0', expected a value that --list prints for the algorithm"},
    {{"--block-size", "-64"},
     "--block-size: given '-64', expected a value that --list prints for the algorithm"},
    {{"--block-size", "64x"},
     "--block-size: given '64x', expected a value that --list prints for the algorithm"},
    {{"--items-per-thread", "99999999999"},
     "--items-per-thread: given '99999999999', expected a value that --list prints for the "
     "algorithm"},
    {{"--padding", "2"}, "--padding: given '2', expected a whole number from 0 to 1"},
    {{"--max-device-bytes", "-1"}, "--max-device-bytes: '-1' is negative, expected " + kSizes},
    {{"--sizes", "1"}, "unknown argument '--sizes', expected " + kNames},
    {{"4096"}, "unknown argument '4096', expected " + kNames},
    {{"-n"}, "unknown argument '-n', expected " + kNames},
    {{"a\nb"}, "unknown argument 'a\\x0ab', expected " + kNames},
    {{"--version=\n"}, "--version accepts no value"},
    {{"--list=1"}, "--list accepts no value"},
    {{"--list=true"}, "--list accepts no value"},
    {{"--once="}, "--once accepts no value"},
    {{"--size=", "5"}, "--size: the value is missing"},
    {{"--size=", "--x"}, "--size: the value is missing"},
};
INSTANTIATE_TEST_SUITE_P(Table, WrongOptions, testing::ValuesIn(kWrong));

}  // namespace
}  // namespace stream_compaction
