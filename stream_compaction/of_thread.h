// Objects that calls of a thread report to without receiving them as a parameter.
#pragma once

namespace stream_compaction {

/// An object of type T, derived from this, is visible to everything that its thread calls while it
/// lives; if there are two, the younger one is. The thread that created it destroys it. T and this
/// class have default visibility: if a program hides its symbols, it and a shared library would
/// otherwise each have their own youngest_.
template <class T>
class [[gnu::visibility("default")]] OfThread {
  public:
    /// nullptr if there is none.
    static T* of_this_thread() { return youngest_; }

    OfThread(const OfThread&) = delete;
    OfThread& operator=(const OfThread&) = delete;

  protected:
    OfThread() : older_(youngest_) { youngest_ = static_cast<T*>(this); }
    ~OfThread() { youngest_ = older_; }

  private:
    static inline constinit thread_local T* youngest_ = nullptr;
    T* const older_;
};

}  // namespace stream_compaction
