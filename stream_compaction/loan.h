// Which memory callers have lent to plans: no byte is lent to two plans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace stream_compaction {

/// Memory that belongs to one plan as long as this object lives. A plan declares it before the
/// members that write to the memory. A plan that is part of another plan has no Loan, because its
/// memory is the other plan's.
class Loan {
  public:
    /// @param memory may be empty: then nothing is lent
    /// @param bytes  how many of them the plan uses
    /// @throws std::invalid_argument if any of them are lent to another plan, or for a null pointer
    ///         with a size
    Loan(std::span<std::byte> memory, std::size_t bytes) {
        if (memory.data() == nullptr && !memory.empty())
            throw std::invalid_argument("a plan was given " + std::to_string(memory.size()) +
                                        " bytes of memory at a null pointer");
        const std::size_t used = std::min(bytes, memory.size());
        if (used == 0) return;
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.data()), end = begin + used;
        List& list = all();
        const std::lock_guard lock(list.mutex);
        const auto after = list.ends.lower_bound(begin);
        if ((after != list.ends.end() && after->first < end) ||
            (after != list.ends.begin() && std::prev(after)->second > begin))
            throw std::invalid_argument(
                "memory that was given to a plan belongs to another plan, which still exists");
        list.ends.emplace_hint(after, begin, end);
        begin_ = begin, end_ = end;
    }
    Loan(Loan&& other) noexcept
        : begin_(std::exchange(other.begin_, 0)), end_(std::exchange(other.end_, 0)) {}
    /// What this plan was lent before is free afterwards.
    Loan& operator=(Loan&& other) noexcept {
        Loan moved(std::move(other));
        std::swap(begin_, moved.begin_);
        std::swap(end_, moved.end_);
        return *this;
    }
    ~Loan() {
        if (begin_ == 0) return;
        const std::lock_guard lock(all().mutex);
        all().ends.erase(begin_);
    }

    /// @param arrays of n elements each; null for an array that a call does not have
    /// @throws std::invalid_argument if one of them has an element in the lent memory
    template <class... T>
    void require_outside(std::size_t n, const T*... arrays) const {
        const auto is_within = [&](const void* array, std::size_t bytes) {
            const auto begin = reinterpret_cast<std::uintptr_t>(array);
            return begin != 0 && bytes > 0 && begin < end_ && begin_ < begin + bytes;
        };
        if ((is_within(arrays, n * sizeof(T)) || ...))
            throw std::invalid_argument(
                "an array of a call overlaps the memory that was given to the plan");
    }

  private:
    struct List {
        std::mutex mutex;
        std::map<std::uintptr_t, std::uintptr_t> ends;  // keyed by the begin of each range
    };
    /// The list of the process. Never destroyed: plans may be static objects.
    static List& all() {
        static List& list = *new List;
        return list;
    }

    std::uintptr_t begin_ = 0, end_ = 0;  // 0: nothing is lent
};

}  // namespace stream_compaction
