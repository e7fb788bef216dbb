// A stack that execution can be switched to, and the annotations that sanitizers need for it. Part
// of the executor, which is compiled without ThreadSanitizer's instrumentation, and with
// SIMT_THREAD_SANITIZER if the program uses ThreadSanitizer: the fibers of one OS thread share the
// executor's data, which is not a race, and a switch must not be attributed to either fiber.
#pragma once

#include "simt/backend.h"
#include "simt/emulated/multiprocessor/stacks.h"

#include <boost/context/fiber.hpp>

#include <cstddef>
#include <memory>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SIMT_ADDRESS_SANITIZER
#endif

#if defined(SIMT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SIMT_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace simt::inline SIMT_BACKEND::detail {

#if defined(SIMT_THREAD_SANITIZER)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

#if defined(SIMT_ADDRESS_SANITIZER) || defined(SIMT_THREAD_SANITIZER)
inline constexpr std::size_t kStackBytes = 256 * 1024;  // their frames are larger
#else
inline constexpr std::size_t kStackBytes = 128 * 1024;
#endif

/// An edge of the happens-before order: release() publishes one thread's past, acquire() receives
/// it. For ThreadSanitizer every fiber is a separate thread, ordered with others only by these
/// edges, so a missing barrier is a data race.
class RaceEdge {
  public:
    void release() {
#if defined(SIMT_THREAD_SANITIZER)
        __tsan_release(this);
#endif
    }
    void acquire() {
#if defined(SIMT_THREAD_SANITIZER)
        __tsan_acquire(this);
#endif
    }

  private:
    [[maybe_unused]] char address_ = 0;  // non-empty, so that each edge has its own address
};

/// Stacks are released all at once, and a fiber's last frame never returns. So AddressSanitizer is
/// told to unpoison that frame. Otherwise the system might give the same pages to another fiber, or
/// to a thread, whose thread_local variables would stay poisoned.
struct KeepStack {
    void deallocate([[maybe_unused]] const boost::context::stack_context& stack) const noexcept {
#if defined(SIMT_ADDRESS_SANITIZER)
        __asan_unpoison_memory_region(static_cast<char*>(stack.sp) - stack.size, stack.size);
#endif
    }
};

/// Either the stack of an OS thread, or that of a fiber.
class Context {
  public:
    /// The calling thread's stack.
    Context() {
#if defined(SIMT_THREAD_SANITIZER)
        tsan_ = __tsan_get_current_fiber();
#endif
    }

    /// A new stack. The first switch to it calls body(), which returns the context to continue in
    /// when it has ended. Stacks with different `colour` begin at different offsets of a page, so
    /// they compete less for cache sets.
    /// @throws NoStack
    template <class Body>
    Context(Stacks& stacks, unsigned colour, Body body) {
        boost::context::stack_context stack;
        stack.sp = stacks.take();
        stack.size = stacks.bytes();
#if defined(SIMT_ADDRESS_SANITIZER)
        stack_bottom_ = static_cast<char*>(stack.sp) - stack.size;
        stack_bytes_ = stack.size;
#endif
#if defined(SIMT_THREAD_SANITIZER)
        tsan_ = __tsan_create_fiber(0);
        owns_tsan_ = true;
#endif
        const std::size_t skipped = colour % 32 * 128;
        handle_ = Handle(std::allocator_arg,
                         boost::context::preallocated(static_cast<char*>(stack.sp) - skipped,
                                                      stack.size - skipped, stack),
                         KeepStack{}, [this, body](Handle&&) {
                             arrived();
                             Context& next = body();
                             leaving(next, true);
                             return std::move(next.handle_);
                         });
    }

    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    ~Context() {
#if defined(SIMT_THREAD_SANITIZER)
        if (owns_tsan_) __tsan_destroy_fiber(tsan_);
#endif
    }

    /// Called on the running context: continues in `next`, and returns when another context
    /// switches back.
    void switch_to(Context& next) {
        leaving(next, false);
        std::move(next.handle_).resume_with([this](Handle&& self) {
            handle_ = std::move(self);
            return Handle{};
        });
        arrived();
    }

  private:
    using Handle = boost::context::fiber;

    void leaving([[maybe_unused]] Context& next, [[maybe_unused]] bool for_good) {
#if defined(SIMT_ADDRESS_SANITIZER)
        next.came_from_ = this;
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, next.stack_bottom_,
                                       next.stack_bytes_);
#endif
#if defined(SIMT_THREAD_SANITIZER)
        __tsan_switch_to_fiber(next.tsan_, __tsan_switch_to_fiber_no_sync);
#endif
    }

    void arrived() {
#if defined(SIMT_ADDRESS_SANITIZER)
        __sanitizer_finish_switch_fiber(fake_stack_, &came_from_->stack_bottom_,
                                        &came_from_->stack_bytes_);
#endif
    }

    Handle handle_;  // empty while it runs
#if defined(SIMT_ADDRESS_SANITIZER)
    const void* stack_bottom_ = nullptr;
    std::size_t stack_bytes_ = 0;
    void* fake_stack_ = nullptr;
    Context* came_from_ = nullptr;
#endif
#if defined(SIMT_THREAD_SANITIZER)
    void* tsan_ = nullptr;
    bool owns_tsan_ = false;
#endif
};

}  // namespace simt::inline SIMT_BACKEND::detail
