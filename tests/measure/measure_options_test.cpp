#include "src/measure/measure_options.h"

#include "src/command_line/usage_error.h"
#include "src/input/key_file.h"
#include "src/program/file_error.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stream_compaction {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST(MeasureOptions, FollowTheProtocolByDefault) {
    const MeasureOptions options = parse_measure_options({});
    EXPECT_THAT(options.request.operations, IsEmpty());
    EXPECT_THAT(options.request.sizes, IsEmpty());
    EXPECT_EQ(options.protocol.samples, std::nullopt);
    EXPECT_EQ(options.protocol.min_samples, 10u);
    EXPECT_EQ(options.protocol.min_seconds, 0.3);
    EXPECT_EQ(options.protocol.max_seconds, 15);
    EXPECT_EQ(options.protocol.least_clock, 0.75);
    EXPECT_EQ(options.slowest_call_us, 1e6);
    EXPECT_FALSE(options.list || options.dry_run || options.output || options.format);
}

TEST(MeasureOptions, AreTakenTogether) {
    const MeasureOptions options = parse_measure_options({"--operation",
                                                          "scan,sort",
                                                          "--operation",
                                                          "scan",
                                                          "--algorithm",
                                                          "cub,naive",
                                                          "--size",
                                                          "2^10:2^12:x2,2^11,7",
                                                          "--mode",
                                                          "cold,hot",
                                                          "--mode",
                                                          "graph",
                                                          "--block-size",
                                                          "64,128",
                                                          "--items-per-thread",
                                                          "1,2",
                                                          "--padding",
                                                          "1,0",
                                                          "--distribution",
                                                          "uniform50,zipf",
                                                          "--kept",
                                                          "0.5,0",
                                                          "--samples",
                                                          "30",
                                                          "--seed",
                                                          "18446744073709551615",
                                                          "--output",
                                                          "results/x.json",
                                                          "--format",
                                                          "csv",
                                                          "--experiment",
                                                          "block_size",
                                                          "--max-seconds",
                                                          "2.5",
                                                          "--slowest-call",
                                                          "500ms",
                                                          "--commit",
                                                          "abc",
                                                          "--dry-run"});
    const Request& request = options.request;
    EXPECT_THAT(request.operations, ElementsAre(Operation::scan, Operation::sort));
    EXPECT_THAT(request.algorithms, ElementsAre("cub", "naive"));
    EXPECT_THAT(request.sizes, ElementsAre(7, 1024, 2048, 4096));
    EXPECT_THAT(request.modes, ElementsAre(Mode::cold, Mode::hot, Mode::graph));
    EXPECT_THAT(request.block_sizes, ElementsAre(64, 128));
    EXPECT_THAT(request.items_per_thread, ElementsAre(1, 2));
    EXPECT_THAT(request.paddings, ElementsAre(1, 0));
    EXPECT_THAT(request.distributions, ElementsAre(Distribution::uniform50, Distribution::zipf));
    EXPECT_THAT(request.kept, ElementsAre(0.5, 0));
    EXPECT_EQ(request.seed, 18446744073709551615u);
    EXPECT_EQ(options.protocol.samples, 30u);
    EXPECT_EQ(options.protocol.max_seconds, 2.5);
    EXPECT_EQ(options.slowest_call_us, 5e5);
    EXPECT_EQ(options.experiment, "block_size");
    EXPECT_EQ(options.output, "results/x.json");
    EXPECT_EQ(options.format, Format::csv);
    EXPECT_EQ(options.commit, "abc");
    EXPECT_TRUE(options.dry_run);
}

TEST(MeasureOptions, EnergyIsAskedFor) {
    EXPECT_FALSE(parse_measure_options({"--mode", "hot"}).energy);
    for (const char* modes : {"hot", "graph", "cold,graph"})
        EXPECT_TRUE(parse_measure_options({"--energy", "--mode", modes}).energy) << modes;
}

TEST(MeasureOptions, SayWhatIsWrong) {
    const std::vector<std::string> kTable[] = {
        {"--operation", "merge"},
        {"--mode", "warm"},
        {"--mode", ""},
        {"--size", "0.5"},
        {"--size", "1:2"},
        {"--size", "2^49"},
        {"--size", "1,"},
        {"--distribution", "flat"},
        {"--kept", "1.01"},
        {"--least-clock", "1.01"},
        {"--kept", "-0.1"},
        {"--kept", "nan"},
        {"--energy"},
        {"--energy", "--mode", "cold,host"},
        {"--samples", "0"},
        {"--samples", "1e9"},
        {"--samples", "1000001"},
        {"--seed", "-1"},
        {"--seed", "2^64"},
        {"--min-seconds", "-1"},
        {"--min-seconds", "soon"},
        {"--max-seconds", "inf"},
        {"--slowest-call", "1h"},
        {"--slowest-call", ""},
        {"--block-size", "0"},
        {"--block-size", "64,"},
        {"--items-per-thread", "x"},
        {"--padding", "2"},
        {"--padding", "0,1,-1"},
        {"--format", "xml"},
        {"--experiment", "a b"},
        {"--experiment", ""},
        {"--distribution", "model:2..1"},
        {"--distribution", "file:"},
    };
    for (const auto& arguments : kTable) {
        try {
            (void)parse_measure_options(arguments);
            ADD_FAILURE() << arguments[0] << ' ' << arguments.back();
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr(arguments[0] + ": "));
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_THROW(parse_measure_options({"--size"}), UsageError);
    EXPECT_THROW(parse_measure_options({"2^20"}), UsageError);
    EXPECT_THROW(parse_measure_options({"--warm"}), UsageError);
    EXPECT_THROW(parse_measure_options({"-h"}), UsageError);
}

std::string what_is_said_of(const std::vector<std::string>& arguments) {
    try {
        (void)parse_measure_options(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "nothing";
}

TEST(MeasureOptions, SayWhatIsLegal) {
    EXPECT_EQ(what_is_said_of({"--mode", "warm"}),
              "--mode: given 'warm', expected cold, hot, graph, host");
    EXPECT_THAT(what_is_said_of({"--distribution", "flat"}), HasSubstr("uniform, uniform50, "));
    EXPECT_EQ(what_is_said_of({"--size", "2^49"}),
              "--size: given '2^49', expected at most 2^48 elements");
    EXPECT_EQ(what_is_said_of({"--output", ""}), "--output: given '', expected the path of a file");
    for (const char* const samples : {"0", "1000001", "x", ""})
        EXPECT_EQ(what_is_said_of({"--samples", samples}),
                  "--samples: given '" + std::string(samples) +
                      "', expected a whole number from 1 to 1000000");
    for (const char* const share : {"-1", "1.01", "inf", "x", ""})
        EXPECT_EQ(what_is_said_of({"--kept", share}),
                  "--kept: given '" + std::string(share) + "', expected a share, from 0 to 1");
    EXPECT_THAT(what_is_said_of({"--size", "x"}),
                StartsWith("--size: 'x' is not a size, expected "));
}

TEST(MeasureOptions, ThatWouldHaveNoEffectAreRefused) {
    EXPECT_EQ(what_is_said_of({"--min-seconds", "2", "--max-seconds", "1500ms"}),
              "--min-seconds: given '2', expected at most 1.5 s, the value of --max-seconds");
    EXPECT_EQ(what_is_said_of({"--min-seconds", "16s"}),
              "--min-seconds: given '16s', expected at most 15 s, the value of --max-seconds");
    // Less than the default minimum.
    EXPECT_EQ(what_is_said_of({"--max-seconds", "0.1"}), "nothing");
    EXPECT_EQ(what_is_said_of({"--samples", "5", "--min-seconds", "20ms"}),
              "--min-seconds: cannot be combined with --samples");
    for (const std::string other : {"--dry-run", "--output=a", "--samples-file=a", "--format=csv"})
        EXPECT_EQ(what_is_said_of({"--list", other}),
                  "--list cannot be combined with --dry-run, --output, --samples-file or --format");
    EXPECT_DOUBLE_EQ(parse_measure_options({"--min-seconds", "20ms", "--max-seconds", "20ms"})
                         .protocol.min_seconds,
                     0.02);
}

TEST(MeasureOptions, TakeWhatIsJustLegal) {
    EXPECT_THAT(parse_measure_options({"--size", "2^48"}).request.sizes,
                ElementsAre(std::size_t{1} << 48));
    EXPECT_THAT(parse_measure_options({"--kept", "1"}).request.kept, ElementsAre(1));
    EXPECT_EQ(parse_measure_options({"--least-clock", "0.5"}).protocol.least_clock, 0.5);
    EXPECT_FALSE(std::signbit(parse_measure_options({"--kept", "-0"}).request.kept.at(0)));
    EXPECT_EQ(parse_measure_options({"--samples", "1"}).protocol.samples, 1u);
    EXPECT_EQ(parse_measure_options({"--samples", "1000000"}).protocol.samples, 1000000u);
    EXPECT_EQ(parse_measure_options({"--experiment", "azAZ09_-."}).experiment, "azAZ09_-.");
    // Characters next to letters and digits; and the experiment of another program.
    for (const char* const name : {"`", "{", "@", "[", "/", ":", "distributed"})
        EXPECT_THROW(parse_measure_options({"--experiment", name}), UsageError);
    EXPECT_EQ(parse_measure_options({"--min-seconds", "0"}).protocol.min_seconds, 0);
    EXPECT_EQ(parse_measure_options({"--commit", " ~"}).commit, " ~");
    for (const char* const commit : {"", "\x1f", "\x7f", "\xff", "a<b", ">"})
        EXPECT_THROW(parse_measure_options({"--commit", commit}), UsageError);
    EXPECT_EQ(parse_measure_options({"--max-device-bytes", "8e6"}).max_device_bytes, 8000000u);
    EXPECT_THAT(parse_measure_options({"--variant", "all,max_float"}).request.variants,
                ElementsAre("all", "max_float"));
}

TEST(MeasureOptions, TakeModelsOnce) {
    EXPECT_THAT(
        parse_measure_options({"--distribution", "model:2..3,zipf", "--distribution", "model:1..2"})
            .request.distributions,
        ElementsAre(Distribution::of_model(2), Distribution::of_model(3), Distribution::zipf,
                    Distribution::of_model(1)));
}

TEST(MeasureOptions, TakeAFileThatHasEnoughKeys) {
    const TemporaryFile keys(bytes_of({1, 2, 3}));
    const std::string file = "file:" + keys.path();
    const auto keys_read = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--distribution", file + ',' + file});
        const MeasureOptions options = parse_measure_options(arguments);
        EXPECT_THAT(options.request.distributions, SizeIs(1));
        return options.request.distributions.front().keys->keys().size();
    };
    EXPECT_EQ(keys_read({}), 3u);
    EXPECT_EQ(keys_read({"--size", "3,1"}), 3u);
    EXPECT_EQ(keys_read({"--size", "1,2"}), 2u);
    EXPECT_EQ(what_is_said_of({"--size", "1:4:x2", "--distribution", file}),
              "--size: given '4', expected at most 3, all keys of '" + keys.path() + '\'');
    EXPECT_NE(parse_measure_options({"--distribution", "file:/none", "--help"}).answer, "");
    EXPECT_THROW(parse_measure_options({"--distribution", file + ".none"}), FileError);
}

TEST(MeasureOptions, AnswerForHelp) {
    EXPECT_THAT(parse_measure_options({"--help"}).answer,
                HasSubstr("Elements [2^20, or all keys of a file]: "));
    EXPECT_THAT(parse_measure_options({"--help"}).answer, HasSubstr("--slowest-call"));
    EXPECT_THAT(parse_measure_options({"--version"}).answer, HasSubstr("stream_compaction"));
}

}  // namespace
}  // namespace stream_compaction
