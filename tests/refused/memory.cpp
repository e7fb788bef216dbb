// The program's new and delete. In a file of their own: where a compiler sees both a `new` and this
// delete, it takes free() for a mistake.
#include "tests/refused/memory.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

std::atomic<std::thread::id> only_thread_with_memory;  // no thread: all get some

}  // namespace

namespace stream_compaction {

NoMemoryForOthers::NoMemoryForOthers() { only_thread_with_memory = std::this_thread::get_id(); }
NoMemoryForOthers::~NoMemoryForOthers() { only_thread_with_memory = std::thread::id(); }

}  // namespace stream_compaction

// All that std::malloc and std::free stand behind: a sanitizer has the rest of its own, and tells a
// `new` of the one from a `delete` of the other.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    const std::thread::id only = only_thread_with_memory;
    const bool is_refused = only != std::thread::id() && only != std::this_thread::get_id();
    return is_refused ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
    void* const memory = operator new(bytes, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
