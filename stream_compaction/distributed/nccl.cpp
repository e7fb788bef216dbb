// The NCCL communicator is non-blocking: a call returns at once, and has finished when the
// communicator says so. Until then, and while a stream waits for data of other ranks, the host
// regularly checks whether one of them has failed. If so, it aborts NCCL's operations, which also
// frees the device.
#include "stream_compaction/distributed/nccl.h"

#include "simt/error.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/distributed/guarded.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <type_traits>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

// The part of NCCL's interface that is used here, since 2.14; the header may not be installed next
// to the library.
using Result = int;
constexpr Result kSuccess = 0, kInProgress = 7;
constexpr int kBytes = 0;  ///< element type of the data
using Comm = struct NcclComm*;
struct UniqueId {
    char internal[128];
};
/// The first members of NCCL's configuration struct, in the version that has exactly these: NCCL
/// reads as many members as `size` says, and uses defaults for the others.
struct Config {
    std::size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef;
    unsigned version = 21400;
    int blocking = 0;
    int cluster_size = std::numeric_limits<int>::min();  ///< chosen by NCCL; since 2.17
};

struct Library {
    Result (*get_unique_id)(UniqueId*);
    Result (*init_rank)(Comm*, int size, UniqueId, int rank, Config*);
    Result (*finalize)(Comm);
    Result (*destroy)(Comm);
    Result (*abort)(Comm);
    Result (*get_async_error)(Comm, Result*);
    Result (*group_start)();
    Result (*group_end)();
    Result (*send)(const void*, std::size_t, int type, int to, Comm, simt::stream_t);
    Result (*receive)(void*, std::size_t, int type, int from, Comm, simt::stream_t);
    const char* (*get_error_string)(Result);
};

/// The library stays loaded, because NCCL has its own threads.
Library load() {
    // Buffers in NVLink's switches only serve reductions, which are not used here.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    const char* const given = std::getenv("STREAM_COMPACTION_NCCL");
    const std::string name = given != nullptr ? given : "libnccl.so.2";
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        throw simt::Error(name +
                          " cannot be loaded; scripts/setup installs it if there are two GPUs, "
                          "PyPI offers it as nvidia-nccl-cu13, and "
                          "STREAM_COMPACTION_NCCL=FILE selects a file");
    const auto find = [&](auto& function, const char* symbol) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
        if (function == nullptr) throw simt::Error(name + " has no " + symbol);
    };
    Library library{};
    find(library.get_unique_id, "ncclGetUniqueId");
    find(library.init_rank, "ncclCommInitRankConfig");
    find(library.finalize, "ncclCommFinalize");
    find(library.destroy, "ncclCommDestroy");
    find(library.abort, "ncclCommAbort");
    find(library.get_async_error, "ncclCommGetAsyncError");
    find(library.group_start, "ncclGroupStart");
    find(library.group_end, "ncclGroupEnd");
    find(library.send, "ncclSend");
    find(library.receive, "ncclRecv");
    find(library.get_error_string, "ncclGetErrorString");
    return library;
}

const Library& nccl() {
    // Not a static that load() initialises: ThreadSanitizer's runtime hangs if that throws.
    static std::mutex mutex;
    static std::optional<Library> library;
    const std::lock_guard lock(mutex);
    if (!library) library = load();
    return *library;
}

void succeed(Result result, const char* what,
             std::source_location where = std::source_location::current()) {
    if (result != kSuccess && result != kInProgress)
        throw simt::Error(std::string("NCCL: ") + what + ": " + nccl().get_error_string(result),
                          where);
}

class NcclRank final : public Communicator {
  public:
    NcclRank(Communicator& host, std::chrono::milliseconds patience)
        : host_(host), patience_(std::min(patience, kMostPatience)) {
        const UniqueId id = shared_id();
        guarded(host_, [&] {
            try {
                Config config;
                succeed(nccl().init_rank(&comm_, static_cast<int>(size()), id,
                                         static_cast<int>(rank()), &config),
                        "making a communicator");
                await_nccl("making a communicator");
                connect();
            } catch (...) {
                abort();  // the destructor will not run
                throw;
            }
        });
    }
    NcclRank(const NcclRank&) = delete;
    NcclRank& operator=(const NcclRank&) = delete;
    ~NcclRank() override {
        if (comm_ == nullptr) return;
        // An orderly end needs all ranks, and this rank may be about to report its failure.
        bool is_whole = std::uncaught_exceptions() == exceptions_;
        try {
            if (is_whole) end();
        } catch (const std::exception&) {
            is_whole = false;
        }
        if (!is_whole) abort();
    }

    unsigned rank() const override { return host_.rank(); }
    unsigned size() const override { return host_.size(); }

    std::vector<std::uint64_t> all_gather(std::span<const std::uint64_t> own) override {
        return host_.all_gather(own);
    }

    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  simt::stream_t stream) override {
        require_whole();
        succeed(nccl().group_start(), "ncclGroupStart");
        Result failure = kSuccess;  // a started group must be ended even after a failure
        const auto note = [&](Result result) {
            if (failure == kSuccess && result != kInProgress) failure = result;
        };
        for (const Outgoing& part : outgoing)
            note(nccl().send(part.data, part.bytes, kBytes, static_cast<int>(part.to), comm_,
                             stream));
        for (const Incoming& part : incoming)
            note(nccl().receive(part.data, part.bytes, kBytes, static_cast<int>(part.from), comm_,
                                stream));
        note(nccl().group_end());
        succeed(failure, "an exchange");
        await_nccl("an exchange");  // until it is enqueued
    }

    std::vector<std::shared_ptr<void>> share(std::shared_ptr<void> own) override {
        return host_.share(std::move(own));
    }
    void barrier(simt::stream_t stream) override {
        wait(stream);  // `host_` would not notice that an exchange on the stream never ends
        host_.barrier(stream);
    }

    void wait(simt::stream_t stream) override {
        simt::Event done = simt::Event::without_time();
        done.record(stream);
        await([&] {
            if (done.is_reached()) return true;
            check_nccl("an exchange");
            return false;
        });
    }

    void require_whole() override {
        host_.require_whole();
        if (comm_ == nullptr) throw RankFailed("NCCL was aborted after an error");
    }
    void fail(const std::string& what) noexcept override {
        host_.fail(what);
        abort();
    }

  private:
    /// The communicator's id, created by the first rank.
    UniqueId shared_id() {
        using Words = std::array<std::uint64_t, sizeof(UniqueId) / sizeof(std::uint64_t)>;
        Words own{};
        guarded(host_, [&] {
            (void)nccl();  // every rank must load it
            if (rank() > 0) return;
            UniqueId id;
            succeed(nccl().get_unique_id(&id), "ncclGetUniqueId");
            own = std::bit_cast<Words>(id);
        });
        const std::vector<std::uint64_t> all = host_.all_gather(own);
        std::copy_n(all.begin(), own.size(), own.begin());
        return std::bit_cast<UniqueId>(own);
    }

    /// Connects all pairs of ranks. NCCL would do it at their first exchange, which is slow.
    void connect() {
        const simt::Stream stream;
        const simt::DeviceArray<std::byte> from(1);
        simt::DeviceArray<std::byte> to(size());
        std::vector<Outgoing> outgoing;
        std::vector<Incoming> incoming;
        for (unsigned rank = 0; rank < size(); ++rank) {
            outgoing.push_back({rank, from.data(), 1});
            incoming.push_back({rank, to.data() + rank, 1});
        }
        try {
            exchange(outgoing, incoming, stream.get());
            wait(stream.get());
        } catch (...) {
            abort();  // before the memory is released
            throw;
        }
    }

    Result state() const {
        Result state = kSuccess;
        succeed(nccl().get_async_error(comm_, &state), "ncclCommGetAsyncError");
        return state;
    }
    void check_nccl(const char* what) const { succeed(state(), what); }

    /// Waits until the communicator is no longer busy.
    void await_nccl(const char* what) {
        await([&] {
            const Result now = state();
            succeed(now, what);
            return now != kInProgress;
        });
    }

    /// Calls `is_done` until it returns true or a rank has failed.
    template <class IsDone>
    void await(IsDone is_done) {
        const auto start = std::chrono::steady_clock::now();
        constexpr int kBusyTurns = 1000;  // afterwards others may need the core
        for (int turn = 0; !is_done(); ++turn) {
            require_whole();
            if (turn < kBusyTurns) continue;
            if (std::chrono::steady_clock::now() - start > patience_) {
                host_.fail("waited too long for the other ranks");
                require_whole();
            }
            std::this_thread::yield();
        }
    }

    void end() {
        host_.require_whole();
        succeed(nccl().finalize(comm_), "ending");
        await_nccl("ending");
        (void)nccl().destroy(comm_);
    }

    /// Aborts NCCL's operations, also on the device.
    void abort() noexcept {
        if (comm_ != nullptr) (void)nccl().abort(comm_);
        comm_ = nullptr;
    }

    Communicator& host_;
    const std::chrono::milliseconds patience_;
    const int exceptions_ = std::uncaught_exceptions();
    Comm comm_ = nullptr;
};

}  // namespace

std::unique_ptr<Communicator> over_nccl(Communicator& host, std::chrono::milliseconds patience) {
    return std::make_unique<NcclRank>(host, patience);
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
