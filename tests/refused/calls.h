// Refuses calls of the device's runtime, so that a test sees what becomes of the others. On the
// emulated backend the device itself does that; on a GPU, functions that the linker puts in front
// of CUDA's.
#pragma once

#include "simt/backend.h"
#include "simt/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#if defined(SIMT_EMULATED)
#include "simt/emulated/refusal.h"
#else

namespace simt::inline gpu {

/// As simt/emulated/refusal.h has them.
enum class Call { allocation, wait, other };
void refuse_call(std::uint64_t k);
std::optional<Call> refused_call();
std::int64_t resources();

}  // namespace simt::inline gpu

#endif

namespace stream_compaction {

/// Refuses nothing any more when it is destroyed.
class WithRefusal {
  public:
    explicit WithRefusal(std::uint64_t k) { simt::refuse_call(k); }
    WithRefusal(const WithRefusal&) = delete;
    WithRefusal& operator=(const WithRefusal&) = delete;
    ~WithRefusal() { simt::refuse_call(0); }
};

/// What f threw.
struct Thrown {
    std::string text;
    bool out_of_memory = false;
};
template <class F>
std::optional<Thrown> thrown_by(F f) {
    try {
        f();
        return std::nullopt;
    } catch (const simt::OutOfMemory& error) {
        return Thrown{error.what(), true};
    } catch (const simt::Error& error) {
        return Thrown{error.what()};
    }
}

inline bool never(simt::Call) { return false; }

/// Calls f with its first, second, ... call of the runtime refused, until there is none left: f
/// must throw what tells of that call, and leave nothing behind. `afterwards`, each time, sees
/// whether all works again.
/// @param may_ignore says of which calls f need not throw
/// @return how many calls there are
template <class F, class G, class MayIgnore = decltype(never)*>
std::uint64_t refuse_each_call(F f, G afterwards, MayIgnore may_ignore = never) {
    for (std::uint64_t k = 1;; ++k) {
        SCOPED_TRACE(testing::Message() << "call " << k << " was refused");
        const std::int64_t before = simt::resources();
        std::optional<Thrown> thrown;
        std::optional<simt::Call> refused;
        {
            const WithRefusal refusal(k);
            thrown = thrown_by(f);
            refused = simt::refused_call();
        }
        EXPECT_EQ(simt::resources(), before) << "something was left behind";
        if (thrown || !refused || !may_ignore(*refused)) {
            EXPECT_EQ(thrown.has_value(), refused.has_value());
        }
        if (thrown && refused) {
            EXPECT_EQ(thrown->out_of_memory, *refused == simt::Call::allocation) << thrown->text;
            if (!thrown->out_of_memory) {  // as the emulated backend says it, and CUDA
                EXPECT_THAT(thrown->text, testing::AnyOf(testing::HasSubstr("refused"),
                                                         testing::HasSubstr("cudaErrorUnknown")));
            }
            EXPECT_THAT(thrown->text, testing::ContainsRegex("[a-z_]+\\.(h|cpp|cu):[0-9]+: ."));
        }
        afterwards();
        if (!refused || testing::Test::HasFailure()) return k - 1;
    }
}

}  // namespace stream_compaction
