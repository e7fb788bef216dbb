#include "stream_compaction/transfer_watch.h"

#include <gtest/gtest.h>

#include <thread>

namespace stream_compaction {
namespace {

TEST(TransferWatch, SeesTheCallsOfItsThread) {
    TransferWatch watch;
    EXPECT_FALSE(watch.progress().is_running);
    const auto before = TransferWatch::Clock::now();
    for (const std::size_t bytes : {100, 70}) {
        {
            const Transfer transfer(bytes);
            EXPECT_TRUE(watch.progress().is_running);
            EXPECT_EQ(watch.progress().moved, 0u);
            EXPECT_EQ(watch.progress().expected, bytes);
            EXPECT_GE(watch.progress().start, before);
            EXPECT_LE(watch.progress().start, TransferWatch::Clock::now());

            TransferWatch* const mine = TransferWatch::of_this_thread();
            ASSERT_EQ(mine, &watch);
            std::thread([=] { mine->add_moved(30); }).join();
            mine->add_moved(20);
            transfer.leave_out(10);
            EXPECT_EQ(watch.progress().moved, 50u);
        }
        EXPECT_FALSE(watch.progress().is_running);
        EXPECT_EQ(watch.progress().moved, 50u);
        EXPECT_EQ(watch.progress().expected, bytes - 10);
    }
}

TEST(TransferWatch, DoesNotSeeAnotherThreadsCalls) {
    TransferWatch watch;
    std::thread([&] {
        EXPECT_EQ(TransferWatch::of_this_thread(), nullptr);
        const Transfer transfer(100);
        transfer.leave_out(10);
        EXPECT_FALSE(watch.progress().is_running);
    }).join();
    EXPECT_EQ(watch.progress().expected, 0u);
}

TEST(TransferWatch, GivesWayToAYoungerOne) {
    TransferWatch older;
    {
        TransferWatch younger;
        const Transfer transfer(100);
        EXPECT_TRUE(younger.progress().is_running);
        EXPECT_FALSE(older.progress().is_running);
    }
    EXPECT_EQ(TransferWatch::of_this_thread(), &older);
    const Transfer transfer(100);
    EXPECT_TRUE(older.progress().is_running);
}

TEST(TransferWatch, IsNotMissed) {
    EXPECT_EQ(TransferWatch::of_this_thread(), nullptr);
    const Transfer transfer(100);
    transfer.leave_out(10);
}

}  // namespace
}  // namespace stream_compaction
