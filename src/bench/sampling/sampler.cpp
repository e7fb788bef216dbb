#include "src/bench/sampling/sampler.h"

#include "src/bench/sampling/host_clock.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

/// Returns the host time of f in microseconds.
template <class F>
double host_microseconds(F f) {
    const double start = host_clock_us();
    f();
    return host_clock_us() - start;
}

/// How many calls of `call_us` fill `wanted_us`.
std::size_t calls_in(double wanted_us, double call_us, std::size_t most) {
    const double calls = std::ceil(wanted_us / std::max(call_us, 1e-3));
    return calls >= static_cast<double>(most) ? most
                                              : static_cast<std::size_t>(std::max(calls, 1.));
}

/// The approximate time of one call. The first call also loads the code; if it was short, a few
/// more calls are timed.
template <class Call, class Wait>
double estimate(Call call, Wait wait) {
    constexpr double kQuick = 20e3;
    constexpr int kCalls = 8;
    const double first = host_microseconds([&] {
        call();
        wait();
    });
    if (first > kQuick) return first;
    const double more = host_microseconds([&] {
        for (int i = 0; i < kCalls; ++i) call();
        wait();
    });
    return more / kCalls;
}

/// A pool of events: creating an event costs as much as a launch.
class EventPairs {
  public:
    EventPairs() : events_(2 * Sampler::kMostSamples) {}
    simt::Event& start(std::size_t i) { return events_[2 * i]; }
    simt::Event& stop(std::size_t i) { return events_[2 * i + 1]; }

  private:
    std::vector<simt::Event> events_;
};

class ColdSampler final : public Sampler {
  public:
    ColdSampler(Enqueue enqueue, bool asynchronous, L2Flush& flush, const simt::Stream& stream)
        : enqueue_(std::move(enqueue)), flush_(flush), stream_(stream) {
        (void)estimate([this] { enqueue_(stream_.get()); }, [this] { stream_.synchronize(); });
        // A call that itself waits for the device leaves the device idle for its users as well.
        // That is part of its time, so nothing is hidden.
        if (asynchronous) flushes_ = flushes_to_hide(enqueue_, flush_, stream_);
    }

    std::vector<double> take(std::size_t samples) override {
        for (std::size_t i = 0; i < samples; ++i) {
            for (std::size_t k = 0; k < flushes_; ++k) flush_.enqueue(stream_.get());
            events_.start(i).record(stream_.get());
            enqueue_(stream_.get());
            events_.stop(i).record(stream_.get());
        }
        std::vector<double> times(samples);
        for (std::size_t i = 0; i < samples; ++i)
            times[i] = events_.stop(i).microseconds_since(events_.start(i));
        stream_.synchronize();  // reports errors of the calls
        return times;
    }

    std::size_t calls(std::size_t samples) const override { return samples; }

  private:
    Enqueue enqueue_;
    L2Flush& flush_;
    const simt::Stream& stream_;
    std::size_t flushes_ = 1;
    EventPairs events_;
};

/// Times batches of calls without a gap: a batch before the first event keeps the device busy until
/// the host has enqueued the next one.
class BatchSampler : public Sampler {
  public:
    std::vector<double> take(std::size_t samples) final {
        enqueue_batch();
        events_[0].record(stream_.get());
        for (std::size_t i = 1; i <= samples; ++i) {
            enqueue_batch();
            events_[i].record(stream_.get());
        }
        std::vector<double> times(samples);
        for (std::size_t i = 0; i < samples; ++i)
            times[i] = events_[i + 1].microseconds_since(events_[i]) / static_cast<double>(batch_);
        stream_.synchronize();  // reports errors of the calls
        return times;
    }

    std::size_t calls(std::size_t samples) const final { return (samples + 1) * batch_; }

  protected:
    BatchSampler(Enqueue enqueue, const simt::Stream& stream)
        : enqueue_(std::move(enqueue)),
          stream_(stream),
          call_us_(
              estimate([this] { enqueue_(stream_.get()); }, [this] { stream_.synchronize(); })),
          events_(kMostSamples + 1) {}

    virtual void enqueue_batch() = 0;

    const Enqueue enqueue_;
    const simt::Stream& stream_;
    const double call_us_;
    std::size_t batch_ = 1;

  private:
    std::vector<simt::Event> events_;
};

class HotSampler final : public BatchSampler {
  public:
    HotSampler(Enqueue enqueue, const simt::Stream& stream)
        : BatchSampler(std::move(enqueue), stream) {
        constexpr double kBatchUs = 500;  // a thousand times the resolution of an event
        constexpr std::size_t kMostCalls = 256;
        batch_ = calls_in(kBatchUs, call_us_, kMostCalls);
    }

  private:
    void enqueue_batch() override {
        for (std::size_t i = 0; i < batch_; ++i) enqueue_(stream_.get());
    }
};

class GraphSampler final : public BatchSampler {
  public:
    GraphSampler(Enqueue enqueue, const simt::Stream& stream)
        : BatchSampler(std::move(enqueue), stream) {
        constexpr double kBatchUs = 1000;  // long compared with the launch of a graph
        constexpr std::size_t kMostCalls = 128;
        batch_ = calls_in(kBatchUs, call_us_, kMostCalls);
        graph_.emplace([this](simt::stream_t captured) {
            for (std::size_t i = 0; i < batch_; ++i) enqueue_(captured);
        });
        graph_->launch(stream_.get());  // the first launch uploads the graph to the device
        stream_.synchronize();
    }

  private:
    void enqueue_batch() override { graph_->launch(stream_.get()); }

    std::optional<simt::Graph> graph_;
};

class ColdHostSampler final : public Sampler {
  public:
    ColdHostSampler(std::function<void()> call, HostCacheFlush& flush, Wake wake)
        : call_(std::move(call)), flush_(flush), wake_(std::move(wake)) {
        call_();
    }

    std::vector<double> take(std::size_t samples) override {
        std::vector<double> times(samples);
        for (double& time : times) {
            flush_.run();
            if (wake_) wake_();
            time = host_microseconds(call_);
        }
        return times;
    }

    std::size_t calls(std::size_t samples) const override { return samples; }

  private:
    std::function<void()> call_;
    HostCacheFlush& flush_;
    Wake wake_;
};

class HotHostSampler final : public Sampler {
  public:
    HotHostSampler(std::function<void()> call, Wake wake)
        : call_(std::move(call)), wake_(std::move(wake)) {
        constexpr double kBatchUs = 100;  // a thousand times the resolution of the clock
        constexpr std::size_t kMostCalls = 1024;
        batch_ = calls_in(kBatchUs, estimate(call_, [] {}), kMostCalls);
    }

    std::vector<double> take(std::size_t samples) override {
        std::vector<double> times(samples);
        for (double& time : times) {
            if (wake_) wake_();
            const double us = host_microseconds([this] {
                for (std::size_t i = 0; i < batch_; ++i) call_();
            });
            time = us / static_cast<double>(batch_);
        }
        return times;
    }

    std::size_t calls(std::size_t samples) const override { return samples * batch_; }

  private:
    std::function<void()> call_;
    Wake wake_;
    std::size_t batch_ = 1;
};

}  // namespace

std::size_t flushes_to_hide(const Enqueue& enqueue, L2Flush& flush, const simt::Stream& stream) {
    constexpr double kMargin = 2, kEventsUs = 10;
    constexpr int kAttempts = 3;
    constexpr std::size_t kMostFlushes = 200;
    double enqueue_us = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const double us = host_microseconds([&] { enqueue(stream.get()); });
        stream.synchronize();
        enqueue_us = attempt == 0 ? us : std::min(enqueue_us, us);
    }
    const double flush_us =
        estimate([&] { flush.enqueue(stream.get()); }, [&] { stream.synchronize(); });
    return calls_in(kMargin * enqueue_us + kEventsUs, flush_us, kMostFlushes);
}

std::unique_ptr<Sampler> cold_sampler(Enqueue enqueue, bool asynchronous, L2Flush& flush,
                                      const simt::Stream& stream) {
    return std::make_unique<ColdSampler>(std::move(enqueue), asynchronous, flush, stream);
}

std::unique_ptr<Sampler> hot_sampler(Enqueue enqueue, const simt::Stream& stream) {
    return std::make_unique<HotSampler>(std::move(enqueue), stream);
}

std::unique_ptr<Sampler> graph_sampler(Enqueue enqueue, const simt::Stream& stream) {
    return std::make_unique<GraphSampler>(std::move(enqueue), stream);
}

std::unique_ptr<Sampler> cold_host_sampler(std::function<void()> call, HostCacheFlush& flush,
                                           Wake wake) {
    return std::make_unique<ColdHostSampler>(std::move(call), flush, std::move(wake));
}

std::unique_ptr<Sampler> hot_host_sampler(std::function<void()> call, Wake wake) {
    return std::make_unique<HotHostSampler>(std::move(call), std::move(wake));
}

}  // namespace stream_compaction::inline SIMT_BACKEND
