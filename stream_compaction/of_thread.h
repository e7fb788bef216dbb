// What calls report to without being given it: an object of the thread that makes them.
#pragma once

namespace stream_compaction {

/// A T, derived from this, is found by all that its thread calls while it lives; of two the younger
/// one. It is destroyed by the thread that has made it. Both are visible to other binaries: a
/// program and a shared library would have a youngest_ each otherwise, if the program hides its
/// symbols.
template <class T>
class [[gnu::visibility("default")]] OfThread {
  public:
    /// nullptr where there is none.
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
