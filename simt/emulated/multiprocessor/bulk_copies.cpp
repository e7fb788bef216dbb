// Asynchronous bulk loads.
#include "simt/emulated/multiprocessor/multiprocessor.h"
#include "simt/emulated/watcher.h"

#include <cstring>
#include <string>
#include <vector>

namespace simt::inline SIMT_BACKEND::detail {

void Multiprocessor::start_bulk_load(void* shared, const void* global, unsigned bytes,
                                     const void* barrier, Location where) {
    check_bulk_copy(shared, global, bytes, where);
    tell([&](auto& to) { to.bulk_load(bytes); });
    std::memset(shared, kUndefinedByte, bytes);
    bulk_loads_start_.release();
    loads_.push_back({shared, global, bytes, barrier, where});
}

unsigned Multiprocessor::finish_bulk_loads(const void* barrier) {
    unsigned bytes = 0;
    bulk_loads_start_.acquire();
    std::erase_if(loads_, [&](const BulkLoad& load) {
        if (load.barrier != barrier) return false;
        std::memcpy(load.shared, load.global, load.bytes);
        bytes += load.bytes;
        return true;
    });
    return bytes;
}

void Multiprocessor::check_bulk_copy(const void* shared, const void* global, unsigned bytes,
                                     Location where) {
    const auto aligned = [](const void* p) {
        return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
    };
    if (!aligned(shared) || !aligned(global))
        fail("a bulk copy from or to an address that is not a multiple of 16", where);
    if (bytes == 0 || bytes % 16 != 0)
        fail("a bulk copy of " + std::to_string(bytes) + " bytes: must be a multiple of 16", where);
}

}  // namespace simt::inline SIMT_BACKEND::detail
