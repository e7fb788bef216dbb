// Uses the library like another project, in its three ways: a host function, plans on device
// arrays, and the registry's rows by name.
#include "plugin.h"

#include <simt/device.h>
#include <simt/memory.h>
#include <simt/stream.h>
#include <stream_compaction/naive.h>
#include <stream_compaction/onesweep.h>
#include <stream_compaction/registry.h>
#include <stream_compaction/single_pass.h>
#include <stream_compaction/streamed.h>
#include <stream_compaction/transfer_watch.h>

#include <algorithm>
#include <cstddef>
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

/// Filters, scans and sorts in one graph: only the device knows how many elements are left.
bool filter_scan_and_sort_in_a_graph() {
    namespace fast = stream_compaction::single_pass;
    constexpr std::size_t kMost = 1000;
    simt::DeviceArray<int> in(kMost), kept(kMost), sums(kMost), sorted(kMost);
    simt::DeviceArray<std::size_t> count(1);
    const stream_compaction::DeviceSize n{count.data()};
    fast::Compact<> filter(kMost);
    fast::Scan<> scan(kMost);
    stream_compaction::onesweep::Sort<int> sort(kMost);
    const simt::Graph graph([&](simt::stream_t stream) {
        filter.enqueue(in.data(), kept.data(), count.data(), kMost, stream);
        scan.enqueue(kept.data(), sums.data(), n, stream);
        sort.enqueue(kept.data(), sorted.data(), n, stream);
    });

    const simt::Stream stream;
    bool is_right = true;
    for (const int step : {2, 3, 10}) {  // each replay keeps a different number of elements
        std::vector<int> values(kMost);
        for (std::size_t i = 0; i < kMost; ++i)
            values[i] = static_cast<int>(i) % step * (500 - static_cast<int>(i));
        in.copy_from(values);
        graph.launch(stream.get());
        stream.synchronize();

        std::erase(values, 0);
        std::vector<int> expected_sums(values.size()), got_sums(kMost), got_sorted(kMost);
        std::exclusive_scan(values.begin(), values.end(), expected_sums.begin(), 0);
        std::ranges::sort(values);
        sums.copy_to(got_sums);
        sorted.copy_to(got_sorted);
        got_sums.resize(values.size());
        got_sorted.resize(values.size());
        is_right = is_right && got_sums == expected_sums && got_sorted == values;
    }
    std::cout << "filter, scan and sort in one graph: " << (is_right ? "right\n" : "wrong\n");
    return is_right;
}

/// With stream_compaction::types.
bool sort_doubles() {
    const std::vector<double> values{2.5, -1, 1e300, 0, -7};
    const simt::DeviceArray<double> in(values);
    simt::DeviceArray<double> out(values.size());
    stream_compaction::onesweep::Sort<double> plan(values.size());
    plan.enqueue(in.data(), out.data(), values.size());
    std::vector<double> sorted(values.size());
    out.copy_to(sorted);
    const bool is_right = sorted == std::vector<double>{-7, -1, 0, 2.5, 1e300};
    std::cout << "sort of doubles: " << (is_right ? "right\n" : "wrong\n");
    return is_right;
}

/// The library finds an object of this program's thread, even if either of them hides its symbols.
bool watch_a_call() {
    const std::vector<int> in = input();
    std::vector<int> sums(in.size());
    const stream_compaction::TransferWatch watch;
    stream_compaction::streamed::scan(in, sums);
    const bool is_watched = watch.progress().moved == 2 * in.size() * sizeof(int);
    std::cout << "progress of a call: " << (is_watched ? "right\n" : "wrong\n");
    return is_scan(sums, "array on the host, in pieces") && is_watched;
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
        right = scan_by_host_function() && scan_by_plan() && filter_scan_and_sort_in_a_graph() &&
                sort_doubles() && watch_a_call() && right;

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
