#include "stream_compaction/distributed/mpi.h"

#include "simt/memory.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND::distributed {
namespace {

constexpr int kPartTag = 1, kFailureTag = 2;
/// Largest message: MPI counts in int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// If a call fails, MPI itself prints the reason and ends the process, so return codes are not
/// checked.
class MpiRank final : public Communicator {
  public:
    /// @param shares_host  all ranks are on one host
    MpiRank(std::chrono::milliseconds patience, bool shares_host)
        : patience_(std::min(patience, kMostPatience)), shares_host_(shares_host) {
        MPI_Comm_dup(MPI_COMM_WORLD, &world_);
        MPI_Comm_rank(world_, &rank_);
        MPI_Comm_size(world_, &size_);
    }

    unsigned rank() const override { return static_cast<unsigned>(rank_); }
    unsigned size() const override { return static_cast<unsigned>(size_); }
    bool has_failed() const { return !failure_.empty(); }

    std::vector<std::uint64_t> all_gather(std::span<const std::uint64_t> own) override {
        require_whole();
        sent_.assign(own.begin(), own.end());
        const std::vector<std::uint64_t> closed = closed_bits();
        sent_.insert(sent_.end(), closed.begin(), closed.end());
        gathered_.resize(sent_.size() * size());
        const int n = static_cast<int>(sent_.size());
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallgather(sent_.data(), n, MPI_UINT64_T, gathered_.data(), n, MPI_UINT64_T, world_,
                       &request);
        await(std::span(&request, 1));
        std::vector<std::uint64_t> all, closed_by_all(closed.size(), ~std::uint64_t{0});
        all.reserve(own.size() * size());
        for (auto its = gathered_.begin(); its != gathered_.end(); its += n) {
            const auto its_closed = its + static_cast<std::ptrdiff_t>(own.size());
            all.insert(all.end(), its, its_closed);
            std::transform(closed_by_all.begin(), closed_by_all.end(), its_closed,
                           closed_by_all.begin(), std::bit_and());
        }
        for (std::size_t i = lent_.size(); i-- > 0;)
            if ((closed_by_all[i / kBits] >> i % kBits & 1) != 0)
                lent_.erase(lent_.begin() + static_cast<std::ptrdiff_t>(i));
        return all;
    }

    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  simt::stream_t stream) override {
        require_whole();
        const auto bytes_of = [](const auto& parts) {
            std::size_t bytes = 0;
            for (const auto& part : parts) bytes += part.bytes;
            return bytes;
        };
        out_.resize(bytes_of(outgoing));
        in_.resize(bytes_of(incoming));
        std::byte* from = out_.data();
        for (const Outgoing& part : outgoing) {
            simt::copy_async(from, part.data, part.bytes, stream);
            from += part.bytes;
        }
        wait(stream);

        // Messages between two ranks keep their order.
        std::vector<MPI_Request> requests;
        const auto for_messages = [&](std::byte* data, std::size_t bytes, auto start) {
            for (std::size_t first = 0; first < bytes; first += kMostBytes)
                start(data + first, static_cast<int>(std::min(kMostBytes, bytes - first)),
                      &requests.emplace_back(MPI_REQUEST_NULL));
        };
        std::byte* to = in_.data();
        for (const Incoming& part : incoming) {
            for_messages(to, part.bytes, [&](std::byte* data, int bytes, MPI_Request* request) {
                MPI_Irecv(data, bytes, MPI_BYTE, static_cast<int>(part.from), kPartTag, world_,
                          request);
            });
            to += part.bytes;
        }
        from = out_.data();
        for (const Outgoing& part : outgoing) {
            for_messages(from, part.bytes, [&](std::byte* data, int bytes, MPI_Request* request) {
                MPI_Isend(data, bytes, MPI_BYTE, static_cast<int>(part.to), kPartTag, world_,
                          request);
            });
            from += part.bytes;
        }
        await(requests);

        to = in_.data();
        for (const Incoming& part : incoming) {
            simt::copy_async(part.data, to, part.bytes, stream);
            to += part.bytes;
        }
        wait(stream);
    }

    /// A rank opens the memory of the others. CUDA does not allow a rank to release memory that
    /// others have open, so every all_gather() tells which memory a rank has closed.
    std::vector<std::shared_ptr<void>> share(std::shared_ptr<void> own) override {
        const auto opened = std::make_shared<Opened>();
        lent_.push_back({own, opened});
        std::array<std::uint64_t, 2 + std::tuple_size_v<simt::MemoryName>> words{own != nullptr};
        if (own) {
            const std::optional<simt::MemoryName> name = simt::name_of(own.get());
            words[1] = name.has_value();
            if (name) std::ranges::copy(*name, words.begin() + 2);
        }
        const std::vector<std::uint64_t> all = all_gather(words);
        std::vector<std::shared_ptr<void>> shared(size());
        std::uint64_t can_access = shares_host_;
        for (unsigned rank = 0; rank < size(); ++rank) {
            const std::uint64_t* const its = &all[rank * words.size()];
            if (rank == this->rank() || its[0] == 0) continue;
            simt::MemoryName name;
            std::copy_n(its + 2, name.size(), name.begin());
            void* const memory = can_access != 0 && its[1] != 0 ? simt::open_memory(name) : nullptr;
            if (memory == nullptr)
                can_access = 0;
            else
                shared[rank] = {opened, opened->memory.emplace_back(memory)};
        }
        shared[this->rank()] = std::move(own);
        if (std::ranges::min(all_gather(std::span(&can_access, 1))) == 0) shared.clear();
        return shared;
    }

    void require_whole() override {
        if (!failure_.empty()) throw RankFailed(failure_);
        int has_come = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, kFailureTag, world_, &has_come, &status);
        if (has_come == 0) return;
        int bytes = 0;
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        failure_.resize(static_cast<std::size_t>(bytes));
        MPI_Recv(failure_.data(), bytes, MPI_CHAR, status.MPI_SOURCE, kFailureTag, world_,
                 MPI_STATUS_IGNORE);
        throw RankFailed(failure_);
    }

    void fail(const std::string& what) noexcept override {
        if (!failure_.empty()) return;
        failure_ = "rank " + std::to_string(rank_) + ": " + what;
        // MPI sends such short messages at once, before the receiver asks for them.
        const int bytes = static_cast<int>(std::min(failure_.size(), kMostText));
        for (int to = 0; to < size_; ++to)
            if (to != rank_) MPI_Send(failure_.data(), bytes, MPI_CHAR, to, kFailureTag, world_);
    }

  private:
    static constexpr std::size_t kMostText = 1000;
    static constexpr std::size_t kBits = 64;  // of a word

    /// Memory of other ranks.
    struct Opened {
        Opened() = default;
        Opened(const Opened&) = delete;
        Opened& operator=(const Opened&) = delete;
        ~Opened() {
            for (void* its : memory) simt::close_memory(its);
        }
        std::vector<void*> memory;
    };
    /// The memory of this rank that others may have opened, and what this rank opened in the same
    /// share().
    struct Lent {
        std::shared_ptr<void> own;
        std::weak_ptr<Opened> opened;
    };

    /// A bit for each of `lent_`: whether this rank has closed the memory of the others.
    std::vector<std::uint64_t> closed_bits() const {
        std::vector<std::uint64_t> words((lent_.size() + kBits - 1) / kBits, 0);
        for (std::size_t i = 0; i < lent_.size(); ++i)
            words[i / kBits] |= std::uint64_t{lent_[i].opened.expired()} << i % kBits;
        return words;
    }

    /// If this throws, messages are still in flight: their memory belongs to the communicator.
    void await(std::span<MPI_Request> requests) {
        const auto start = std::chrono::steady_clock::now();
        constexpr int kBusyTurns = 1000;  // afterwards others may need the core
        for (int turn = 0;; ++turn) {
            int is_done = 0;
            MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done,
                        MPI_STATUSES_IGNORE);
            if (is_done != 0) return;
            require_whole();
            if (turn < kBusyTurns) continue;
            if (std::chrono::steady_clock::now() - start > patience_) {
                fail("others did not arrive in time");
                throw RankFailed(failure_);
            }
            std::this_thread::yield();
        }
    }

    const std::chrono::milliseconds patience_;
    const bool shares_host_;
    MPI_Comm world_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    std::string failure_;
    std::vector<std::uint64_t> sent_, gathered_;
    std::vector<std::byte> out_, in_;
    std::vector<Lent> lent_;  // each from the same share() on all ranks
};

}  // namespace

void run_process(const std::function<void(const Process&)>& work,
                 std::chrono::milliseconds patience) {
    int threads = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int of_host = 0, on_host = 1, processes = 1;
    MPI_Comm_rank(host, &of_host);
    MPI_Comm_size(host, &on_host);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    // After a failure it must outlive messages in flight, so it is never destroyed then. Otherwise
    // it is destroyed when all ranks have finished, and have closed its memory.
    auto ranks = std::make_unique<MpiRank>(patience, on_host == processes);
    try {
        work({*ranks, static_cast<unsigned>(of_host), static_cast<unsigned>(on_host)});
    } catch (const std::exception& error) {
        ranks.release()->fail(error.what());
        throw;
    } catch (...) {
        ranks.release()->fail("an exception of an unknown type");
        throw;
    }
    if (ranks->has_failed()) {  // and `work` has handled it
        (void)ranks.release();
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
}

}  // namespace stream_compaction::inline SIMT_BACKEND::distributed
