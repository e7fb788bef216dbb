// A program whose plans and arrays are static objects: created before main() and before the
// library's own static objects, destroyed after main() has returned.
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/single_pass.h"
#include "stream_compaction/streamed.h"
#include "tests/sizes.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

const std::size_t kSize = stream_compaction::at_most(300'000);

void require(bool is_right, const char* what) {
    if (is_right) return;
    std::cerr << "wrong: " << what << std::endl;
    std::_Exit(1);
}

void scan(const char* when) {
    const std::vector<int> ones(kSize, 1);
    std::vector<int> sums(kSize);
    stream_compaction::single_pass::scan(ones, sums);
    require(sums.back() == static_cast<int>(kSize) - 1, when);
}

struct ScansToTheEnd {
    ScansToTheEnd() { scan("before main()"); }
    ~ScansToTheEnd() { scan("after main()"); }
};

ScansToTheEnd before_all;  // and therefore destroyed after all others
simt::PinnedArray<int> pinned(10);
simt::DeviceArray<int> device(10);
simt::Stream stream;
stream_compaction::single_pass::Scan<> scan_plan(kSize);
stream_compaction::streamed::Sort sort_plan(kSize, {}, {.threads = 2, .piece = 1000});
ScansToTheEnd after_all;

}  // namespace

int main() {
    require(simt::is_pinned(pinned.data()), "is_pinned");
    std::vector<int> values(kSize);
    for (std::size_t i = 0; i < kSize; ++i) values[i] = static_cast<int>(i * 7919 % kSize);
    sort_plan.enqueue(values.data(), values.data(), kSize);
    require(std::ranges::is_sorted(values), "sort");
}
