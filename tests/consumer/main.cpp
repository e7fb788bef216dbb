// Uses the library as another project would, in the three ways that it offers: a host function, a
// plan on device arrays, and the registry's rows by name.
#include "plugin.h"

#include <simt/device.h>
#include <simt/memory.h>
#include <stream_compaction/naive.h>
#include <stream_compaction/registry.h>

#include <exception>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

std::vector<int> input() {
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), -300);
    return values;
}

bool is_scan(const std::vector<int>& sums, const char* how) {
    const std::vector<int> in = input();
    std::vector<int> expected(in.size());
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
    std::cout << how << (sums == expected ? ": right\n" : ": wrong\n");
    return sums == expected;
}

bool scan_by_host_function() {
    std::vector<int> sums(input().size());
    stream_compaction::naive::scan(input(), sums);
    return is_scan(sums, "host function");
}

bool scan_by_plan() {
    std::vector<int> sums(input().size());
    const simt::DeviceArray<int> in(input());
    simt::DeviceArray<int> out(in.size());
    stream_compaction::naive::Scan plan(in.size());
    plan.enqueue(in.data(), out.data(), in.size());
    out.copy_to(sums);
    return is_scan(sums, "plan on device arrays");
}

bool scan_by_registry(const stream_compaction::Registry& registry) {
    const auto* row = find(registry, stream_compaction::Operation::scan, "naive");
    std::vector<int> sums(input().size());
    row->run(input(), sums, row->tuned);
    return is_scan(sums, registry.backend == simt::Backend::cuda ? "row of the GPU backend"
                                                                 : "row of the emulated backend");
}

bool scan_by_plugin() {
    std::vector<int> sums(input().size());
    plugin_scan(input(), sums);
    return is_scan(sums, "shared library");
}

}  // namespace

int main() try {
    bool right = scan_by_plugin();
    if (const auto reason = simt::unavailable_reason())
        std::cout << "no host function, no plan: " << *reason << '\n';
    else
        right = scan_by_host_function() && scan_by_plan() && right;

    for (const auto backend : {simt::Backend::cuda, simt::Backend::emulated}) {
        const auto* registry = stream_compaction::registry(backend);
        if (registry != nullptr && !registry->unavailable_reason())
            right = scan_by_registry(*registry) && right;
    }
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::cout << error.what() << '\n';
    return 1;
}
