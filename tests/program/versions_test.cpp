#include "src/program/versions.h"

#include <gtest/gtest.h>

namespace stream_compaction {
namespace {

TEST(Versions, AreThoseThatPeopleWrite) {
    EXPECT_EQ(cuda_version(13010), "13.1");
    EXPECT_EQ(cuda_version(12080), "12.8");
    EXPECT_EQ(cub_version(300600), "3.6.0");
    EXPECT_EQ(cub_version(201712), "2.17.12");
    EXPECT_EQ(cub_version(0), "");
}

}  // namespace
}  // namespace stream_compaction
