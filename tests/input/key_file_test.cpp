#include "src/input/key_file.h"

#include "src/command_line/shell_word.h"
#include "src/command_line/usage_error.h"
#include "src/input/distribution_option.h"
#include "src/input/input.h"
#include "src/program/file_error.h"
#include "src/program/host_memory.h"
#include "tests/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const std::vector<int> kKeys = {7, -1, 0, 2147483647, -2147483647 - 1, 0};

/// In the format of NumPy.
std::string npy(const std::string& type, const std::string& fortran_order, const std::string& shape,
                const std::string& data, char version = 1) {
    std::string header =
        "{'descr': " + type + ", 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }";
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    header.append(63 - (8 + length_bytes + header.size()) % 64, ' ').append("\n");
    std::string length(length_bytes, '\0');
    length[0] = static_cast<char>(header.size() % 256);
    length[1] = static_cast<char>(header.size() / 256);
    return "\x93NUMPY" + std::string{version, '\0'} + length + header + data;
}

std::string right_npy(char version = 1) {
    return npy("'<i4'", "False", "(6,)", bytes_of(kKeys), version);
}

class KeyFileTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("key_file_test." + std::to_string(getpid()));
        fs::create_directory(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        return folder_ / name;
    }

    std::string what_is_said_of(const std::string& content, const std::string& name = "keys") {
        try {
            (void)KeyFile(file(name, content));
        } catch (const FileError& error) {
            return error.what();
        }
        return "nothing";
    }

    Distribution keys(std::size_t most = KeyFile::kAll) {
        return parse_distributions("file:" + file("keys", bytes_of(kKeys)), most, files_).front();
    }

    fs::path folder_;
    KeyFiles files_;
};

TEST_F(KeyFileTest, HoldsKeysAndNothingElse) {
    const KeyFile keys(file("keys.bin", bytes_of(kKeys)));
    EXPECT_EQ(keys.path(), folder_ / "keys.bin");
    EXPECT_EQ(keys.size(), 6u);
    EXPECT_THAT(keys.keys(), ElementsAreArray(kKeys));
}

TEST_F(KeyFileTest, IsReadAsFarAsItIsNeeded) {
    for (const std::string& content : {bytes_of(kKeys), right_npy()}) {
        const KeyFile keys(file("keys", content), 2);
        EXPECT_EQ(keys.size(), 6u);
        EXPECT_THAT(keys.keys(), ElementsAre(7, -1));
    }
}

TEST_F(KeyFileTest, MayBeEmptyOrShorterThanAnyHeader) {
    EXPECT_EQ(KeyFile(file("keys", "")).size(), 0u);
    EXPECT_THAT(KeyFile(file("keys", bytes_of({5}))).keys(), ElementsAre(5));
    EXPECT_EQ(KeyFile(file("keys.npy", npy("'<i4'", "False", "(0,)", ""))).size(), 0u);
}

TEST_F(KeyFileTest, IsNumPysInBothVersions) {
    for (const char version : {1, 2})
        for (const char* const name : {"keys.npy", "keys"})
            EXPECT_THAT(KeyFile(file(name, right_npy(version))).keys(), ElementsAreArray(kKeys));
}

TEST_F(KeyFileTest, HasAHeaderOfAnyLength) {
    std::vector<int> many(100000);
    std::iota(many.begin(), many.end(), -5);
    std::string content = npy("'<i4'", "False", "(100000,)", "", 2);
    const std::string padding(70000, ' ');
    content.insert(content.size() - 1, padding);
    const auto length = static_cast<std::uint32_t>(content.size() - 12);
    std::memcpy(content.data() + 8, &length, 4);
    EXPECT_THAT(KeyFile(file("keys", content + bytes_of(many))).keys(), ElementsAreArray(many));
}

TEST_F(KeyFileTest, HasAnyLegalSpacing) {
    for (std::string header :
         {"{'descr':'<i4','fortran_order':False,'shape':(6,)}",
          "{ \"descr\" : \"<i4\" ,\t\"fortran_order\" :\tFalse ,\n \"shape\" : ( 6 , ) }  \n",
          "{'shape': (6 ,), 'fortran_order' : False , 'descr' : '<i4' , }"}) {
        const auto length = static_cast<std::uint16_t>(header.size());
        std::string content("\x93NUMPY\x01\0", 8);
        content.append(reinterpret_cast<const char*>(&length), sizeof length);
        EXPECT_THAT(KeyFile(file("keys.npy", content + header + bytes_of(kKeys))).keys(),
                    ElementsAreArray(kKeys))
            << header;
    }
}

TEST_F(KeyFileTest, HoldsNothingElse) {
    const std::string data = bytes_of(kKeys);
    const auto expect = [&](const std::string& content, const std::string& text) {
        const std::string said = what_is_said_of(content);
        EXPECT_THAT(said, StartsWith("--distribution: '" + (folder_ / "keys").string() + "' "));
        EXPECT_THAT(said, EndsWith(text));
        EXPECT_EQ(said.find('\n'), std::string::npos);
    };
    expect("abc", "has a size of 3 bytes, which is not a multiple of 4");
    expect(npy("'<f4'", "False", "(6,)", data),
           "has elements of type '<f4', not '<i4', little-endian int32");
    expect(npy("'>i4'", "False", "(6,)", data),
           "has elements of type '>i4', not '<i4', little-endian int32");
    expect(npy("'<i8'", "False", "(3,)", data),
           "has elements of type '<i8', not '<i4', little-endian int32");
    expect(npy("[('a', '<i4')]", "False", "(6,)", data),
           "has elements of type '[('a','<i4')]', not '<i4', little-endian int32");
    expect(npy("[('a,}', '<i4'), ('b', '<f4', (2, 2))]", "False", "(6,)", data),
           "has elements of type '[('a,}','<i4'),('b','<f4',(2,2))]', not '<i4', little-endian "
           "int32");
    expect(npy("'<i4', 'descr': '<f4'", "False", "(6,)", data), "has 'descr' twice in its header");
    expect(npy("'<i4'", "False", "(6,), 'shape': (6,)", data), "has 'shape' twice in its header");
    expect(npy("'\n'", "False", "(6,)", data),
           "has elements of type '\\x0a', not '<i4', little-endian int32");
    expect(npy("'<i4'", "True", "(6,)", data), "is not in C order");
    expect(npy("'<i4'", "", "(6,)", data), "is not in C order");
    expect(npy("'<i4'", "False", "(2, 3)", data), "has shape '(2,3)', not one axis");
    expect(npy("'<i4'", "False", "(2, 3,)", data), "has shape '(2,3,)', not one axis");
    expect(npy("' <i4'", "False", "(6,)", data),
           "has elements of type ' <i4', not '<i4', little-endian int32");
    expect(npy("'<i4'", "False", "()", data), "has shape '()', not one axis");
    expect(npy("'<i4'", "False", "(,)", data), "has shape '(,)', not one axis");
    expect(npy("'<i4'", "False", "(-6,)", data), "has shape '(-6,)', not one axis");
    expect(npy("'<i4'", "False", "(99999999999999999999999,)", data),
           "has shape '(99999999999999999999999,)', not one axis");
    expect(npy("'<i4'", "False", "(6", data), "has shape '', not one axis");
    expect(npy("'<i4'", "False", "(7,)", data), "ends after 6 of its 7 keys");
    expect(right_npy() + "more", "has 4 bytes after its 6 keys");
    expect(npy("'<i4'", "False", "(1,)", data.substr(0, 5)), "has 1 byte after its 1 key");
    expect(npy("'<i4'", "False", "(6,)", data.substr(0, 23)), "ends after 5 of its 6 keys");
    expect(npy("'<i4'", "False", "(4611686018427387910,)", data),
           "ends after 6 of its 4611686018427387910 keys");
    expect(npy("'<i4'", "False", "(6,)", data, 3), "has .npy version 3; supported are 1 and 2");
    expect(npy("'<i4'", "False", "(6,)", data, '\xff'),
           "has .npy version 255; supported are 1 and 2");
    for (const std::size_t length : {6, 7, 8, 9, 10, 64, 127})
        expect(right_npy().substr(0, length), "ends within its header");
    for (const std::size_t length : {8, 11, 12})
        expect(right_npy(2).substr(0, length), "ends within its header");
    EXPECT_THAT(what_is_said_of(data, "keys.npy"), EndsWith("is not a .npy file"));
    EXPECT_THAT(what_is_said_of("", "keys.npy"), EndsWith("is not a .npy file"));
    // What numpy.savez writes, whatever it is called.
    const std::string archive("PK\x03\x04-\0\0\0\0\0!\0", 12);
    for (const char* const name : {"keys.npz", "keys.npy", "keys"})
        EXPECT_THAT(what_is_said_of(archive, name),
                    EndsWith("is an archive; extract a .npy file from it"));
    EXPECT_THAT(what_is_said_of(data, "keys.npz"), HasSubstr("is an archive"));
}

TEST_F(KeyFileTest, IsAFile) {
    const auto what_is_said_of = [](const std::string& path) -> std::string {
        try {
            (void)KeyFile(path);
        } catch (const FileError& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_THAT(what_is_said_of(folder_ / "none"),
                EndsWith("cannot be read: No such file or directory"));
    EXPECT_THAT(what_is_said_of(folder_), EndsWith("is not a regular file"));
    EXPECT_THAT(what_is_said_of("/dev/null"), EndsWith("is not a regular file"));
    // Of size 0, but not empty; the last one cannot be read at its begin.
    for (const char* const path :
         {"/proc/self/cmdline", "/proc/self/status", "/proc/meminfo", "/proc/self/mem"})
        EXPECT_THAT(what_is_said_of(path), EndsWith("is not a regular file"));
    EXPECT_THAT(what_is_said_of(file("keys", "") + "/below"),
                EndsWith("cannot be read: Not a directory"));
    EXPECT_THAT(what_is_said_of(std::string(5000, 'x')),
                EndsWith("cannot be read: File name too long"));
}

TEST_F(KeyFileTest, HasNoMoreKeysThanTheHostHasRoomFor) {
    const std::string path = file("keys", "");
    std::error_code error;
    fs::resize_file(path, std::uintmax_t{1} << 43, error);  // a hole
    if (error) GTEST_SKIP() << "no file can be so large here";
    try {
        (void)KeyFile(path);
        FAIL() << "not refused";
    } catch (const UsageError& refusal) {
        EXPECT_THAT(refusal.what(), StartsWith("--distribution: given 'file:" + path + "', "));
        EXPECT_THAT(refusal.what(), HasSubstr("expected at most "));
    }
    EXPECT_THAT(KeyFile(path, 3).keys(), ElementsAre(0, 0, 0));
    // The keys alone would fit, but not with the arrays of a call.
    fs::resize_file(path, std::uintmax_t{available_host_bytes()} / 2 / sizeof(int) * sizeof(int));
    EXPECT_THROW(KeyFile{path}, UsageError);
}

TEST_F(KeyFileTest, IsAnInputAsItIs) {
    const Distribution distribution = keys();
    EXPECT_EQ(make_input(distribution, std::nullopt, 6, 1), kKeys);  // with a zero at its end
    EXPECT_THAT(make_input(distribution, std::nullopt, 3, 2), ElementsAre(7, -1, 0));
    EXPECT_THAT(make_input(distribution, std::nullopt, 0, 2), SizeIs(0));
    EXPECT_THROW(make_input(distribution, std::nullopt, 7, 1), std::invalid_argument);
    EXPECT_THROW(make_input(keys(5), std::nullopt, 6, 1), std::invalid_argument);
    EXPECT_EQ(to_string(distribution), "file:" + (folder_ / "keys").string());
    EXPECT_EQ(describe(distribution, 6), to_string(distribution));
}

TEST_F(KeyFileTest, KeepsAShareWhereOneIsAskedFor) {
    EXPECT_THAT(make_input(keys(), 1.0, 6, 1),
                ElementsAre(7, -1, 1, 2147483647, -2147483647 - 1, 1));
    EXPECT_THAT(make_input(keys(), 0.0, 6, 1), ElementsAre(0, 0, 0, 0, 0, 1));
}

TEST_F(KeyFileTest, HasTheKeysThatAreAskedFor) {
    require_keys(keys(), 6);
    require_keys(keys(2), 6);
    require_keys(Distribution::uniform, 1000);
    try {
        require_keys(keys(), 7);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_EQ(error.what(), "--size: given '7', expected at most 6, all keys of '" +
                                    (folder_ / "keys").string() + "'");
    }
}

std::vector<std::string> names(const std::string& given) {
    KeyFiles files;
    std::vector<std::string> found;
    for (const Distribution& distribution : parse_distributions(given, 0, files))
        found.push_back(to_string(distribution));
    return found;
}

TEST(DistributionOption, NamesModels) {
    EXPECT_THAT(names("zipf"), ElementsAre("zipf"));
    EXPECT_THAT(names("model:7"), ElementsAre("model:7"));
    EXPECT_THAT(names("model:0..2"), ElementsAre("model:0", "model:1", "model:2"));
    EXPECT_THAT(names("model:5..5"), ElementsAre("model:5"));
    EXPECT_THAT(names("model:1..10000"), SizeIs(10000));
    EXPECT_THAT(names("model:18446744073709551614..18446744073709551615"),
                ElementsAre("model:18446744073709551614", "model:18446744073709551615"));
}

TEST(DistributionOption, SaysWhatIsLegal) {
    for (const char* const given : {"",
                                    "flat",
                                    "model",
                                    "model:",
                                    "model:x",
                                    "model:-1",
                                    "model:+1",
                                    "model:1.5",
                                    "model: 1",
                                    "model:18446744073709551616",
                                    "model:1..",
                                    "model:..1",
                                    "model:18446744073709551615..0",
                                    "model:2..1",
                                    "model:1..10001",
                                    "model:0..18446744073709551615",
                                    "model:1..2..3",
                                    "model:1...2",
                                    "MODEL:1",
                                    "file:",
                                    "file"}) {
        try {
            KeyFiles files;
            (void)parse_distributions(given, 0, files);
            ADD_FAILURE() << given;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), StartsWith("--distribution: given "));
            EXPECT_THAT(error.what(), HasSubstr(" expected uniform, uniform50, "));
            EXPECT_THAT(error.what(), EndsWith("ipv4, model:NUMBER or model:FIRST..LAST, of at "
                                               "most 10000 models, or file:PATH"));
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
}

TEST(KeyFile, HasANameThatCanBePrinted) {
    for (const auto& [given, shown] : {std::pair{"file:a\nb", "'file:a\\x0ab'"},
                                       {"file:\x7f", "'file:\\x7f'"},
                                       {"file:a\xff", "'file:a\\xff'"}}) {
        try {
            KeyFiles files;
            (void)parse_distributions(given, 0, files);
            ADD_FAILURE() << shown;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), "--distribution: given " + std::string(shown) +
                                        ", expected a path in UTF-8 without control characters; "
                                        "rename the file");
        }
    }
}

TEST(ShellWord, IsQuotedWhereAShellWouldReadMore) {
    EXPECT_EQ(shell_word("file:/a_b/c-1.npy"), "file:/a_b/c-1.npy");
    EXPECT_EQ(shell_word("file:my keys"), "'file:my keys'");
    EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(shell_word("\xc3\xa9"), "'\xc3\xa9'");
}

}  // namespace
}  // namespace stream_compaction
