#include "src/bench/arena/device_arena.h"

#include "simt/memory.h"
#include "src/bench/sampling/empty_launch.h"
#include "src/check/device_check.h"
#include "src/check/variant_check.h"
#include "src/input/device_input.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/stopwatch.h"

#include <stdexcept>
#include <utility>

namespace stream_compaction::inline SIMT_BACKEND {

struct DeviceArena::Prepared {
    Setting setting;
    simt::DeviceArray<int> in, out;
    simt::DeviceArray<std::size_t> count{1};
    std::optional<DeviceCheck> check;
    std::optional<VariantCheck> variant_check;  ///< used instead if there is a variant

    template <class F>
    auto with_check(F f) const {
        return variant_check ? f(*variant_check) : f(*check);
    }
};

DeviceArena::DeviceArena(std::size_t flush_bytes) : flush_bytes_(flush_bytes) {}

DeviceArena::~DeviceArena() = default;

L2Flush& DeviceArena::l2_flush() {
    if (!l2_flush_) l2_flush_.emplace(flush_bytes_);
    return *l2_flush_;
}

void DeviceArena::prepare(const Setting& setting) {
    if (setting.mode == Mode::cold)
        (void)l2_flush();
    else
        l2_flush_.reset();
    if (prepared_ && prepared_->setting.has_same_input(setting)) return;
    auto prepared = prepared_ ? std::move(prepared_) : std::make_unique<Prepared>();
    prepared->check.reset();
    prepared->variant_check.reset();
    const std::size_t in_size = ceil_div(setting.n * setting.in_bytes(), sizeof(int));
    const std::size_t out_size =
        ceil_div(setting.n * setting.out_bytes(), sizeof(int)) + DeviceCheck::kGuard;
    if (prepared->in.size() < in_size || prepared->out.size() < out_size) {
        prepared->in = {};
        prepared->out = {};
        prepared->in = simt::DeviceArray<int>(in_size);
        prepared->out = simt::DeviceArray<int>(out_size);
    }
    prepared->setting = setting;
    if (setting.variant != nullptr) {
        prepared->variant_check.emplace(*setting.variant, setting.input());
        prepared->variant_check->store(prepared->in.data(), stream_);
    } else {
        enqueue_store(setting.input(), prepared->in.data(), stream_.get());
        stream_.synchronize();
        prepared->check.emplace(setting.operation, prepared->in.data(), setting.n, stream_);
    }
    prepared_ = std::move(prepared);
}

void DeviceArena::release() {
    prepared_.reset();
    l2_flush_.reset();
}

std::size_t DeviceArena::bytes() const {
    const std::size_t arrays =
        prepared_ ? (prepared_->in.size() + prepared_->out.size()) * sizeof(int) : 0;
    return arrays + (l2_flush_ ? flush_bytes_ : 0);
}

std::size_t DeviceArena::count() const {
    return prepared_->with_check([](const auto& check) { return check.count(); });
}

void DeviceArena::prepare_output() {
    prepared_->with_check([this](const auto& check) {
        check.prepare(prepared_->out.data(), prepared_->count.data(), stream_);
    });
}

std::optional<std::string> DeviceArena::what_is_wrong() {
    return prepared_->with_check([this](const auto& check) {
        return check.what_is_wrong(prepared_->out.data(), prepared_->count.data(), stream_);
    });
}

void DeviceArena::enqueue(Plan& plan, simt::stream_t stream, Stopwatch* watch) const {
    plan.enqueue(prepared_->in.data(), prepared_->out.data(), prepared_->count.data(),
                 prepared_->setting.n, stream, watch);
}

std::optional<Phases> DeviceArena::phases(Plan& plan) {
    const std::size_t flushes =
        flushes_to_hide([&](simt::stream_t stream) { enqueue(plan, stream); }, l2_flush(), stream_);
    DeviceStopwatch watch(stream_.get());
    for (std::size_t i = 0; i < flushes; ++i) l2_flush_->enqueue(stream_.get());
    watch.mark();
    enqueue(plan, stream_.get(), &watch);
    watch.mark();
    return outcome(count(), watch.laps()).phases;
}

std::unique_ptr<Sampler> DeviceArena::sampler(Mode mode, Plan& plan, bool asynchronous) {
    return sampler_of(
        mode, [this, &plan](simt::stream_t stream) { enqueue(plan, stream); }, asynchronous);
}

std::unique_ptr<Sampler> DeviceArena::copy_sampler(Mode mode, const Copy& copy) {
    const auto enqueue = [this, copy](simt::stream_t stream) {
        copy.enqueue(prepared_->out.data(), prepared_->in.data(),
                     prepared_->setting.n * prepared_->setting.in_bytes(), stream);
    };
    return sampler_of(mode, enqueue, true);
}

std::unique_ptr<Sampler> DeviceArena::empty_launch_sampler(Mode mode) {
    return sampler_of(mode, enqueue_nothing, true);
}

std::unique_ptr<Sampler> DeviceArena::sampler_of(Mode mode, Enqueue enqueue, bool asynchronous) {
    switch (mode) {
        case Mode::cold:
            return cold_sampler(std::move(enqueue), asynchronous, l2_flush(), stream_);
        case Mode::hot:
            return hot_sampler(std::move(enqueue), stream_);
        case Mode::graph:
            return graph_sampler(std::move(enqueue), stream_);
        case Mode::host:
            break;
    }
    throw std::invalid_argument("no work on device arrays is measured in mode host");
}

}  // namespace stream_compaction::inline SIMT_BACKEND
