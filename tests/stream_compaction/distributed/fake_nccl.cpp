// A fake of the part of NCCL that stream_compaction/distributed/nccl.cpp uses, between threads and
// in host memory. Nothing is done before the communicator is asked for its state, and then only a
// little. With FAKE_NCCL_FAULT in the environment, "send" fails, or "receive" never ends.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

enum Result { kSuccess = 0, kInternalError = 3, kInvalidArgument = 4, kInProgress = 7 };

struct UniqueId {
    char internal[128];
};
struct Config {
    std::size_t size;
    unsigned magic, version;
    int blocking;
};
struct Receive {
    void* data;
    std::size_t bytes;
    int from;
};
struct Comm {
    long world;
    int size, rank;
    bool is_ready = false, is_ending = false;
    std::deque<Receive> receives = {};
};

std::mutex mutex;
long worlds = 0;
std::map<long, int> members;  // of each world
// World, sender and receiver: the messages in flight.
std::map<std::tuple<long, int, int>, std::deque<std::vector<char>>> messages;
thread_local int groups = 0;

bool has_fault(std::string_view fault) {
    const char* const wanted = std::getenv("FAKE_NCCL_FAULT");
    return wanted != nullptr && fault == wanted;
}

}  // namespace

extern "C" {

Result ncclGetUniqueId(UniqueId* id) {
    const std::lock_guard lock(mutex);
    std::memset(id, 'x', sizeof *id);
    ++worlds;
    std::memcpy(id->internal + 100, &worlds, sizeof worlds);
    return kSuccess;
}

Result ncclCommInitRankConfig(Comm** comm, int size, UniqueId id, int rank, const Config* config) {
    if (config->magic != 0xcafebeef || config->blocking != 0 || config->size < sizeof(Config))
        return kInvalidArgument;
    const std::lock_guard lock(mutex);
    long world = 0;
    std::memcpy(&world, id.internal + 100, sizeof world);
    *comm = new Comm{world, size, rank};
    ++members[world];
    return kInProgress;
}

Result ncclCommGetAsyncError(Comm* comm, Result* state) {
    const std::lock_guard lock(mutex);
    comm->is_ready |= members[comm->world] == comm->size;
    const bool is_busy =
        !comm->is_ready || !comm->receives.empty() || (comm->is_ending && members[comm->world] > 0);
    *state = is_busy ? kInProgress : kSuccess;
    if (comm->receives.empty() || has_fault("receive")) return kSuccess;
    const Receive next = comm->receives.front();
    auto& sent = messages[{comm->world, next.from, comm->rank}];
    if (sent.empty()) return kSuccess;
    if (sent.front().size() != next.bytes) return kInvalidArgument;
    std::memcpy(next.data, sent.front().data(), next.bytes);
    sent.pop_front();
    comm->receives.pop_front();
    return kSuccess;
}

Result ncclGroupStart() {
    ++groups;
    return kSuccess;
}
Result ncclGroupEnd() { return groups-- == 1 ? kInProgress : kInvalidArgument; }

Result ncclSend(const void* data, std::size_t bytes, int, int to, Comm* comm, void*) {
    if (groups != 1 || !comm->is_ready) return kInvalidArgument;
    if (has_fault("send")) return kInternalError;
    const std::lock_guard lock(mutex);
    const char* const first = static_cast<const char*>(data);
    messages[{comm->world, comm->rank, to}].emplace_back(first, first + bytes);
    return kSuccess;
}
Result ncclRecv(void* data, std::size_t bytes, int, int from, Comm* comm, void*) {
    if (groups != 1 || !comm->is_ready) return kInvalidArgument;
    comm->receives.push_back({data, bytes, from});
    return kSuccess;
}

Result ncclCommFinalize(Comm* comm) {
    const std::lock_guard lock(mutex);
    comm->is_ending = true;
    --members[comm->world];
    return kInProgress;
}
Result ncclCommDestroy(Comm* comm) {
    delete comm;
    return kSuccess;
}
Result ncclCommAbort(Comm* comm) { return ncclCommDestroy(comm); }

const char* ncclGetErrorString(Result result) {
    return result == kInternalError ? "internal error" : "invalid argument";
}

}  // extern "C"
