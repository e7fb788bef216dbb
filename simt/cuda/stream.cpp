#include "simt/stream.h"

#include "simt/cuda/check.h"

#include <cuda_runtime_api.h>

namespace simt::inline SIMT_BACKEND {

void synchronize(stream_t stream, std::source_location where) {
    check(cudaStreamSynchronize(stream), where);
}

Stream::Stream(std::source_location where) {
    stream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), where);
    handle_.reset(stream);
}

void Stream::wait(const Event& event, std::source_location where) const {
    event.hold_back(handle_.get(), where);
}

void Stream::Destroy::operator()(stream_t stream) const noexcept {
    (void)cudaStreamDestroy(stream);
}

Event::Event(std::source_location where) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), where);
    handle_.reset(event);
}

Event Event::without_time(std::source_location where) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), where);
    return Event(static_cast<void*>(event));
}

void Event::record(stream_t stream, std::source_location where) {
    check(cudaEventRecord(static_cast<cudaEvent_t>(get()), stream), where);
}

void Event::synchronize(std::source_location where) const {
    check(cudaEventSynchronize(static_cast<cudaEvent_t>(get())), where);
}

void Event::hold_back(stream_t stream, std::source_location where) const {
    check(cudaStreamWaitEvent(stream, static_cast<cudaEvent_t>(get()), 0), where);
}

bool Event::is_reached(std::source_location where) const {
    const cudaError_t status = cudaEventQuery(static_cast<cudaEvent_t>(get()));
    if (status == cudaErrorNotReady) {
        (void)cudaGetLastError();  // not an error, but the next call would report it
        return false;
    }
    check(status, where);
    return true;
}

double Event::microseconds_since(const Event& start, std::source_location where) const {
    const auto begin = static_cast<cudaEvent_t>(start.get());
    const auto end = static_cast<cudaEvent_t>(get());
    check(cudaEventSynchronize(begin), where);
    check(cudaEventSynchronize(end), where);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), where);
    return milliseconds * 1e3;
}

void Event::Destroy::operator()(void* event) const noexcept {
    (void)cudaEventDestroy(static_cast<cudaEvent_t>(event));
}

Graph::Graph(const void* work, void (*enqueue)(const void*, stream_t), std::source_location where) {
    const Stream stream(where);
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), where);
    cudaGraph_t captured = nullptr;
    try {
        enqueue(work, stream.get());
    } catch (...) {
        (void)cudaStreamEndCapture(stream.get(), &captured);
        if (captured != nullptr) (void)cudaGraphDestroy(captured);
        (void)cudaGetLastError();
        throw;
    }
    check(cudaStreamEndCapture(stream.get(), &captured), where);
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&executable, captured, 0);
    (void)cudaGraphDestroy(captured);
    check(status, where);
    handle_.reset(executable);
}

void Graph::launch(stream_t stream, std::source_location where) const {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(get()), stream), where);
}

void Graph::Destroy::operator()(void* graph) const noexcept {
    (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

}  // namespace simt::inline SIMT_BACKEND
