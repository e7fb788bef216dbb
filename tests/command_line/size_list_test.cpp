#include "src/command_line/size_list.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace stream_compaction {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(SizeList, ReadsSizesAndRanges) {
    const struct {
        const char* text;
        Sizes sizes;
    } kGood[] = {
        {"0", {0}},
        {"2^20-3", {1048573}},
        {"7,5,7,6", {5, 6, 7}},
        {"2^4:2^7:x2", {16, 32, 64, 128}},
        {"16:100:x2", {16, 32, 64}},
        {"10:10:x2", {10}},
        {"1536:2^14:x3", {1536, 4608, 13824}},
        {"0:100:+25", {0, 25, 50, 75, 100}},
        {"0:99:+25", {0, 25, 50, 75}},
        {"8:32:x2,2^4-3,100:102:+1", {8, 13, 16, 32, 100, 101, 102}},
        {"2^63:18446744073709551615:x2", {std::size_t{1} << 63}},
        {"18446744073709551614:18446744073709551615:+1",
         {18446744073709551614u, 18446744073709551615u}},
    };
    for (const auto& [text, sizes] : kGood) EXPECT_EQ(parse_size_list(text), sizes) << text;
}

TEST(SizeList, RefusesWhatIsNoList) {
    for (const char* const text :
         {"",       ",",         "1,",      ",1",        "1,,2",   "x",      "1.5",
          "-3",     "2^64",      "1:",      "1:2",       "1:2:",   "1:2:3",  "1:2:x",
          "1:2:+",  "1:8:x1",    "1:8:x0",  "1:8:+0",    "0:8:x2", "8:1:x2", "8:1:+1",
          "1:8:y2", "1:8:x2:x2", "1:8:x-2", "1:2^20:+1", "::x2",   "1:8:x2,"})
        EXPECT_THROW(parse_size_list(text), std::invalid_argument) << text;
}

TEST(SizeList, SaysWhatIsLegal) {
    for (const auto& [item, why] : {std::pair<std::string, std::string>  //
                                    {"1:8:x1", "the range would not end"},
                                    {"0:8:x2", "no factor leads away from 0"},
                                    {"8:1:x2", "the range has no sizes"},
                                    {"1:8:y2", "a range ends in xFACTOR or +STEP"}}) {
        try {
            (void)parse_size_list(item);
            ADD_FAILURE() << item;
        } catch (const std::invalid_argument& error) {
            EXPECT_EQ(error.what(), "given '" + item + "', " + why + "; expected " +
                                        std::string(kLegalSizeLists));
        }
    }
}

TEST(SizeList, HasALimit) {
    EXPECT_EQ(parse_size_list("1:10000:+1").size(), 10000u);
    EXPECT_THROW((void)parse_size_list("1:10001:+1"), std::invalid_argument);
}

}  // namespace
}  // namespace stream_compaction
