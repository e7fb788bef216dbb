#include "simt/emulated/executor.h"

#include "simt/emulated/block.h"
#include "simt/emulated/calls.h"
#include "simt/emulated/multiprocessor/multiprocessor.h"
#include "simt/emulated/watcher.h"
#include "simt/error.h"
#include "simt/host_limit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

namespace simt::inline SIMT_BACKEND {
namespace detail {
namespace {

// ThreadSanitizer supports at most 8128 threads, and a worker may need 1024 fibers.
constexpr unsigned kMaxWorkers = kThreadSanitizer ? 7 : 16;
// Even with few cores, blocks should wait for each other.
constexpr unsigned kMinDefaultWorkers = 4;
constexpr unsigned kMaxResidentThreads = kThreadSanitizer ? 7 * 1024 : 20 * 1024;

thread_local Multiprocessor* running_block = nullptr;

Multiprocessor& this_block(Location where) {
    if (running_block == nullptr) throw KernelError("called outside of a kernel", where);
    return *running_block;
}

std::mutex options_mutex;
Options options;

Options current_options() {
    static const unsigned default_workers =
        // ThreadSanitizer: every synchronisation takes time proportional to the number of fibers
        kThreadSanitizer ? 2 : std::max(kMinDefaultWorkers, std::thread::hardware_concurrency());
    const std::lock_guard lock(options_mutex);
    Options current = options;
    if (current.workers == 0) current.workers = default_workers;
    current.workers = std::min(current.workers, kMaxWorkers);
    return current;
}

std::optional<const DeviceProfile*> chosen_profile;  // guarded by options_mutex

/// Maps i to the i-th block to run.
class BlockOrder {
  public:
    explicit BlockOrder(const Grid& grid) : order_(grid.options.order), blocks_(grid.blocks) {
        if (order_ != Order::random) return;
        Random random(grid.options.seed);
        first_ = random.next() % blocks_;
        // Steps whose size is coprime to the number of blocks visit each block once.
        step_ = random.next() % blocks_;
        while (std::gcd(step_, blocks_) != 1) ++step_;
    }
    std::uint64_t at(std::uint64_t i) const {
        switch (order_) {
            case Order::forward:
                return i;
            case Order::reverse:
                return blocks_ - 1 - i;
            default:
                return static_cast<std::uint64_t>((first_ + Wide{step_} * i) % blocks_);
        }
    }

  private:
    __extension__ using Wide = unsigned __int128;

    Order order_;
    std::uint64_t blocks_;
    std::uint64_t first_ = 0;
    std::uint64_t step_ = 1;
};

/// The calling thread's multiprocessor. A thread that ends destroys it; the first thread keeps it,
/// because static objects may launch kernels in their destructors. It is no thread_local object
/// with a destructor: glibc ends the process if it has no memory to register one.
Multiprocessor& multiprocessor_of_this_thread() {
    alignas(
        Multiprocessor) constinit static thread_local std::byte storage[sizeof(Multiprocessor)]{};
    constinit static thread_local Multiprocessor* own = nullptr;
    static const pthread_key_t when_threads_end = [] {
        pthread_key_t key{};
        if (pthread_key_create(&key, [](void*) { std::destroy_at(std::exchange(own, nullptr)); }))
            throw std::runtime_error("cannot launch a kernel: the process has no thread key left");
        return key;
    }();
    if (own == nullptr) {
        own = std::construct_at(reinterpret_cast<Multiprocessor*>(storage));
        pthread_setspecific(when_threads_end, own);
    }
    return *own;
}

/// The workers: the thread that launches, and helper threads. Helpers are called if it pays, or if
/// blocks wait for each other.
class Executor {
  public:
    /// The executor of the process. Never destroyed: destructors of static objects may launch
    /// kernels. A child of fork() has none of its parent's threads, so it begins with a new
    /// executor.
    static Executor& instance() {
        // ThreadSanitizer does not see that the first call precedes the others
        static RaceEdge made;
        static Executor* executor = [] {
            pthread_atfork(nullptr, nullptr, [] { executor = new Executor; });
            auto* const first = new Executor;
            made.release();
            return first;
        }();
        made.acquire();
        return *executor;
    }

    void run(Grid& grid) {
        const std::lock_guard one_grid_at_a_time(launching_);
        const auto helpers =
            static_cast<unsigned>(std::min<std::uint64_t>(grid.options.workers, grid.blocks) - 1);
        grid.progress = std::vector<Grid::Progress>(helpers + 1);
        grid_ = &grid;
        helpers_ = helpers;
        next_block_ = 0;
        called_ = false;
        grid.call_helpers = [this] { call_helpers(); };
        (void)multiprocessor_of_this_thread();  // what may fail fails before helpers are called
        if (kThreadSanitizer) call_helpers();
        work(0);
        if (called_) dismiss_helpers();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds kWorthCalling{30};

    void work(unsigned worker) {
        Multiprocessor& multiprocessor = multiprocessor_of_this_thread();
        running_block = &multiprocessor;
        const auto fail = [&] {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            grid_->stopped = true;
        };
        try {
            const auto start = Clock::now();
            const BlockOrder order(*grid_);
            multiprocessor.start_grid(*grid_, worker);
            for (std::uint64_t taken = 0; !grid_->stopped; ++taken) {
                // Under ThreadSanitizer, workers run blocks in turn, so that neighbouring blocks
                // run on different threads even if they are short: it sees no race between blocks
                // of one thread.
                const std::uint64_t i =
                    kThreadSanitizer ? worker + taken * (helpers_ + 1) : next_block_++;
                if (i >= grid_->blocks) break;
                multiprocessor.run_block(order.at(i));
                if (worker == 0 && !called_ && Clock::now() - start > kWorthCalling) call_helpers();
            }
        } catch (const std::bad_alloc&) {
            grid_->out_of_memory = true;
            fail();
        } catch (...) {
            fail();
        }
        if (grid_->out_of_memory) multiprocessor.release_fibers();  // most of its memory
        grid_->progress[worker].idle_rounds.store(Grid::Progress::kLeft, std::memory_order_release);
        running_block = nullptr;
    }

    /// Called only by worker 0.
    void call_helpers() {
        if (called_ || helpers_ == 0) return;
        std::unique_lock lock(mutex_);
        while (threads_ < helpers_ && start_thread()) {
        }
        for (; helpers_ > threads_; --helpers_) {
            ++grid_->missing_helpers;
            grid_->progress[helpers_].idle_rounds = Grid::Progress::kLeft;
        }
        called_ = true;
        open_ = true;
        ++calls_;
        came_ = 0;
        wake_.notify_all();
        // ThreadSanitizer forgets old accesses, so it detects most if blocks run concurrently.
        if (kThreadSanitizer) done_.wait(lock, [&] { return came_ == helpers_; });
    }

    /// Whether one more thread could be started; the machine may have no thread or memory left for
    /// it.
    bool start_thread() {
        try {
            std::thread([this, worker = threads_ + 1] { help(worker); }).detach();
        } catch (const std::exception&) {
            return false;
        }
        ++threads_;
        return true;
    }

    /// Waits until no helper works any more. Helpers that have not come yet need not come.
    void dismiss_helpers() {
        std::unique_lock lock(mutex_);
        open_ = false;
        done_.wait(lock, [&] { return at_work_ == 0; });
    }

    [[noreturn]] void help(unsigned worker) {
        std::uint64_t answered = 0;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return open_ && calls_ != answered && worker <= helpers_; });
            answered = calls_;
            ++came_;
            ++at_work_;
            done_.notify_all();
            lock.unlock();
            work(worker);
            lock.lock();
            --at_work_;
            done_.notify_all();
        }
    }

    std::mutex launching_;

    // Belong to the running grid. Set before the helpers are called.
    Grid* grid_ = nullptr;
    unsigned helpers_ = 0;
    std::atomic<std::uint64_t> next_block_ = 0;
    bool called_ = false;

    std::mutex mutex_;                     // guards the members below
    std::condition_variable wake_, done_;  // for the helpers, for worker 0
    bool open_ = false;
    std::uint64_t calls_ = 0;
    unsigned came_ = 0;
    unsigned at_work_ = 0;
    std::exception_ptr failure_;
    unsigned threads_ = 0;  // threads that were started; they end with the process
};

std::uint64_t volume(dim3 extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

/// Refuses launches that no GPU supports, or that this machine cannot run.
template <class Refuse>
void check_cluster(const LaunchConfig& config, Refuse refuse) {
    const auto threads = static_cast<unsigned>(volume(config.block));
    const unsigned resident = resident_clusters(config.cluster, threads, config.shared_bytes);
    const std::string clusters = "clusters of " + std::to_string(config.cluster) + " blocks";
    if (resident == 0) refuse("the device has no " + clusters);
    if (config.grid.x % config.cluster != 0)
        refuse(describe(config.grid) + " blocks cannot be divided into " + clusters);
    if (volume(config.grid) / config.cluster > resident)
        refuse(describe(config.grid) + " blocks in " + clusters + " cannot all be resident");
}

}  // namespace

void check_launch(const LaunchConfig& config) {
    const dim3 grid = config.grid;
    const dim3 block = config.block;
    const auto refuse = [&](const std::string& why) {
        throw KernelError("invalid launch configuration: " + why, config.where);
    };
    if (running_block != nullptr) refuse("a kernel launches a kernel");
    if (volume(block) == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
        volume(block) > kMaxThreadsPerBlock)
        refuse("a block of " + describe(block) + " threads");
    if (volume(grid) == 0 || grid.x > 0x7FFFFFFF || grid.y > 0xFFFF || grid.z > 0xFFFF)
        refuse("a grid of " + describe(grid) + " blocks");
    const DeviceProfile profile = current_profile();
    if (config.shared_bytes > profile.shared_bytes_per_block)
        refuse(std::to_string(config.shared_bytes) + " bytes of shared memory; a block has " +
               std::to_string(profile.shared_bytes_per_block));
    const auto threads = static_cast<unsigned>(volume(block));
    if (config.cooperative && volume(grid) > resident_blocks(threads, config.shared_bytes))
        refuse(describe(grid) + " blocks cannot all be resident");
    if (config.cluster != 1) check_cluster(config, refuse);
    call(config.where);
}

DeviceProfile current_profile() {
    constexpr std::size_t kShared = 227 * 1024, kReserved = 1024;  // Hopper's
    const DeviceProfile* gpu = nullptr;
    {
        const std::lock_guard lock(options_mutex);
        if (!chosen_profile) chosen_profile = device_profile_of_environment();
        gpu = *chosen_profile;
    }
    if (gpu != nullptr) return *gpu;
    return {.name = {},
            .gpu = {},
            .compute_capability = 90,
            .multiprocessors = static_cast<int>(workers()),
            .shared_bytes_per_block = kShared,
            .shared_bytes_per_multiprocessor = kShared + kReserved,
            .reserved_shared_bytes = kReserved,
            .threads_per_multiprocessor = kMaxThreadsPerBlock,
            .blocks_per_multiprocessor = 1,
            .l2_bytes = 0};
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
    const DeviceProfile profile = current_profile();
    const std::size_t of_each = std::min<std::size_t>(
        {static_cast<std::size_t>(profile.threads_per_multiprocessor) / threads,
         static_cast<std::size_t>(profile.blocks_per_multiprocessor),
         profile.shared_bytes_per_multiprocessor /
             std::max<std::size_t>(1, shared_bytes + profile.reserved_shared_bytes)});
    return static_cast<unsigned>(
        std::min<std::size_t>(of_each * static_cast<std::size_t>(profile.multiprocessors),
                              std::max(workers(), kMaxResidentThreads / threads)));
}

unsigned resident_clusters(unsigned cluster, unsigned threads, std::size_t shared_bytes) {
    constexpr int kFirst = 90, kFirstConsumer = 120;  // compute capability
    constexpr unsigned kOfConsumer = 8;
    const int capability = current_profile().compute_capability;
    const unsigned most = capability < kFirst            ? 0
                          : capability >= kFirstConsumer ? kOfConsumer
                                                         : Cluster::kMaxBlocks;
    return cluster == 0 || cluster > most ? 0 : resident_blocks(threads, shared_bytes) / cluster;
}

void run_grid(const LaunchConfig& config, [[maybe_unused]] const void* kernel,
              void (*thread)(const void*), const void* arguments) {
    Options options = current_options();
    if (config.cooperative || config.cluster > 1)
        options.workers = std::max(options.workers, static_cast<unsigned>(volume(config.grid)));
    Grid grid{.config = config,
              .thread = thread,
              .arguments = arguments,
              .options = options,
              .blocks = volume(config.grid),
              .threads = static_cast<unsigned>(volume(config.block)),
              .compute_capability = current_profile().compute_capability,
              .progress = {},
              .clusters = std::vector<Cluster>(
                  config.cluster > 1 ? volume(config.grid) / config.cluster : 0),
              .call_helpers = {}};
    try {
        tell([&](auto& to) { to.launch_starts(config, kernel); });
        Executor::instance().run(grid);
        tell([](auto& to) { to.launch_ends(); });
    } catch (const Violation& violation) {
        throw KernelError(violation.what, config.where);
    } catch (const NoStack& error) {
        throw OutOfMemory(error.what(), config.where);
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("no memory to execute a kernel: " + host_limit_met(), config.where);
    }
}

unsigned sync_block(bool predicate, Location where) {
    return this_block(where).sync_block(predicate, where);
}
std::uint64_t sync_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned argument,
                        int width, Location where) {
    return this_block(where).sync_warp(kind, mask, value, argument, width, where);
}
void* shared_memory() { return this_block(Location::current()).shared_memory(); }
std::uint64_t& cluster_arrivals() { return this_block(Location::current()).cluster_arrivals(); }
std::uint64_t& awaited_arrivals() { return this_block(Location::current()).awaited_arrivals(); }
unsigned cluster_rank() { return this_block(Location::current()).cluster_rank(); }
void* shared_memory_of(unsigned rank, Location where) {
    return this_block(where).shared_memory_of(rank, where);
}
void relax(Location where) { this_block(where).relax(where); }
void after_atomic(bool changed) {
    if (running_block != nullptr)
        running_block->after_atomic(changed);  // host code may call it as well
}
void start_bulk_load(void* shared, const void* global, unsigned bytes, const void* barrier,
                     Location where) {
    this_block(where).start_bulk_load(shared, global, bytes, barrier, where);
}
unsigned finish_bulk_loads(const void* barrier) {
    return this_block(Location::current()).finish_bulk_loads(barrier);
}
void fail(const std::string& what, Location where) { this_block(where).fail(what, where); }

}  // namespace detail

void set_options(const Options& options) {
    const std::lock_guard lock(detail::options_mutex);
    detail::options = options;
}

unsigned workers() { return detail::current_options().workers; }

void emulate(const DeviceProfile* gpu) {
    const std::lock_guard lock(detail::options_mutex);
    detail::chosen_profile = gpu;
}

}  // namespace simt::inline SIMT_BACKEND
