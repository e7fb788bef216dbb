// Whether an output is right, to its last element and beyond.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stream_compaction {

/// Room for an output, and guard words after it. Tells what was written from what was not.
class GuardedOutput {
  public:
    explicit GuardedOutput(std::size_t n) : n_(n), words_(n + kGuardWords, kSentinel) {}

    std::span<int> room() { return std::span(words_).first(n_); }
    std::span<const int> room() const { return std::span(words_).first(n_); }

    /// Forgets what was written.
    void clear();

    /// The first word from `begin` on, guard words included, that was written.
    std::optional<std::size_t> first_written(std::size_t begin) const;

    int operator[](std::size_t i) const { return words_[i]; }

  private:
    static constexpr std::size_t kGuardWords = 64;
    static constexpr int kSentinel = -1414812757;  // 0xabababab

    std::size_t n_;
    std::vector<int> words_;
};

/// Where an output is wrong, and how, in words.
struct Mismatch {
    std::size_t index;
    std::string expected;
    std::string got;
};

/// The first place where the `count` elements of `got` differ from `expected`, or where something
/// was written past them.
std::optional<Mismatch> first_mismatch(std::span<const int> expected, const GuardedOutput& got,
                                       std::size_t count);

}  // namespace stream_compaction
