#include "simt/memory.h"

#include "simt/device.h"
#include "simt/emulated/block.h"
#include "simt/emulated/calls.h"
#include "simt/emulated/watcher.h"
#include "simt/host_limit.h"
#include "simt/memory_budget.h"

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <string>

namespace simt::inline SIMT_BACKEND {
namespace {

constexpr std::align_val_t kAlignment{256};
constexpr unsigned char kUndefined = 0xA5;  // content of fresh memory: conspicuous and non-zero

constinit std::mutex pinned_mutex;

/// Maps the begin of each pinned array to its bytes. Callers must hold the mutex. Created on first
/// use and never destroyed, because arrays may be static objects.
auto& pinned_arrays() {
    using BytesByBegin = std::map<const std::byte*, std::size_t, std::less<>>;
    static BytesByBegin& arrays = *new BytesByBegin;
    return arrays;
}

std::size_t memory_of_the_machine() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void* allocate(std::size_t bytes, std::source_location where) {
    detail::refuse_while_recording("allocating memory", where);
    if (bytes == 0) return nullptr;
    detail::call(where, Call::allocation);
    detail::memory_budget.take(bytes, where);
    // Linux would promise more memory than there is, and fail only when the memory is written.
    constexpr std::size_t kWorthAsking = std::size_t{64} << 20;
    void* memory = nullptr;
    if (bytes < kWorthAsking || bytes <= memory_info().free)
        memory = ::operator new(bytes, kAlignment, std::nothrow);
    if (memory == nullptr) {
        detail::memory_budget.give_back(bytes);
        throw OutOfMemory(std::to_string(bytes) + " bytes: " + host_limit_met(bytes), where);
    }
    detail::made_resource();
    detail::tell([&](auto& to) { to.allocated(memory, bytes); });
    return std::memset(memory, kUndefined, bytes);
}

void release(void* memory, std::size_t bytes) noexcept {
    if (memory == nullptr) return;
    detail::tell([&](auto& to) { to.released(memory); });
    ::operator delete(memory, kAlignment);
    detail::destroyed_resource();
    detail::memory_budget.give_back(bytes);
}

// Processes have their own memory.
std::optional<MemoryName> name_of(void*) { return std::nullopt; }
void* open_memory(const MemoryName&) { return nullptr; }
void close_memory(void*) noexcept {}

void* allocate_pinned(std::size_t bytes, std::source_location where) {
    detail::refuse_while_recording("allocating memory", where);
    if (bytes == 0) return nullptr;
    detail::call(where, Call::allocation);
    // Nobody can pin more than the machine has. libstdc++ 12 rounds the size up, beyond 2^64, and
    // AddressSanitizer ends the process where `new` would return null.
    void* const memory =
        bytes > memory_of_the_machine() ? nullptr : ::operator new(bytes, kAlignment, std::nothrow);
    if (memory == nullptr)
        throw OutOfMemory(std::to_string(bytes) + " bytes of the host: " + host_limit_met(bytes),
                          where);
    {
        const std::lock_guard lock(pinned_mutex);
        pinned_arrays().emplace(static_cast<const std::byte*>(memory), bytes);
    }
    detail::made_resource();
    return std::memset(memory, kUndefined, bytes);
}

void release_pinned(void* memory) noexcept {
    if (memory == nullptr) return;
    {
        const std::lock_guard lock(pinned_mutex);
        pinned_arrays().erase(static_cast<const std::byte*>(memory));
    }
    ::operator delete(memory, kAlignment);
    detail::destroyed_resource();
}

bool is_pinned(const void* byte, std::source_location where) {
    detail::call(where);
    const std::lock_guard lock(pinned_mutex);
    const auto& arrays = pinned_arrays();
    const auto after = arrays.upper_bound(static_cast<const std::byte*>(byte));
    if (after == arrays.begin()) return false;
    const auto [start, bytes] = *std::prev(after);
    return static_cast<const std::byte*>(byte) < start + bytes;
}

std::size_t held_bytes() { return detail::memory_budget.held(); }

void limit_memory(std::size_t bytes) { detail::memory_budget.limit(bytes); }

void copy_async(void* to, const void* from, std::size_t bytes, stream_t stream,
                std::source_location where) {
    if (bytes == 0) return;
    detail::call(where);
    if (detail::Recording* recording = detail::recording_on(stream, where))
        recording->push_back([=] { std::memmove(to, from, bytes); });
    else
        std::memmove(to, from, bytes);
}

void fill_async(void* to, unsigned char value, std::size_t bytes, stream_t stream,
                std::source_location where) {
    if (bytes == 0) return;
    detail::call(where);
    if (detail::Recording* recording = detail::recording_on(stream, where))
        recording->push_back([=] { std::memset(to, value, bytes); });
    else
        std::memset(to, value, bytes);
}

void synchronize(std::source_location where) {
    detail::refuse_while_recording("synchronize", where);
    detail::call(where);
}

}  // namespace simt::inline SIMT_BACKEND
