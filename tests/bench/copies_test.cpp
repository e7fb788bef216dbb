// Copies of every kind and size, on both backends.
#include "src/bench/copies/copies.h"

#include "simt/device_profile.h"
#include "simt/memory.h"
#include "simt/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#if defined(SIMT_EMULATED)
#include "simt/emulated/executor.h"
#endif

namespace stream_compaction {
namespace {

constexpr std::size_t kGuard = 64;
constexpr char kUntouched = 0x5c;

/// The output of a copy of this many bytes, and the bytes after it.
std::vector<char> copied(const Copy& copy, const std::vector<char>& in, std::size_t bytes) {
    const simt::DeviceArray<char> device_in{std::span<const char>(in)};
    simt::DeviceArray<char> device_out(bytes + kGuard);
    simt::fill_async(device_out.data(), kUntouched, bytes + kGuard);
    const simt::Stream stream;
    simt::synchronize();
    copy.enqueue(device_out.data(), device_in.data(), bytes, stream.get());
    stream.synchronize();
    std::vector<char> out(bytes + kGuard);
    device_out.copy_to(out);
    return out;
}

TEST(Copies, EqualTheirSource) {
    constexpr std::size_t kTile = 4096;
    for (const Copy& copy : copies())
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17},
              std::size_t{1000}, kTile - 1, kTile, kTile + 1, kTile + 15, kTile + 16, 5 * kTile + 7,
              (std::size_t{1} << 17) + 12}) {
            std::vector<char> in(bytes + kGuard);
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i * 37 + i / 251);
            std::vector<char> expected(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(bytes));
            expected.resize(bytes + kGuard, kUntouched);
            EXPECT_EQ(copied(copy, in, bytes), expected) << copy.name << ", " << bytes << " bytes";
        }
}

TEST(Copies, HaveNames) {
    std::vector<std::string_view> names;
    for (const Copy& copy : copies()) names.push_back(copy.name);
    if (has_bulk_copies())
        EXPECT_THAT(names, testing::ElementsAre("memcpy", "vectors", "bulk"));
    else
        EXPECT_THAT(names, testing::ElementsAre("memcpy", "vectors"));
}

#if defined(SIMT_EMULATED)
TEST(Copies, NeedHopperForBulkCopies) {
    simt::emulate(simt::find_device_profile("t4"));
    EXPECT_FALSE(has_bulk_copies());
    simt::emulate(simt::find_device_profile("h200"));
    EXPECT_TRUE(has_bulk_copies());
    simt::emulate(nullptr);
}
#endif

}  // namespace
}  // namespace stream_compaction
