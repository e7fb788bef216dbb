// The functions that the compiler calls in code instrumented with -fsanitize=thread and
// -fsanitize-coverage=trace-pc. Here the recorder implements them, instead of a sanitizer's
// runtime.
#include "src/counts/recorder.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace {

using stream_compaction::Access;

std::uintptr_t address_of(const volatile void* p) { return reinterpret_cast<std::uintptr_t>(p); }

void note(Access kind, const volatile void* memory, unsigned bytes, const void* code) {
    stream_compaction::note_access(kind, address_of(memory), bytes, address_of(code));
}

/// A range that no GPU instruction moves at once is counted as words of 16 bytes and a rest.
void note_range(Access kind, const char* memory, std::size_t bytes, const char* code) {
    constexpr std::size_t kLargest = 16;
    for (std::size_t i = 0; i < bytes; i += kLargest)
        note(kind, memory + i, static_cast<unsigned>(std::min(kLargest, bytes - i)), code);
}

template <class T>
std::atomic_ref<T> atomic(volatile T* word) {
    return std::atomic_ref<T>(const_cast<T&>(*word));
}

}  // namespace

// The names are the compiler's, and the types cannot have parentheses.
// NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses)

#define CODE static_cast<const char*>(__builtin_return_address(0))

extern "C" {

void __tsan_init() {}

void __tsan_func_entry(const void* called_from) {
    stream_compaction::enter_function(address_of(called_from), address_of(CODE));
}
void __tsan_func_exit() { stream_compaction::leave_function(); }
void __sanitizer_cov_trace_pc() { stream_compaction::reach(address_of(CODE)); }

#define PLAIN(bytes)                                                                   \
    void __tsan_read##bytes(void* p) { note(Access::load, p, bytes, CODE); }           \
    void __tsan_write##bytes(void* p) { note(Access::store, p, bytes, CODE); }         \
    void __tsan_unaligned_read##bytes(void* p) { note(Access::load, p, bytes, CODE); } \
    void __tsan_unaligned_write##bytes(void* p) { note(Access::store, p, bytes, CODE); }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(const char* p, std::size_t bytes) {
    note_range(Access::load, p, bytes, CODE);
}
void __tsan_write_range(const char* p, std::size_t bytes) {
    note_range(Access::store, p, bytes, CODE);
}

void __tsan_vptr_update(void**, void*) {}  // an object of the host
void __tsan_vptr_read(void**) {}

// The memory order is always the strongest: it does not affect the counts.

#define FETCH(T, bits, operation)                                               \
    T __tsan_atomic##bits##_fetch_##operation(volatile T* word, T value, int) { \
        note(Access::update, word, sizeof(T), CODE);                            \
        return atomic(word).fetch_##operation(value);                           \
    }
#define EXCHANGE(T, bits, strength, kind)                                                          \
    bool __tsan_atomic##bits##_compare_exchange_##strength(volatile T* word, T* expected, T value, \
                                                           int, int) {                             \
        const bool done = atomic(word).compare_exchange_strong(*expected, value);                  \
        if (done || kind == Access::update) note(kind, word, sizeof(T), CODE);                     \
        return done;                                                                               \
    }
#define ATOMIC(T, bits)                                                \
    T __tsan_atomic##bits##_load(const volatile T* word, int) {        \
        note(Access::atomic_load, word, sizeof(T), CODE);              \
        return atomic(const_cast<volatile T*>(word)).load();           \
    }                                                                  \
    void __tsan_atomic##bits##_store(volatile T* word, T value, int) { \
        note(Access::store, word, sizeof(T), CODE);                    \
        atomic(word).store(value);                                     \
    }                                                                  \
    T __tsan_atomic##bits##_exchange(volatile T* word, T value, int) { \
        note(Access::update, word, sizeof(T), CODE);                   \
        return atomic(word).exchange(value);                           \
    }                                                                  \
    FETCH(T, bits, add)                                                \
    FETCH(T, bits, sub)                                                \
    FETCH(T, bits, and)                                                \
    FETCH(T, bits, or)                                                 \
    FETCH(T, bits, xor)                                                \
    EXCHANGE(T, bits, strong, Access::update)                          \
    EXCHANGE(T, bits, weak, Access::replace)  // detail::update() of simt/emulated/atomics.h

ATOMIC(std::uint8_t, 8)
ATOMIC(std::uint16_t, 16)
ATOMIC(std::uint32_t, 32)
ATOMIC(std::uint64_t, 64)

void __tsan_atomic_thread_fence(int) { std::atomic_thread_fence(std::memory_order_seq_cst); }
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

// NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses)
