// The arrays of a plan's call, and checks of their content.
#pragma once

#include "stream_compaction/registry.h"
#include "tests/guarded_array.h"
#include "tests/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stream_compaction {

/// Input, output and count of one call, in the memory that the plan needs.
class PlanArrays {
  public:
    struct Options {
        std::size_t in_offset = 0;  ///< elements from a 16-byte boundary
        std::size_t out_offset = 0;
        bool in_place = false;
    };

    PlanArrays(Operation operation, Place place, const std::vector<int>& input, Options options)
        : operation_(operation),
          in_place_(options.in_place),
          in_(place, input.size(), options.in_offset),
          out_(place, input.size(), options.out_offset),
          count_(place, 1) {
        replace_input(input);
    }
    PlanArrays(Operation operation, Place place, const std::vector<int>& input)
        : PlanArrays(operation, place, input, Options()) {}

    /// Another input of the same size; the output is reset to the sentinel.
    void replace_input(const std::vector<int>& input) {
        input_ = input;
        in_.assign(input_);
        out_.assign({});
        count_.assign({});
    }

    std::size_t size() const { return input_.size(); }
    const int* in() { return in_.data(); }
    int* out() { return in_place_ ? in_.data() : out_.data(); }
    std::size_t* count() { return count_.data(); }

    void enqueue(Plan& plan, simt::stream_t stream = nullptr, Stopwatch* phases = nullptr) {
        plan.enqueue(in(), out(), count(), size(), stream, phases);
    }

    /// The result is that of the reference; nothing else was written, and the input is unchanged.
    void expect_result() const {
        const std::vector<int> result = reference(operation_, input_);
        std::vector<int> output = in_place_ ? input_ : std::vector<int>(size(), kSentinel);
        std::ranges::copy(result, output.begin());
        EXPECT_TRUE(equal((in_place_ ? in_ : out_).read(), output));
        if (!in_place_) {
            EXPECT_TRUE(equal(in_.read(), input_)) << "the input was written";
        }
        EXPECT_EQ(count_.read().front(), operation_ == Operation::compact
                                             ? result.size()
                                             : static_cast<std::size_t>(kSentinel));
    }

    /// Nothing has been written yet.
    void expect_untouched() const {
        EXPECT_TRUE(equal(in_.read(), input_)) << "the input was written";
        EXPECT_TRUE(equal(out_.read(), std::vector<int>(size(), kSentinel)))
            << "the output was written";
        EXPECT_EQ(count_.read().front(), static_cast<std::size_t>(kSentinel));
    }

  private:
    Operation operation_;
    bool in_place_;
    std::vector<int> input_;
    GuardedArray<int> in_, out_;
    GuardedArray<std::size_t> count_;
};

}  // namespace stream_compaction
