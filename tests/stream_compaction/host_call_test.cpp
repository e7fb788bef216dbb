// The host function with a broken plan.
#include "stream_compaction/parts/host_call.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace stream_compaction {
namespace {

/// Reports more kept elements than there are.
class KeepsTooMany {
  public:
    KeepsTooMany(std::size_t, const Tuning&) {}
    void enqueue(const int*, int*, std::size_t* count, std::size_t, simt::stream_t stream,
                 Stopwatch*) {
        simt::fill_async(count, 0x7f, sizeof *count, stream);
    }
};

TEST(HostCall, DoesNotWritePastItsOutput) {
    const std::vector<int> in(100, 1);
    std::vector<int> out(101, -1);
    EXPECT_THROW(call_on_device<KeepsTooMany>(in, std::span(out).first(100), {}), simt::Error);
    EXPECT_EQ(out, std::vector<int>(101, -1));
}

}  // namespace
}  // namespace stream_compaction
