#include "src/distributed/distributed_program.h"

#include "simt/device.h"
#include "simt/stream.h"
#include "src/command_line/usage_error.h"
#include "src/distributed/distributed_check.h"
#include "src/harness/report.h"
#include "src/input/input.h"
#include "src/input/key_file.h"
#include "src/input/parallel_for.h"
#include "src/program/host_memory.h"
#include "src/program/significant.h"
#include "stream_compaction/distributed.h"
#include "stream_compaction/distributed/nccl.h"
#include "stream_compaction/distributed/shareable.h"
#include "stream_compaction/hybrid_radix.h"
#if defined(STREAM_COMPACTION_HAS_MPI)
#include "stream_compaction/distributed/mpi.h"
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using distributed::Communicator;
using distributed::even_begin;

constexpr bool kIsEmulated = simt::kBackend == simt::Backend::emulated;
constexpr int kCalls = kIsEmulated ? 1 : 5;  ///< whose median a time is
constexpr std::size_t kUsualSize = std::size_t{1} << (kIsEmulated ? 16 : 24);
constexpr std::size_t kLess = 3;  ///< makes a size that is not a power of two
constexpr Operation kOperations[] = {Operation::scan, Operation::compact, Operation::sort};

std::string_view heading(Operation operation) {
    switch (operation) {
        case Operation::scan:
            return "DISTRIBUTED SCAN";
        case Operation::compact:
            return "DISTRIBUTED STREAM COMPACTION";
        case Operation::sort:
            return "DISTRIBUTED SORT";
    }
    return {};
}

/// Returns a rank's part of an input.
std::vector<int> part_of(const Input& input, std::size_t begin, std::size_t end) {
    std::vector<int> part(end - begin);
    parallel_for(part.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) part[i] = input[begin + i];
    });
    return part;
}

/// The median time of several calls, after one that loads the kernels; a single call if the time is
/// meaningless (emulation).
template <class Call>
Microseconds time_of(Call call) {
    if (!kIsEmulated) (void)call();
    std::vector<Microseconds> times(kCalls);
    for (Microseconds& time : times) time = call();
    std::ranges::nth_element(times, times.begin() + kCalls / 2);
    return times[kCalls / 2];
}

/// Whether all GPUs can access each other's memory. Collective.
bool share_memory(Communicator& ranks) {
    return !ranks.share(distributed::shareable<std::byte>(1)).empty();
}

/// The work of one rank.
class Rank {
  public:
    /// @param out   output stream of the first rank, nullptr for the others
    /// @param wrong set if a result is wrong, even if another call fails to run
    /// @param take called by the first rank
    Rank(Communicator& ranks, const DistributedOptions& options, std::size_t n, std::ostream* out,
         const TakeRow& take, std::atomic<bool>& wrong)
        : ranks_(ranks),
          options_(options),
          n_(n),
          out_(out),
          take_(take),
          wrong_(wrong),
          exchange_(exchange()) {}

    void run() {
        for (const Operation operation : kOperations) {
            if (!options_.operations.empty() &&
                std::ranges::find(options_.operations, operation) == options_.operations.end())
                continue;
            if (out_ != nullptr) print_banner(*out_, heading(operation));
            std::vector<std::size_t> sizes = {n_};
            if (n_ >= kLess) sizes.push_back(n_ - kLess);
            for (const std::size_t n : sizes) run_row(operation, n, size_label(n, sizes));
        }
        if (out_ != nullptr) print_summary(*out_, tally_);
    }

  private:
    void run_row(Operation operation, std::size_t n, const std::string& label) {
        if (out_ != nullptr)
            *out_ << "==== distributed " << to_string(operation) << ", " << ranks_.size()
                  << " GPUs, " << label << " ====\n"
                  << std::flush;
        const std::size_t begin = even_begin(n, ranks_.rank(), ranks_.size());
        const std::size_t own = even_begin(n, ranks_.rank() + 1, ranks_.size()) - begin;
        if (const auto rank = first_without_room(operation, own)) {
            ++tally_.skipped;
            if (out_ != nullptr)
                *out_ << "    skipped: rank " << *rank << " has too little memory\n";
            return;
        }
        const Distribution usual =
            operation == Operation::sort ? Distribution::uniform : Distribution::uniform50;
        const Distribution distribution = options_.distribution.value_or(usual);
        const Input input(distribution, std::nullopt, n, options_.seed);
        const std::vector<int> part = part_of(input, begin, begin + own);
        std::optional<std::string> wrong;
        std::optional<SortParts> parts;
        const Microseconds elapsed = measure(operation, part, wrong, parts);
        const std::optional<unsigned> wrong_rank = first_wrong(wrong);
        const auto one_gpu = time_of_one(operation, n, input);
        if (out_ != nullptr) {
            print_time_of_several(*out_, n, elapsed, kIsEmulated ? Clock::emulated : Clock::host,
                                  one_gpu);
            if (parts) print_parts(*parts);
        }
        report(wrong_rank, n, wrong.value_or(""));
        if (out_ == nullptr) return;
        *out_ << std::flush;  // an interruption loses no row
        take_({.operation = operation,
               .gpus = ranks_.size(),
               .n = n,
               .distribution = std::string(to_string(distribution)),
               .exchange = exchange_,
               .calls = kCalls,
               .median_us = kIsEmulated ? std::nullopt : std::optional(elapsed.count()),
               .one_gpu_us = one_gpu ? std::optional(one_gpu->count()) : std::nullopt,
               .parts = parts,
               .is_right = !wrong_rank});
    }

    /// How keys get from one GPU to another.
    std::string exchange() {
        if (ranks_.size() == 1) return "none";
        return options_.has_peer_access && share_memory(ranks_) ? "stores" : "messages";
    }

    /// The largest of all ranks.
    std::uint64_t largest(std::uint64_t own) {
        return std::ranges::max(ranks_.all_gather(std::span(&own, 1)));
    }

    /// The parts of the plan's last call; none if emulated, because such times mean nothing.
    std::optional<SortParts> parts_of(const distributed::Sort<int>& sort) {
        if (kIsEmulated || ranks_.size() == 1) return std::nullopt;
        const distributed::SortTimes own = sort.last_times();
        const auto slowest = [&](double us) {
            return static_cast<double>(largest(static_cast<std::uint64_t>(us * 1e3))) / 1e3;
        };
        return SortParts{.count_us = slowest(own.count_us),
                         .exchange_us = slowest(own.exchange_us),
                         .sort_us = slowest(own.sort_us),
                         .sent_bytes = largest(own.sent_bytes)};
    }
    void print_parts(const SortParts& parts) const {
        *out_ << "   counting " << milliseconds(Microseconds(parts.count_us)) << ", exchange "
              << milliseconds(Microseconds(parts.exchange_us)) << " ("
              << three_digits(static_cast<double>(parts.sent_bytes) / parts.exchange_us / 1e3)
              << " GB/s sent by a GPU, as " << exchange_ << "), sorting "
              << milliseconds(Microseconds(parts.sort_us)) << '\n';
    }

    /// The first rank for which `own` is true.
    std::optional<unsigned> first_with(bool own) {
        const std::uint64_t word = own ? 1 : 0;
        const std::vector<std::uint64_t> all = ranks_.all_gather(std::span(&word, 1));
        const auto first = std::ranges::find(all, 1u);
        if (first == all.end()) return std::nullopt;
        return static_cast<unsigned>(first - all.begin());
    }
    std::optional<unsigned> first_wrong(const std::optional<std::string>& wrong) {
        return first_with(wrong.has_value());
    }
    std::optional<unsigned> first_without_room(Operation operation, std::size_t own) {
        return first_with(2 * own * sizeof(int) + workspace_bytes(operation, own) >
                          simt::memory_info().free / on_device());
    }
    /// Emulated ranks of a host share its memory.
    std::size_t on_device() const { return kIsEmulated ? ranks_.size() : 1; }

    std::size_t workspace_bytes(Operation operation, std::size_t own) const {
        switch (operation) {
            case Operation::scan:
                return distributed::Scan::workspace_bytes(own);
            case Operation::compact:
                return distributed::Compact::workspace_bytes(own);
            case Operation::sort:
                return distributed::Sort<int>::workspace_bytes(own, own, ranks_.size(), limits());
        }
        return 0;
    }

    /// Returns the time of the slowest rank, and why this rank's output is wrong.
    Microseconds measure(Operation operation, const std::vector<int>& part,
                         std::optional<std::string>& wrong, std::optional<SortParts>& parts) {
        const std::size_t own = part.size();
        const simt::DeviceArray<int> in(part);
        simt::DeviceArray<int> out(own);
        const simt::Stream stream;
        const auto time = [&](const std::function<void()>& call) {
            return time_of([&] {
                (void)ranks_.all_gather({});  // a barrier, so that all start together
                const auto start = std::chrono::steady_clock::now();
                call();
                ranks_.wait(stream.get());
                const auto elapsed = std::chrono::steady_clock::now() - start;
                const auto ticks = static_cast<std::uint64_t>(elapsed.count());
                const auto all = ranks_.all_gather(std::span(&ticks, 1));
                return Microseconds(std::chrono::steady_clock::duration(
                    static_cast<std::int64_t>(std::ranges::max(all))));
            });
        };
        const auto output = [&](std::size_t size) {
            std::vector<int> host(size);
            out.copy_to(host);
            return host;
        };
        Microseconds elapsed{};
        switch (operation) {
            case Operation::scan: {
                distributed::Scan scan(own, ranks_);
                elapsed = time([&] { scan.enqueue(in.data(), out.data(), own, stream.get()); });
                wrong = wrong_scan(ranks_, part, output(own));
                break;
            }
            case Operation::compact: {
                distributed::Compact compact(own, ranks_);
                distributed::Kept kept;
                elapsed =
                    time([&] { kept = compact.enqueue(in.data(), out.data(), own, stream.get()); });
                wrong = wrong_compaction(ranks_, part, output(own), kept);
                break;
            }
            case Operation::sort: {
                distributed::Sort<int> sort(own, own, ranks_, limits());
                elapsed =
                    time([&] { sort.enqueue(in.data(), own, out.data(), own, stream.get()); });
                parts = parts_of(sort);
                wrong = wrong_sort(ranks_, part, output(own));
                break;
            }
        }
        return elapsed;
    }

    /// The time of the whole array on the first rank's GPU, if it has the memory.
    std::optional<Microseconds> time_of_one(Operation operation, std::size_t n,
                                            const Input& input) {
        if (kIsEmulated || ranks_.rank() > 0 || ranks_.size() == 1) return std::nullopt;
        const std::size_t workspace = std::max(hybrid_radix::Sort<int>::workspace_bytes(n),
                                               single_pass::Scan<>::workspace_bytes(n));
        if (2 * n * sizeof(int) + workspace > simt::memory_info().free) return std::nullopt;
        const simt::DeviceArray<int> in(part_of(input, 0, n));
        simt::DeviceArray<int> out(n);
        simt::DeviceArray<std::size_t> count(1);
        const simt::Stream stream;
        const auto time = [&](const std::function<void()>& call) {
            return time_of([&] {
                const auto start = std::chrono::steady_clock::now();
                call();
                stream.synchronize();
                return Microseconds(std::chrono::steady_clock::now() - start);
            });
        };
        switch (operation) {
            case Operation::scan: {
                single_pass::Scan<> scan(n);
                return time([&] { scan.enqueue(in.data(), out.data(), n, stream.get()); });
            }
            case Operation::compact: {
                single_pass::Compact<> compact(n);
                return time(
                    [&] { compact.enqueue(in.data(), out.data(), count.data(), n, stream.get()); });
            }
            case Operation::sort: {
                hybrid_radix::Sort<int> sort(n);
                return time([&] { sort.enqueue(in.data(), out.data(), n, stream.get()); });
            }
        }
        return std::nullopt;
    }

    /// @param rank the first rank with a wrong output
    /// @param what the error on that rank
    void report(std::optional<unsigned> rank, std::size_t n, std::string what) {
        if (!rank) {
            ++tally_.passed;
            if (out_ != nullptr) *out_ << "    passed\n";
            return;
        }
        ++tally_.failed;
        wrong_ = true;
        constexpr std::size_t kText = 256;
        what.resize(kText);
        std::vector<std::uint64_t> words(kText / sizeof(std::uint64_t));
        std::copy_n(what.data(), kText, reinterpret_cast<char*>(words.data()));
        const std::vector<std::uint64_t> all = ranks_.all_gather(words);
        if (out_ != nullptr)
            *out_ << "    FAILED: rank " << *rank << ", "
                  << std::string(reinterpret_cast<const char*>(&all[*rank * words.size()]), kText)
                         .c_str()
                  << " (n = " << n << ", seed = " << options_.seed << ")\n";
    }

    distributed::SortLimits limits() const { return {.stores_to_peers = exchange_ == "stores"}; }

    Communicator& ranks_;
    const DistributedOptions& options_;
    const std::size_t n_;
    std::ostream* const out_;
    const TakeRow& take_;
    std::atomic<bool>& wrong_;
    const std::string exchange_;
    Tally tally_;
};

std::size_t size_for(const DistributedOptions& options, unsigned on_host, unsigned ranks) {
    std::size_t n = kUsualSize;
    if (options.distribution && options.distribution->kind == Distribution::file)
        n = options.distribution->keys->size();
    if (options.size) n = *options.size;
    // Input, output, and everything on one GPU.
    constexpr std::size_t kBytesPerElement = 3 * sizeof(int);
    require_memory(n, std::max<std::size_t>(1, kBytesPerElement * on_host / ranks), options.size,
                   options.distribution);
    return n;
}

/// Each process of mpirun has a command line of its own.
void require_same_work(Communicator& host, const DistributedOptions& options, std::size_t n) {
    std::uint64_t operations = 0;
    for (const Operation operation : options.operations)
        operations |= std::uint64_t{1} << static_cast<unsigned>(operation);
    const std::string keys = options.distribution ? describe(*options.distribution, n) : "";
    const std::vector<std::uint64_t> own{n, options.seed, operations,
                                         std::hash<std::string>()(keys)};
    const std::vector<std::uint64_t> all = host.all_gather(own);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != own[i % own.size()])
            throw UsageError(
                "mpirun: the processes differ in --size, --seed, --operation or --distribution");
}

/// @param of_host index of the rank among the ranks of its host
/// @param wrong set if a result is wrong
void run_rank(Communicator& host, unsigned of_host, unsigned on_host,
              const DistributedOptions& options, std::ostream& out, const TakeRow& take,
              std::atomic<bool>& wrong) {
    const std::size_t n = size_for(options, on_host, host.size());
    require_same_work(host, options, n);
    std::ostream* const console = host.rank() == 0 ? &out : nullptr;
    if (!kIsEmulated && on_host > simt::device_count())
        throw UsageError("--gpus", std::to_string(on_host),
                         "at most " + std::to_string(simt::device_count()) + " here");
    simt::use_device(of_host);
    if (console != nullptr) {
        *console << host.size() << " x " << simt::device_properties().name
                 << (kIsEmulated ? ", kernels emulated on the CPU" : "") << ", n = " << n
                 << ", seed = " << options.seed;
        if (options.distribution) *console << ", " << describe(*options.distribution, n);
        *console << '\n';
        if (host.size() == 1) *console << "one GPU: nothing is exchanged\n";
        *console << std::flush;
    }
    // GPUs that can access each other's memory need no library.
    if (kIsEmulated || host.size() == 1 || (options.has_peer_access && share_memory(host)))
        return Rank(host, options, n, console, take, wrong).run();
    const auto ranks = distributed::over_nccl(host, options.patience);
    Rank(*ranks, options, n, console, take, wrong).run();
}

/// @param wrong set if a result is wrong
void run_ranks(const DistributedOptions& options, std::ostream& out, const TakeRow& take,
               std::atomic<bool>& wrong) {
    if (number_of_process()) {
        if (options.gpus)
            throw UsageError(
                "--gpus cannot be combined with mpirun, which starts a process per GPU");
#if defined(STREAM_COMPACTION_HAS_MPI)
        distributed::run_process(
            [&](const distributed::Process& process) {
                run_rank(process.ranks, process.of_host, process.on_host, options, out, take,
                         wrong);
            },
            options.patience);
        return;
#else
        throw UsageError(
            "mpirun: the program was built without MPI; --gpus N starts a thread for "
            "each GPU");
#endif
    }
    const unsigned gpus = options.gpus.value_or(kIsEmulated ? 2 : simt::device_count());
    distributed::run_ranks(
        gpus,
        [&](Communicator& ranks) {
            run_rank(ranks, ranks.rank(), gpus, options, out, take, wrong);
        },
        options.patience);
}

}  // namespace

ExitCode run_distributed(const DistributedOptions& options, std::ostream& out,
                         const TakeRow& take) {
    std::atomic<bool> wrong = false;
    try {
        run_ranks(options, out, take, wrong);
    } catch (const std::exception& error) {
        if (!wrong) throw;
        out << "FAILED: " << error.what() << '\n';
    }
    return wrong ? ExitCode::wrong_result : ExitCode::right;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
