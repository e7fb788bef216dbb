// The allocator that keeps blocks that Thrust releases.
#include "simt/error.h"
#include "simt/memory.h"
#include "stream_compaction/thrust.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace stream_compaction {
namespace {

using thrust::CachingAllocator;

/// Writes a whole block, and reads it back.
void expect_usable(char* block, std::size_t bytes, char value) {
    simt::fill_async(block, static_cast<unsigned char>(value), bytes);
    std::vector<char> host(bytes, 0);
    simt::copy_async(host.data(), block, bytes);
    simt::synchronize();
    EXPECT_EQ(host, std::vector<char>(bytes, value));
}

TEST(CachingAllocator, GivesTheReservedMemoryFirst) {
    CachingAllocator allocator(1000);
    char* const reserved = allocator.allocate(1000);
    expect_usable(reserved, 1000, 1);
    allocator.deallocate(reserved, 1000);
    EXPECT_EQ(allocator.allocate(1), reserved);
}

TEST(CachingAllocator, GivesABlockAgain) {
    CachingAllocator allocator(0);
    char* const block = allocator.allocate(5000);
    expect_usable(block, 5000, 2);
    allocator.deallocate(block, 5000);
    EXPECT_EQ(allocator.allocate(5000), block);
    allocator.deallocate(block, 5000);
    EXPECT_EQ(allocator.allocate(4000), block);
}

TEST(CachingAllocator, GrowsAndKeepsWhatItHas) {
    CachingAllocator allocator(100);
    char* const small = allocator.allocate(100);
    allocator.deallocate(small, 100);

    char* const large = allocator.allocate(100'000);
    EXPECT_NE(large, small);
    expect_usable(large, 100'000, 3);
    EXPECT_EQ(allocator.allocate(100), small) << "the first block is free";
    allocator.deallocate(large, 100'000);
    EXPECT_EQ(allocator.allocate(100'000), large);
}

TEST(CachingAllocator, KeepsLiveBlocksApart) {
    CachingAllocator allocator(1000);
    char* const first = allocator.allocate(1000);
    char* const second = allocator.allocate(1000);
    ASSERT_NE(first, second);
    simt::fill_async(first, 4, 1000);
    expect_usable(second, 1000, 5);
    std::vector<char> host(1000);
    simt::copy_async(host.data(), first, 1000);
    simt::synchronize();
    EXPECT_EQ(host, std::vector<char>(1000, 4));

    allocator.deallocate(first, 1000);
    EXPECT_EQ(allocator.allocate(1000), first) << "the second is still in use";
}

TEST(CachingAllocator, GivesNoMoreThanThereIs) {
    CachingAllocator allocator(1000);
    EXPECT_THROW(allocator.allocate(std::ptrdiff_t{1} << 50), simt::OutOfMemory);
    expect_usable(allocator.allocate(1000), 1000, 6);
}

}  // namespace
}  // namespace stream_compaction
