// Makes calls of the device's runtime fail, so that tests see how the caller reacts. On the
// emulated backend the device does that itself; on a GPU, functions that the linker puts before
// CUDA's do it.
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

/// See simt/emulated/refusal.h.
enum class Call { allocation, wait, other };
void refuse_call(std::uint64_t k);
std::optional<Call> refused_call();
std::int64_t resources();

}  // namespace simt::inline gpu

#endif

namespace stream_compaction {

/// Ends the refusal when it is destroyed.
class WithRefusal {
  public:
    explicit WithRefusal(std::uint64_t k) { simt::refuse_call(k); }
    WithRefusal(const WithRefusal&) = delete;
    WithRefusal& operator=(const WithRefusal&) = delete;
    ~WithRefusal() { simt::refuse_call(0); }
};

/// The exception that f threw.
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

/// Calls f once for each of its calls of the runtime, with the first, second, ... call refused: f
/// must throw an exception about that call, and leave nothing behind. `afterwards` checks each time
/// that everything works again.
/// @param may_ignore whether f need not throw if this call is refused
/// @return the number of calls
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
            if (!thrown->out_of_memory) {  // the message of the emulated backend, and of CUDA
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
