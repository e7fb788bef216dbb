#include "stream_compaction/parts/host_copies.h"

#include "simt/stream.h"
#include "stream_compaction/parts/pieces.h"
#include "stream_compaction/parts/pipeline.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {

HostCopies::HostCopies(const StagingOptions& staging) : staging_(staging) {
    if (staging_.piece == 0) staging_.piece = usual_piece(kMostBuffers);
}

HostCopies::~HostCopies() = default;

void HostCopies::up(std::span<const int> from, simt::DeviceArray<int>& to) {
    if (!is_staged(from)) return to.copy_from(from);
    const std::size_t n = from.size(), piece = piece_for(n);
    simt::synchronize();
    pipeline_->run([&] {
        for (std::size_t i = 0; i < n; i += piece)
            pipeline_->upload(from.data() + i, to.data() + i, std::min(piece, n - i), 0);
        for (std::size_t i = 0; i < n; i += piece) pipeline_->take_upload();
    });
}

void HostCopies::down(const simt::DeviceArray<int>& from, std::span<int> to) {
    if (!is_staged(to)) return from.copy_to(to);
    const std::size_t n = to.size(), piece = piece_for(n);
    simt::synchronize();
    const simt::Event nothing_else = simt::Event::without_time();  // never recorded
    pipeline_->run([&] {
        for (std::size_t i = 0; i < n; i += piece)
            pipeline_->download(from.data() + i, to.data() + i, std::min(piece, n - i),
                                nothing_else);
    });
}

bool HostCopies::is_staged(std::span<const int> array) const {
    return array.size() >= staging_.least && !simt::is_pinned(array.data());
}

std::size_t HostCopies::piece_for(std::size_t n) {
    const std::size_t piece = stream_compaction::piece_for(n, staging_.piece);
    if (!pipeline_) {
        if (staging_.threads == 0) staging_.threads = usual_threads(n);
        pipeline_ = std::make_unique<Pipeline>(staging_.threads, piece, buffers_for(n, piece),
                                               Ways::in_turn);
        staging_.piece = piece;  // that fits in the buffers
    }
    return piece;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
