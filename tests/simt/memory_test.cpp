// Device memory: alignment, ownership, exhaustion; and the device's properties.
#include "simt/memory.h"

#include "simt/device.h"
#include "simt/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using testing::HasSubstr;

TEST(Memory, IsAlignedAndWritable) {
    for (const std::size_t bytes : {1, 3, 255, 256, 257, 100'000}) {
        void* const memory = simt::allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
        simt::fill_async(memory, 0x11, bytes);
        std::vector<unsigned char> out(bytes);
        simt::copy_async(out.data(), memory, bytes);
        simt::synchronize();
        EXPECT_EQ(out, std::vector<unsigned char>(bytes, 0x11));
        simt::release(memory, bytes);
    }
}

TEST(Memory, OfNoBytesIsNull) {
    EXPECT_EQ(simt::allocate(0), nullptr);
    simt::release(nullptr, 0);
    simt::copy_async(nullptr, nullptr, 0);
    simt::fill_async(nullptr, 0, 0);
    simt::synchronize();
}

TEST(PinnedMemory, IsKnownFromItsFirstByteToItsLast) {
    std::vector<unsigned char> pageable(1000);
    EXPECT_FALSE(simt::is_pinned(pageable.data()));
    const simt::PinnedArray<unsigned char> first(1000), second(4096);
    for (const auto& [array, bytes] : {std::pair(&first, 1000), std::pair(&second, 4096)}) {
        EXPECT_TRUE(simt::is_pinned(array->data()));
        EXPECT_TRUE(simt::is_pinned(array->data() + bytes - 1));
    }
    EXPECT_FALSE(simt::is_pinned(pageable.data() + 999));
}

TEST(PinnedMemory, IsCopiedToAndFrom) {
    const simt::PinnedArray<int> from(1000), to(1000);
    std::iota(from.data(), from.data() + 1000, -500);
    const simt::Stream up, down;
    simt::Event is_up = simt::Event::without_time();
    is_up.synchronize();  // it was never recorded
    simt::DeviceArray<int> device(1000);
    simt::copy_async(device.data(), from.data(), 4000, up.get());
    is_up.record(up.get());
    down.wait(is_up);
    simt::copy_async(to.data(), device.data(), 4000, down.get());
    simt::Event is_down = simt::Event::without_time();
    is_down.record(down.get());
    is_down.synchronize();
    EXPECT_TRUE(std::equal(from.data(), from.data() + 1000, to.data()));
}

TEST(PinnedMemory, OfNoBytesIsNullAndOfTooManyIsRefused) {
    EXPECT_EQ(simt::PinnedArray<int>().data(), nullptr);
    EXPECT_EQ(simt::PinnedArray<int>(0).data(), nullptr);
    EXPECT_THROW(simt::PinnedArray<int>(~std::size_t{0}), simt::OutOfMemory);
    for (const std::size_t less : {0, 1, 255, 256, 4096})
        EXPECT_THROW(simt::PinnedArray<char>(~std::size_t{0} - less), simt::OutOfMemory) << less;
}

TEST(Memory, ThatDoesNotExistIsRefused) {
    for (const std::size_t bytes :
         {std::size_t{1} << 45, ~std::size_t{0}, ~std::size_t{0} / 2 + 1}) {
        const unsigned line = __LINE__ + 2;
        try {
            simt::allocate(bytes);
            FAIL() << bytes << " bytes";
        } catch (const simt::OutOfMemory& error) {
            EXPECT_THAT(error.what(), HasSubstr("memory_test.cpp:" + std::to_string(line)));
        }
    }
    simt::release(simt::allocate(1000), 1000);  // it still works
}

TEST(DeviceArray, HoldsACopy) {
    std::vector<int> in(1000);
    std::iota(in.begin(), in.end(), -500);
    const simt::DeviceArray<int> array{std::span<const int>(in)};
    EXPECT_EQ(array.size(), 1000u);
    std::vector<int> out(1000);
    array.copy_to(out);
    EXPECT_EQ(out, in);
    std::vector<int> first(10);
    array.copy_to(first);
    EXPECT_EQ(first, std::vector<int>(in.begin(), in.begin() + 10));
}

TEST(DeviceArray, CopiesFromTheHost) {
    simt::DeviceArray<int> array(4);
    array.copy_from(std::vector<int>{1, 2, 3, 4});
    array.copy_from(std::vector<int>{5, 6});
    std::vector<int> out(4);
    array.copy_to(out);
    EXPECT_EQ(out, (std::vector<int>{5, 6, 3, 4}));
}

TEST(DeviceArray, MayBeEmpty) {
    const simt::DeviceArray<int> none;
    const simt::DeviceArray<int> empty(0);
    const simt::DeviceArray<int> copied{std::span<const int>{}};
    for (const auto* array : {&none, &empty, &copied}) {
        EXPECT_EQ(array->size(), 0u);
        EXPECT_EQ(array->data(), nullptr);
        array->copy_to({});
    }
}

TEST(DeviceArray, Moves) {
    simt::DeviceArray<int> first(8);
    int* const data = first.data();
    simt::DeviceArray<int> second = std::move(first);
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(first.size(), 0u);
    EXPECT_EQ(second.data(), data);
    EXPECT_EQ(second.size(), 8u);
    simt::DeviceArray<int> third(3);
    third = std::move(second);
    EXPECT_EQ(third.data(), data);
    EXPECT_EQ(third.size(), 8u);
}

TEST(DeviceArray, CopiesNoMoreThanItHas) {
    simt::DeviceArray<int> array(std::vector<int>{1, 2, 3});
    std::vector<int> host(4, 7);
    EXPECT_THROW(array.copy_from(host), std::out_of_range);
    EXPECT_THROW(array.copy_to(host), std::out_of_range);
    EXPECT_THROW(simt::DeviceArray<int>().copy_to(host), std::out_of_range);
    EXPECT_EQ(host, std::vector<int>(4, 7));
    array.copy_to(std::span(host).first(3));
    EXPECT_EQ(host, (std::vector<int>{1, 2, 3, 7}));
}

TEST(DeviceArray, OfTooManyElementsIsRefused) {
    EXPECT_THROW(simt::DeviceArray<int>(~std::size_t{0}), simt::OutOfMemory);
    EXPECT_THROW(simt::DeviceArray<int>(~std::size_t{0} / 4 + 1), simt::OutOfMemory);
    EXPECT_THROW(simt::DeviceArray<int>(std::size_t{1} << 43), simt::OutOfMemory);
}

TEST(Device, DescribesItself) {
    EXPECT_EQ(simt::unavailable_reason(), std::nullopt);
    const auto properties = simt::device_properties();
    EXPECT_FALSE(properties.name.empty());
    EXPECT_GT(properties.multiprocessors, 0);
    EXPECT_GE(properties.shared_bytes_per_block, 48u * 1024);
    EXPECT_GE(properties.shared_bytes_per_multiprocessor, properties.shared_bytes_per_block);
    const auto memory = simt::memory_info();
    EXPECT_GT(memory.free, 0u);
    EXPECT_LE(memory.free, memory.total);
    if (simt::kBackend == simt::Backend::emulated) {
        EXPECT_EQ(properties.driver_version, 0);
    } else {
        EXPECT_GE(properties.compute_capability, 75);
        EXPECT_GE(properties.runtime_version, 11000);
        EXPECT_GE(properties.driver_version, properties.runtime_version / 1000 * 1000);
    }
}

}  // namespace
