#include "src/measure/results_file.h"

#include "src/command_line/usage_error.h"
#include "tests/measure/fabricated_results.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder for each test.
class OutputFileTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("results_file_test." + std::to_string(getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    long files() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }

    fs::path folder_;
};

TEST(ResultsFile, TellsAllThatIsKnown) {
    const json file = json::parse(to_json(fabricated_results()));
    EXPECT_EQ(file["experiment"], "fabricated");
    EXPECT_EQ(file["machine"]["gpu"], "NVIDIA \"H200\"");
    EXPECT_EQ(file["machine"]["date"], "2026-11-20");
    EXPECT_EQ(file["empty_launch_us"], (json{{"cold", 2.0}, {"hot", 1.5}}));
    EXPECT_EQ(file["rows"][0], (json{{"operation", "scan"},
                                     {"algorithm", "single_pass"},
                                     {"mode", "cold"},
                                     {"n", 8589934592},
                                     {"distribution", "uniform50"},
                                     {"model", nullptr},
                                     {"kept", nullptr},
                                     {"variant", "max_float"},
                                     {"block_size", 512},
                                     {"items_per_thread", 16},
                                     {"median_us", 10.123},
                                     {"min_us", 9.0},
                                     {"q1_us", 9.5},
                                     {"q3_us", 11.0},
                                     {"samples", 12},
                                     {"copy_us", 8.5},
                                     {"roof_us", 8.5},
                                     {"phases_us", nullptr},
                                     {"energy_mj", nullptr},
                                     {"verified", true}}));
    const json& compact = file["rows"][1];
    EXPECT_EQ(compact["kept"], 0.25);
    EXPECT_EQ(compact["variant"], nullptr);
    EXPECT_EQ(compact["items_per_thread"], nullptr);
    EXPECT_EQ(compact["copy_us"], nullptr);
    EXPECT_EQ(compact["phases_us"], (json{{"map", 1.0}, {"scan", 2.0}, {"scatter", 3.0}}));
    EXPECT_EQ(compact["energy_mj"], 2.5);
    EXPECT_EQ(compact["verified"], false);
    EXPECT_EQ(compact["throttled"], true);
    EXPECT_EQ(compact["padding"], 0);
    EXPECT_EQ(compact["discarded"], 3);
    EXPECT_EQ(compact["unsteady_clock"], true);
    EXPECT_EQ(file["fastest_copies"],
              (json{{"cold", {{"34359738368", "vectors"}, {"64", "memcpy"}}},
                    {"hot", {{"64", "bulk"}}}}));
    EXPECT_EQ(file["gpu_use_by_others"], 97);
    EXPECT_EQ(file["shared_host"], (json{{"cpus", 16}, {"used_by_others", 3.25}, {"quota", 4.0}}));
    EXPECT_EQ(file["skipped"],
              (json{{{"operation", "sort"},
                     {"algorithm", "cpu"},
                     {"mode", "graph"},
                     {"n", 0},
                     {"variant", nullptr},
                     {"reason", "skipped: runs on the host, which has no graphs"}}}));
}

TEST(ResultsFile, HasItsSamplesIfAsked) {
    const Results results = fabricated_results();
    EXPECT_THAT(to_json(results), Not(HasSubstr("samples_us")));
    json file = json::parse(to_json_with_samples(results));
    EXPECT_EQ(file["rows"][0]["samples_us"],
              (json{10.123, 9.0, 9.5, 9.5, 9.5, 10.0, 11.0, 11.0, 11.0, 10.123, 10.123, 12.0}));
    EXPECT_EQ(file["rows"][1]["samples_us"], json{6.0});
    for (json& row : file["rows"]) row.erase("samples_us");
    EXPECT_EQ(file, json::parse(to_json(results)));
}

TEST(ResultsFile, HasALineForEachRow) {
    std::istringstream lines(to_json(fabricated_results()));
    int rows = 0;
    for (std::string line; std::getline(lines, line);)
        rows += line.starts_with("    {\"operation\":") ? 1 : 0;
    EXPECT_EQ(rows, 4);
}

TEST(ResultsFile, LosesNoRowToATextThatIsNoUtf8) {
    Results results = fabricated_results();
    results.machine.gpu = "GPU\xff";
    results.skipped.at(0).reason = "skipped: \xc3";
    const json file = json::parse(to_json(results));
    EXPECT_EQ(file["machine"]["gpu"], "GPU\uFFFD");
    EXPECT_EQ(file["skipped"][0]["reason"], "skipped: \uFFFD");
    EXPECT_EQ(file["rows"].size(), results.measured.size());
}

TEST(ResultsFile, MayBeEmpty) {
    const json file = json::parse(to_json(Results{}));
    EXPECT_EQ(file["rows"], json::array());
    EXPECT_EQ(file["skipped"], json::array());
    EXPECT_FALSE(file.contains("fastest_copies") || file.contains("shared_host") ||
                 file.contains("gpu_use_by_others"));
    EXPECT_EQ(to_csv(Results{}), "");
}

TEST(ResultsFile, IsATableInCsv) {
    EXPECT_EQ(
        to_csv(fabricated_results()),
        "operation,algorithm,mode,n,distribution,model,kept,variant,block_size,items_per_thread,"
        "median_us,min_us,q1_us,q3_us,samples,copy_us,roof_us,map_us,scan_us,scatter_us,energy_mj,"
        "verified,throttled,padding,discarded,unsteady_clock\n"
        "scan,single_pass,cold,8589934592,uniform50,,,max_float,512,16,10.123,9.0,9.5,11.0,12,8.5,"
        "8.5,,,,,true,false,1,0,false\n"
        "compact,naive,hot,0,clustered,,0.25,,128,,6.0,6.0,6.0,6.0,1,,,1.0,2.0,3.0,2.5,false,"
        "true,0,3,true\n"
        "sort,onesweep,cold,1000,model:1,\"" +
            describe(KeyLaw(1, 1000)) + "\",,,,,6.0,6.0,6.0,6.0,1,,,,,,,true,false,1,0,false\n");
}

TEST_F(OutputFileTest, TakesItsNameWhenItIsWritten) {
    const fs::path path = folder_ / "new" / "file.json";
    {
        OutputFile file(path);
        EXPECT_FALSE(fs::exists(path));
        file.write("text");
        EXPECT_EQ(content(path), "text");
        file.write("other");
        EXPECT_EQ(content(path), "other");
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()),
              1);
}

TEST_F(OutputFileTest, LeavesAnOlderFileAloneUntilThen) {
    const fs::path path = folder_ / "file.json";
    std::ofstream(path) << "older";
    { const OutputFile file(path); }
    EXPECT_EQ(content(path), "older");
    EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, HasANameAsLongAsTheSystemAllows) {
    const fs::path path = folder_ / std::string(255, 'a');
    OutputFile(path).write("text");
    EXPECT_EQ(content(path), "text");
    EXPECT_EQ(files(), 1);
    EXPECT_THROW(OutputFile{folder_ / std::string(256, 'a')}, FileError);
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWrittenBeforehand) {
    std::ofstream(folder_ / "file") << "no folder";
    for (const fs::path& path : {fs::path(), folder_, folder_ / "", folder_ / "file" / "below",
                                 fs::path("/proc/none/file.json")})
        EXPECT_THROW(OutputFile{path}, FileError) << path;
    EXPECT_EQ(files(), 1);
    try {
        const OutputFile file(folder_ / "file" / "below", "--json");
    } catch (const FileError& error) {
        EXPECT_EQ(error.what(), "--json: " + (folder_ / "file" / "below").string() +
                                    " cannot be written: Not a directory");
    }
}

TEST_F(OutputFileTest, FollowsLinks) {
    fs::create_directory(folder_ / "elsewhere");
    std::ofstream(folder_ / "elsewhere" / "file.json") << "older";
    fs::create_symlink("elsewhere/file.json", folder_ / "link");
    fs::create_symlink(folder_ / "link", folder_ / "link to link");
    fs::create_symlink("elsewhere/new.json", folder_ / "link to nothing");
    OutputFile(folder_ / "link to link").write("newer");
    OutputFile(folder_ / "link to nothing").write("new");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link to link"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link to nothing"));
    EXPECT_EQ(content(folder_ / "elsewhere" / "file.json"), "newer");
    EXPECT_EQ(content(folder_ / "elsewhere" / "new.json"), "new");
    EXPECT_EQ(files(), 4);

    fs::create_symlink("circle", folder_ / "circle");
    EXPECT_THROW(OutputFile{folder_ / "circle"}, FileError);
}

TEST_F(OutputFileTest, RefusesAnInputUnderAnyName) {
    const std::string path = folder_ / "keys";
    std::ofstream(path) << "keys";
    fs::create_symlink("keys", folder_ / "link");
    fs::create_hard_link(path, folder_ / "hard link");
    fs::create_directory_symlink(".", folder_ / "folder");
    KeyFiles inputs;
    inputs.push_back(std::make_unique<const KeyFile>(path));
    for (const char* const name : {"keys", "./keys", "link", "hard link", "folder/keys"}) {
        try {
            const OutputFile file(folder_ / name, "--json", inputs);
            ADD_FAILURE() << name;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), "--json: given '" + (folder_ / name).string() +
                                        "', expected another file than the keys of --distribution");
        }
    }
    OutputFile(folder_ / "other", "--json", inputs).write("text");
    EXPECT_EQ(content(path), "keys");
}

TEST_F(OutputFileTest, KnowsAnotherOfTheSameFile) {
    std::ofstream(folder_ / "file") << "older";
    fs::create_symlink("file", folder_ / "link");
    fs::create_hard_link(folder_ / "file", folder_ / "hard link");
    fs::create_symlink("new", folder_ / "link to new");
    const OutputFile file(folder_ / "file"), later(folder_ / "new"), below(folder_ / "no" / "new");
    for (const char* const name : {"file", "./file", "link", "hard link"}) {
        EXPECT_TRUE(file.is_same_file(OutputFile(folder_ / name))) << name;
        EXPECT_FALSE(later.is_same_file(OutputFile(folder_ / name))) << name;
    }
    for (const char* const name : {"new", "no/../new", "link to new"})
        EXPECT_TRUE(later.is_same_file(OutputFile(folder_ / name))) << name;
    EXPECT_FALSE(later.is_same_file(below));

    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    const OutputFile relative("new");
    for (const fs::path& name : {fs::path("./new"), fs::path("no/../new"), folder_ / "new"})
        EXPECT_TRUE(relative.is_same_file(OutputFile(name))) << name;
    EXPECT_FALSE(relative.is_same_file(OutputFile("other")));
    fs::current_path(before);
}

TEST_F(OutputFileTest, RefusesWhatNobodyMayWriteTo) {
    const fs::path path = folder_ / "file.json";
    std::ofstream(path) << "older";
    fs::permissions(path, fs::perms::owner_read | fs::perms::group_read);
    EXPECT_THROW(OutputFile{path}, FileError);  // even for root
    EXPECT_EQ(content(path), "older");
    EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, LeavesAFileItsPermissions) {
    const fs::path path = folder_ / "file.json";
    std::ofstream(path) << "older";
    const auto permissions = fs::perms::owner_read | fs::perms::owner_write;
    fs::permissions(path, permissions);
    OutputFile(path).write("newer");
    EXPECT_EQ(fs::status(path).permissions(), permissions);
    EXPECT_EQ(content(path), "newer");
}

TEST_F(OutputFileTest, ReplacesAFileInOneStep) {
    const fs::path path = folder_ / "file.json";
    std::ofstream(path) << "older";
    std::ifstream reader(path);
    OutputFile(path).write("newer");
    // A reader that had it open sees the complete older content.
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "older");
}

TEST_F(OutputFileTest, WritesToWhatIsNoRegularFile) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("pipe", folder_ / "link");
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    OutputFile file(folder_ / "link");
    file.write("text");
    std::array<char, 16> read_back{};
    EXPECT_EQ(read(reader, read_back.data(), read_back.size()), 4);
    EXPECT_STREQ(read_back.data(), "text");
    close(reader);
    (void)std::signal(SIGPIPE, SIG_IGN);
    EXPECT_THROW(file.write("without a reader"), FileError);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_EQ(files(), 2);
}

TEST_F(OutputFileTest, LeavesNoFolderWithoutAFile) {
    { const OutputFile file(folder_ / "new" / "newer" / "file.json"); }
    EXPECT_THROW(OutputFile{folder_ / "new" / std::string(300, 'x') / "file.json"}, FileError);
    EXPECT_EQ(files(), 0);
}

TEST_F(OutputFileTest, SaysThatTheFolderCannotBeMade) {
    OutputFile file(folder_ / "gone" / "file.json");
    std::ofstream(folder_ / "gone") << "no folder";
    try {
        file.write("text");
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("file.json cannot be written: Not a directory"));
    }
}

}  // namespace
}  // namespace stream_compaction
