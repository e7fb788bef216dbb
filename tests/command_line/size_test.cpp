#include "src/command_line/size.h"

#include "src/command_line/usage_error.h"
#include "src/program/file_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace stream_compaction {
namespace {

struct Good {
    std::string_view text;
    std::size_t value;
};

class GoodSize : public testing::TestWithParam<Good> {};

TEST_P(GoodSize, HasItsValue) { EXPECT_EQ(parse_size(GetParam().text), GetParam().value); }

constexpr Good kGood[] = {
    {"0", 0},
    {"1", 1},
    {"007", 7},
    {"4194304", 4194304},
    {"1e6", 1000000},
    {"1E6", 1000000},
    {"1e+6", 1000000},
    {"1e0", 1},
    {"1.0", 1},
    {"1.50e1", 15},
    {"1.5e6", 1500000},
    {"0.25e2", 25},
    {"2^22", 4194304},
    {"2^22-3", 4194301},
    {"2^22+1", 4194305},
    {"2^2+2^3-1", 11},
    {"3*2^20", 3145728},
    {"3*2^20-3", 3145725},
    {"1e6-1", 999999},
    {"5-5", 0},
    {"2^0", 1},
    {"0^0", 1},
    {"0^5", 0},
    {"1^18446744073709551615", 1},
    {"0e18446744073709551615", 0},
    {"2^63", std::size_t{1} << 63},
    {"18446744073709551615", 18446744073709551615U},
    {"2^64-1", 18446744073709551615U},
    {"2*2^63-2^63", std::size_t{1} << 63},
    {"18446744073709551616-2^32*2^31", std::size_t{1} << 63},
};
INSTANTIATE_TEST_SUITE_P(Table, GoodSize, testing::ValuesIn(kGood));

struct Bad {
    std::string_view text;
    std::string_view reason;
};

TEST(InQuotes, KeepsAMessageOneLine) {
    EXPECT_EQ(in_quotes("a b~"), "'a b~'");
    EXPECT_EQ(in_quotes(std::string_view("\x00\n\x1f\x7f", 4)), "'\\x00\\x0a\\x1f\\x7f'");
    // The first and the last characters of each length.
    for (const std::string text : {"\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                                   "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(in_quotes(text), "'" + text + "'");
    // Those next to the characters that begin a line or change the direction.
    for (const std::string text : {"\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa"})
        EXPECT_EQ(in_quotes(text), "'" + text + "'");
    for (const std::string text : {"\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"})
        EXPECT_FALSE(is_printable(text)) << in_quotes(text);
    // A control character, continuations alone and missing, overlong, surrogates, too large.
    for (const std::string text :
         {"\xc2\x9f", "\x80", "\xff", "\xc3", "\xc3z", "\xe2\x82", "\xc1\xbf", "\xe0\x9f\xbf",
          "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80"})
        EXPECT_FALSE(is_printable(text)) << in_quotes(text);
    EXPECT_EQ(in_quotes("a\xff\xc3\xa9\xe2\x82"), "'a\\xff\xc3\xa9\\xe2\\x82'");
    EXPECT_STREQ(UsageError("no \n").what(), "no \\x0a");
    EXPECT_STREQ(FileError("no \xff").what(), "no \\xff");
}

class BadSize : public testing::TestWithParam<Bad> {};

TEST_P(BadSize, SaysWhatWasGivenAndWhatIsLegal) {
    const std::string expected = in_quotes(GetParam().text) + ' ' + std::string(GetParam().reason) +
                                 ", expected " + std::string(kLegalSizes);
    try {
        const std::size_t value = parse_size(GetParam().text);
        FAIL() << GetParam().text << " was parsed as " << value;
    } catch (const std::invalid_argument& error) {
        EXPECT_EQ(error.what(), expected);
    }
}

constexpr Bad kBad[] = {
    {"", "is not a size"},
    {" ", "is not a size"},
    {"ten", "is not a size"},
    {"0x10", "is not a size"},
    {"1k", "is not a size"},
    {"1 ", "is not a size"},
    {" 1", "is not a size"},
    {"1.", "is not a size"},
    {".5e1", "is not a size"},
    {"e6", "is not a size"},
    {"1e", "is not a size"},
    {"2^", "is not a size"},
    {"^2", "is not a size"},
    {"2^2^2", "is not a size"},
    {"2**3", "is not a size"},
    {"2*", "is not a size"},
    {"2^22-", "is not a size"},
    {"+1", "is not a size"},
    {"1,000", "is not a size"},
    {"nan", "is not a size"},
    {"inf", "is not a size"},
    {"-", "is not a size"},
    {"--list", "is not a size"},
    {"-1", "is negative"},
    {"-3", "is negative"},
    {"-2^22", "is negative"},
    {"3-5", "is negative"},
    {"2^-1", "is negative"},
    {"1.5", "is not whole"},
    {"1.25e1", "is not whole"},
    {"1e-3", "is not written as a whole number"},
    {"2^64", "is too large"},
    {"1e20", "is too large"},
    {"18446744073709551616", "is too large"},
    {"99999999999999999999999", "is too large"},
    {"18446744073709551615+1", "is too large"},
    {"4294967296*4294967296", "is too large"},
    {"2^18446744073709551615", "is too large"},
    {"2^65-1", "is too large"},
    {"2^128-1", "is too large"},
    {"2^64-2^65", "is negative"},
};
INSTANTIATE_TEST_SUITE_P(Table, BadSize, testing::ValuesIn(kBad));

TEST(ParseSize, EscapesControlCharactersSoThatTheMessageIsOneLine) {
    try {
        parse_size("1\n2\t");
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), testing::StartsWith("'1\\x0a2\\x09' is not a size"));
    }
}

}  // namespace
}  // namespace stream_compaction
