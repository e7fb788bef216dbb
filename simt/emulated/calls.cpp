#include "simt/emulated/calls.h"

#include "simt/error.h"

#include <atomic>

namespace simt::inline SIMT_BACKEND {
namespace {

std::atomic<std::uint64_t> calls_until_refusal = 0;  // 0: no call is refused
std::atomic<int> refused = -1;                       // a Call, or -1
std::atomic<std::int64_t> existing_resources = 0;

}  // namespace

namespace detail {

void call(Location where, Call what) {
    if (calls_until_refusal == 0 || --calls_until_refusal > 0) return;
    refused = static_cast<int>(what);
    if (what == Call::allocation) throw OutOfMemory("refused, as a test wants it", where);
    throw Error("refused, as a test wants it", where);
}

void made_resource() noexcept { ++existing_resources; }
void destroyed_resource() noexcept { --existing_resources; }

}  // namespace detail

void refuse_call(std::uint64_t k) {
    refused = -1;
    calls_until_refusal = k;
}

std::optional<Call> refused_call() {
    const int what = refused;
    if (what < 0) return std::nullopt;
    return static_cast<Call>(what);
}

std::int64_t resources() { return existing_resources; }

}  // namespace simt::inline SIMT_BACKEND
