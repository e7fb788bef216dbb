#include "simt/emulated/multiprocessor/stacks.h"

#include "simt/host_limit.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <limits>

namespace simt::inline SIMT_BACKEND::detail {
namespace {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// Makes accesses to a page fault. Linux 6.13 and later can do this within a mapping. Older kernels
/// split the mapping in two, so only the first stacks of the process get a guard page there.
void guard(std::byte* page) {
    constexpr int kInstallGuard = 102;  // MADV_GUARD_INSTALL
    static std::atomic<int> splits_left = 8192;
    if (madvise(page, page_bytes(), kInstallGuard) != 0 && splits_left.fetch_sub(1) > 0)
        (void)mprotect(page, page_bytes(), PROT_NONE);
}

template <class Number>
Number number_in(const char* file, Number otherwise) {
    Number number{};
    return std::ifstream(file) >> number ? number : otherwise;
}

/// Names the limit that prevents the process from mapping more.
std::string limit_met(std::size_t bytes) {
    std::ifstream lines("/proc/self/maps");
    const auto mappings =
        static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'));
    const auto most =
        number_in("/proc/sys/vm/max_map_count", std::numeric_limits<std::size_t>::max());
    if (mappings >= most)
        return "the process has " + std::to_string(mappings) + " memory mappings, at most " +
               std::to_string(most) + " (sysctl vm.max_map_count)";
    return host_limit_met(bytes);
}

}  // namespace

void* Stacks::take() {
    constexpr std::size_t kMostInAMapping = 64;
    if (left_ == 0) map(std::clamp<std::size_t>(taken_, 1, kMostInAMapping));
    ++taken_;
    std::byte* const lowest = mappings_.back().memory + --left_ * (page_bytes() + bytes_);
    guard(lowest);
    return lowest + page_bytes() + bytes_;
}

void Stacks::map(std::size_t stacks) {
    mappings_.reserve(mappings_.size() + 1);
    const std::size_t bytes = stacks * (page_bytes() + bytes_);
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        throw NoStack("no stack for a thread of the kernel: " + limit_met(bytes));
    (void)madvise(memory, bytes, MADV_NOHUGEPAGE);  // most stacks use only a page or two
    mappings_.push_back({static_cast<std::byte*>(memory), bytes});
    left_ = stacks;
}

void Stacks::release() noexcept {
    for (const auto& [memory, bytes] : mappings_) (void)munmap(memory, bytes);
    mappings_.clear();
    taken_ = left_ = 0;
}

}  // namespace simt::inline SIMT_BACKEND::detail
