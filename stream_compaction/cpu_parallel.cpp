#include "stream_compaction/cpu_parallel.h"

#include "stream_compaction/capacity.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/parts/host_call.h"
#include "stream_compaction/parts/overlap.h"

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace stream_compaction::cpu_parallel {
namespace {

/// The number of threads that can work at the same time. More threads than cores would only take
/// turns, and OpenMP ends the process if the system cannot start them.
int cores() { return std::min(omp_get_max_threads(), omp_get_num_procs()); }

/// Returns the stack of OpenMP's threads in bytes, as libgomp reads it, or nothing for the default,
/// which libgomp also uses if it reads no number or one that is too small.
std::optional<std::size_t> stack_bytes_of_a_thread() {
    const char* text = std::getenv("OMP_STACKSIZE");
    if (text == nullptr) text = std::getenv("GOMP_STACKSIZE");
    if (text == nullptr) return std::nullopt;
    char* unit = nullptr;
    std::size_t bytes = std::strtoul(text, &unit, 10);
    while (std::isspace(static_cast<unsigned char>(*unit)) != 0) ++unit;
    switch (std::tolower(static_cast<unsigned char>(*unit))) {
        case 'b':
            break;
        case 'm':
            bytes <<= 20;
            break;
        case 'g':
            bytes <<= 30;
            break;
        default:
            bytes <<= 10;
    }
    if (bytes < static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN))) return std::nullopt;
    return bytes;
}

/// Returns the bytes of the calling thread's stack that are not in use.
std::size_t room_on_the_stack() {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    (void)pthread_attr_getstack(&attributes, &lowest, &bytes);
    (void)pthread_attr_destroy(&attributes);
    return static_cast<std::size_t>(static_cast<const char*>(__builtin_frame_address(0)) -
                                    static_cast<const char*>(lowest));
}

/// Returns how many of `wanted` threads OpenMP could run besides the calling one, all at once and
/// with room on their stacks. OpenMP itself ends the process with exit code 1 if it cannot start
/// one, or has no memory for its own data. The threads here have stacks of the size that OpenMP's
/// have: the C library keeps the memory of stacks, so stacks of another size would use up the
/// memory that OpenMP's need.
/// @throws std::bad_alloc
int threads_that_start(int wanted) {
    constexpr std::size_t kRoom = 64 * 1024;       // more than the work on a chunk needs
    constexpr std::size_t kOpenMPs = 1024 * 1024;  // more than OpenMP allocates for a team
    struct Start {
        std::latch all_started{1};
        std::atomic<bool> have_room = true;
    } start;
    const auto run = [](void* argument) -> void* {
        auto& [all_started, have_room] = *static_cast<Start*>(argument);
        if (room_on_the_stack() < kRoom) have_room = false;
        all_started.wait();
        return nullptr;
    };
    pthread_attr_t attributes;
    (void)pthread_attr_init(&attributes);
    const auto bytes = stack_bytes_of_a_thread();
    if (bytes && pthread_attr_setstacksize(&attributes, *bytes) != 0) wanted = 0;
    std::vector<pthread_t> threads;
    threads.reserve(static_cast<std::size_t>(wanted));
    {
        const auto left_to_openmp = std::make_unique_for_overwrite<std::byte[]>(kOpenMPs);
        for (pthread_t thread; static_cast<int>(threads.size()) < wanted; threads.push_back(thread))
            if (pthread_create(&thread, &attributes, run, &start) != 0) break;
    }
    start.all_started.count_down();
    for (const pthread_t thread : threads) (void)pthread_join(thread, nullptr);
    (void)pthread_attr_destroy(&attributes);
    return start.have_room ? static_cast<int>(threads.size()) : 0;
}

/// OpenMP has threads for each thread that calls it, and starts them at the first call. They are
/// tried immediately before.
/// @throws std::system_error, std::bad_alloc
void require_threads() {
    static thread_local int started = 0;
    const int wanted = cores() - 1;
    const int start = wanted > started ? threads_that_start(wanted) : wanted;
    if (wanted > start)
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                "OpenMP can start " + std::to_string(start) + " of " +
                                    std::to_string(wanted) + " threads");
    started = wanted;
}

/// While this object lives, OpenMP starts no more threads than there are cores.
class NoMoreThreadsThanCores {
  public:
    /// @throws std::system_error if it could not start these, std::bad_alloc
    NoMoreThreadsThanCores() {
        require_threads();
        omp_set_num_threads(cores());
    }
    NoMoreThreadsThanCores(const NoMoreThreadsThanCores&) = delete;
    NoMoreThreadsThanCores& operator=(const NoMoreThreadsThanCores&) = delete;
    ~NoMoreThreadsThanCores() { omp_set_num_threads(before_); }

  private:
    int before_ = omp_get_max_threads();
};

/// OpenMP's threads exist only in the process that started them. A child of fork() would wait for
/// them for ever.
/// @throws std::runtime_error
void require_own_threads() {
    static const pid_t process = getpid();
    if (getpid() != process)
        throw std::runtime_error(
            "cpu_parallel cannot run in a child of fork() whose parent has used it: OpenMP has no "
            "threads there");
}

/// Whether CPU `cpu` is the first hardware thread of its core.
bool is_first_of_core(int cpu) {
    std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list");
    int first = 0;
    return !(siblings >> first) || first == cpu;
}

/// The CPUs that the calling thread may use: first one of each core, then the others.
std::vector<int> cpus_by_core() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<int> cpus;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
    std::ranges::stable_partition(cpus, is_first_of_core);
    return cpus;
}

bool is_bound_by_openmp() {
    return std::ranges::any_of(
        std::array{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"},
        [](const char* variable) { return std::getenv(variable) != nullptr; });
}

/// Binds the calling thread. If the system refuses, the thread stays where it may be.
void bind_to(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

constexpr std::size_t kSmallestChunk = 16 * 1024;

/// Splits n elements into chunks of at least a few pages.
std::size_t chunks_for(std::size_t n, std::size_t most) {
    return std::clamp<std::size_t>(n / kSmallestChunk, 1, most);
}

/// The largest number of chunks of a scan or compaction of n elements: several per core, so that a
/// slow core does not delay the others. A plan keeps this number, however many threads there are
/// later.
std::size_t most_chunks_for(std::size_t n) {
    constexpr std::size_t kChunksPerCore = 4;
    return chunks_for(n, static_cast<std::size_t>(cores()) * kChunksPerCore);
}

/// Calls f(i) for every i < count, on all cores. An exception that leaves OpenMP's threads would
/// end the process, so the first exception is rethrown when all calls have ended.
template <class F>
void for_each_index(std::size_t count, F f) {
    require_own_threads();
    const NoMoreThreadsThanCores limit;
    std::once_flag once;
    std::exception_ptr error;
    ::thrust::for_each_n(::thrust::omp::par, ::thrust::counting_iterator<std::size_t>(0), count,
                         [&](std::size_t i) {
                             try {
                                 f(i);
                             } catch (...) {
                                 std::call_once(once, [&] { error = std::current_exception(); });
                             }
                         });
    if (error) std::rethrow_exception(error);
}

/// Calls f(chunk, first, last) for every chunk of n elements, on all cores.
template <class F>
void for_each_chunk(std::size_t n, std::size_t chunks, F f) {
    const std::size_t size = ceil_div(n, chunks);
    for_each_index(chunks, [=](std::size_t chunk) {
        f(chunk, std::min(n, chunk * size), std::min(n, (chunk + 1) * size));
    });
}

}  // namespace

void wake_threads() {
    require_own_threads();
    const NoMoreThreadsThanCores limit;
    // The first CPU is left to the calling thread.
    static const std::vector<int> cpus = is_bound_by_openmp() ? std::vector<int>() : cpus_by_core();
#pragma omp parallel
    {
        static thread_local bool is_bound = false;
        const auto i = static_cast<std::size_t>(omp_get_thread_num());
        if (i > 0 && i < cpus.size() && !std::exchange(is_bound, true)) bind_to(cpus[i]);
    }
}

Scan::Scan(std::size_t n, const Tuning& tuning) : capacity_(n), before_(most_chunks_for(n)) {
    require({}, tuning);
}

void Scan::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    const std::size_t chunks = chunks_for(n, before_.size());
    unsigned* const before = before_.data();
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        before[chunk] = std::accumulate(in + first, in + last, 0u);
    });
    std::exclusive_scan(before, before + chunks, before, 0u);
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        unsigned sum = before[chunk];
        for (std::size_t i = first; i < last; ++i) {
            const unsigned value = in[i];
            out[i] = sum;
            sum += value;
        }
    });
}

Compact::Compact(std::size_t n, const Tuning& tuning)
    : capacity_(n), before_(most_chunks_for(n) + 1) {
    require({}, tuning);
}

void Compact::enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                      Stopwatch*) {
    require_capacity(capacity_, n);
    require_count(count, {in, n}, {out, n});
    require_apart({in, n}, {out, n});
    const std::size_t chunks = chunks_for(n, before_.size() - 1);
    std::size_t* const before = before_.data();
    before[chunks] = 0;
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        before[chunk] = last - first - std::count(in + first, in + last, 0);
    });
    std::exclusive_scan(before, before + chunks + 1, before, std::size_t{0});
    for_each_chunk(n, chunks, [=](std::size_t chunk, std::size_t first, std::size_t last) {
        std::size_t kept = before[chunk];
        for (std::size_t i = first; i < last; ++i)
            if (in[i] != 0) out[kept++] = in[i];
    });
    *count = before[chunks];
}

Sort::Sort(std::size_t n, const Tuning& tuning) : capacity_(n) { require({}, tuning); }

// The algorithm of thrust::sort on all cores (3.0), which however ends the process if memory runs
// out.

void Sort::enqueue(const int* in, int* out, std::size_t n, simt::stream_t) {
    require_capacity(capacity_, n);
    require_same_or_apart({in, n}, {out, n});
    const auto flip_sign = [](unsigned key) { return key ^ 1u << 31; };
    unsigned* const keys = reinterpret_cast<unsigned*>(out);
    const std::size_t chunks = chunks_for(n, static_cast<std::size_t>(cores()));
    const std::size_t size = ceil_div(n, chunks);
    for_each_chunk(n, chunks, [=](std::size_t, std::size_t first, std::size_t last) {
        std::transform(in + first, in + last, keys + first, flip_sign);
        ::thrust::sort(::thrust::seq, keys + first, keys + last);
    });
    for (std::size_t run = size; run < n; run *= 2)
        for_each_index(ceil_div(n, 2 * run), [=](std::size_t pair) {
            const std::size_t first = 2 * run * pair;
            std::inplace_merge(keys + first, keys + std::min(n, first + run),
                               keys + std::min(n, first + 2 * run));
        });
    for_each_chunk(n, chunks, [=](std::size_t, std::size_t first, std::size_t last) {
        std::transform(keys + first, keys + last, keys + first, flip_sign);
    });
}

Outcome scan(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Scan>(input, output, tuning);
}

Outcome compact(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Compact>(input, output, tuning);
}

Outcome sort(std::span<const int> input, std::span<int> output, const Tuning& tuning) {
    return call_on_host<Sort>(input, output, tuning);
}

}  // namespace stream_compaction::cpu_parallel
