// Wrappers of CUDA's functions: the linker's option --wrap redirects calls of cudaX to
// __wrap_cudaX, and calls of __real_cudaX to cudaX.
#include "tests/refused/calls.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <utility>

namespace simt::inline gpu {
namespace {

std::atomic<std::uint64_t> calls_until_refusal = 0;  // 0: no call is refused
std::atomic<int> refused = -1;                       // a Call, or -1
std::atomic<std::int64_t> existing_resources = 0;
thread_local cudaError_t last_error = cudaSuccess;  // CUDA remembers its own in the same way

/// The result of a call that is not made; cudaSuccess: the call is made.
cudaError_t refusal(Call what = Call::other) {
    if (calls_until_refusal == 0 || --calls_until_refusal > 0) return cudaSuccess;
    refused = static_cast<int>(what);
    return last_error = what == Call::allocation ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

template <class F>
cudaError_t unless_refused(Call what, F call) {
    const cudaError_t status = refusal(what);
    return status == cudaSuccess ? call() : status;
}

/// For calls that create something.
template <class F>
cudaError_t make(Call what, F call) {
    cudaError_t status = refusal(what);
    if (status == cudaSuccess) status = call();
    if (status == cudaSuccess) ++existing_resources;
    return status;
}

template <class Handle, class F>
cudaError_t destroy(Handle handle, F call) {
    if (handle != nullptr) --existing_resources;
    return call(handle);
}

}  // namespace

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

// NAME, its parameters, its arguments.
#define REFUSABLE(WHAT, NAME, PARAMETERS, ARGUMENTS)                                \
    extern "C" cudaError_t __real_##NAME PARAMETERS;                                \
    extern "C" cudaError_t __wrap_##NAME PARAMETERS {                               \
        return unless_refused(Call::WHAT, [&] { return __real_##NAME ARGUMENTS; }); \
    }
#define MAKES(WHAT, NAME, PARAMETERS, ARGUMENTS)                          \
    extern "C" cudaError_t __real_##NAME PARAMETERS;                      \
    extern "C" cudaError_t __wrap_##NAME PARAMETERS {                     \
        return make(Call::WHAT, [&] { return __real_##NAME ARGUMENTS; }); \
    }
#define DESTROYS(NAME, HANDLE)                    \
    extern "C" cudaError_t __real_##NAME(HANDLE); \
    extern "C" cudaError_t __wrap_##NAME(HANDLE handle) { return destroy(handle, __real_##NAME); }

MAKES(allocation, cudaMalloc, (void** memory, std::size_t bytes), (memory, bytes))
MAKES(allocation, cudaHostAlloc, (void** memory, std::size_t bytes, unsigned flags),
      (memory, bytes, flags))
MAKES(other, cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
MAKES(other, cudaEventCreate, (cudaEvent_t * event), (event))
MAKES(other, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
MAKES(other, cudaGraphInstantiate,
      (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
      (executable, graph, flags))

DESTROYS(cudaFree, void*)
DESTROYS(cudaFreeHost, void*)
DESTROYS(cudaStreamDestroy, cudaStream_t)
DESTROYS(cudaEventDestroy, cudaEvent_t)
DESTROYS(cudaGraphExecDestroy, cudaGraphExec_t)

REFUSABLE(other, cudaMemcpyAsync,
          (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
          (to, from, bytes, kind, stream))
REFUSABLE(other, cudaMemsetAsync, (void* to, int value, std::size_t bytes, cudaStream_t stream),
          (to, value, bytes, stream))
REFUSABLE(other, cudaDeviceSynchronize, (), ())
REFUSABLE(wait, cudaStreamSynchronize, (cudaStream_t stream), (stream))
REFUSABLE(other, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
          (stream, event, flags))
REFUSABLE(other, cudaPointerGetAttributes,
          (cudaPointerAttributes * attributes, const void* pointer), (attributes, pointer))
REFUSABLE(other, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
REFUSABLE(other, cudaEventSynchronize, (cudaEvent_t event), (event))
REFUSABLE(other, cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t end),
          (milliseconds, start, end))
REFUSABLE(other, cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
          (stream, mode))
REFUSABLE(other, cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
// The function that kernel<<<...>>>(...) calls, and CUDA's function for launches with attributes.
REFUSABLE(other, __cudaLaunchKernel,
          (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
           cudaStream_t stream),
          (kernel, grid, block, arguments, shared_bytes, stream))
REFUSABLE(other, cudaLaunchKernelExC,
          (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
          (config, kernel, arguments))

extern "C" cudaError_t __real_cudaGetLastError();
extern "C" cudaError_t __wrap_cudaGetLastError() {
    const cudaError_t cudas_own = __real_cudaGetLastError();
    const cudaError_t ours = std::exchange(last_error, cudaSuccess);
    return ours != cudaSuccess ? ours : cudas_own;
}

extern "C" cudaError_t __real_cudaPeekAtLastError();
extern "C" cudaError_t __wrap_cudaPeekAtLastError() {
    return last_error != cudaSuccess ? last_error : __real_cudaPeekAtLastError();
}

}  // namespace simt::inline gpu
