#include "src/program/host_memory.h"

#include "src/command_line/usage_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>

namespace stream_compaction {
namespace {

std::string refusal_of(std::size_t n, std::string_view option) {
    try {
        require_host_memory(n, 4, option);
        return "";
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(HostMemory, NamesTheOptionThatWasGiven) {
    using testing::AllOf, testing::HasSubstr, testing::Not, testing::StartsWith;
    for (const std::size_t n : {std::size_t{1} << 60, std::numeric_limits<std::size_t>::max()}) {
        const std::string number = std::to_string(n);
        EXPECT_THAT(refusal_of(n, "--size"), StartsWith("--size: given '" + number + "'"));
        EXPECT_THAT(refusal_of(n, "--largest"), StartsWith("--largest: given '" + number + "'"));
        // Only a file of keys was given.
        EXPECT_THAT(refusal_of(n, ""), AllOf(StartsWith(number + " elements"), Not(HasSubstr("--")),
                                             HasSubstr("each element needs 4 bytes")));
    }
    EXPECT_EQ(refusal_of(0, "--size"), "");
    EXPECT_EQ(refusal_of(1000, ""), "");
}

}  // namespace
}  // namespace stream_compaction
