// Copies pieces of arrays from the host to the device and back, while the device processes others.
//
//     copiers               the caller: copies, kernels             copiers
//     pageable -> buffer    buffer -> slot, kernel, slot -> buffer    buffer -> pageable
//
// The device copies from and to pinned buffers, which pieces use in turn. Threads copy pieces from
// pageable memory into the buffers and back. All threads work on one piece at a time, so that the
// first piece starts early. Only the caller enqueues work on the device. It never waits for one
// event alone, but repeatedly starts every step that is possible. (If the threads enqueued copies
// themselves, they would wait for the driver's lock, and for each other.) Who waits for whom:
//  * a kernel waits, on the device, for the uploads that the caller has taken;
//  * a download waits, on the device, for the event that it was given;
//  * an upload waits, on the host, until the previous data at its destination has left the device;
//  * a piece waits for the previous piece in its buffer.
// So if the destination of each upload is freed by downloads that need only earlier uploads, some
// step is always possible.
//
// A caller that copies everything up before anything is copied down needs half as many buffers:
// both directions use the same ones, one after the other.
#pragma once

#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/parts/copiers.h"
#include "stream_compaction/transfer_watch.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace stream_compaction::inline SIMT_BACKEND {

/// at_once: each direction has its own buffers. in_turn: both share them, and a run copies in one
/// direction only.
enum class Ways { at_once, in_turn };

class Pipeline {
  public:
    /// @param threads that copy on the host, including the caller; at least one
    /// @param piece   largest number of elements of an upload or a download
    /// @param buffers number of buffers per direction, each for one piece
    /// @throws simt::Error, std::system_error
    Pipeline(unsigned threads, std::size_t piece, std::size_t buffers, Ways ways = Ways::at_once);
    ~Pipeline();

    /// The stream on which the caller enqueues the device's work.
    simt::stream_t stream() const { return stream_.get(); }

    /// Calls `work`, which calls the functions below and takes each upload, and returns when
    /// everything has been copied down. If anything throws, the exception is rethrown when all work
    /// has stopped. Reports to the thread's TransferWatch.
    void run(const std::function<void()>& work);

    /// Starts an upload of a piece and returns at once.
    /// @param after number of downloads that must have left the device before
    void upload(const int* from, int* to, std::size_t size, std::size_t after);

    /// Makes the stream wait for the next upload, in their order. Blocks until that upload has
    /// started.
    void take_upload();
    /// Whether the next upload has started.
    bool can_take_upload();

    /// Waits until the event has been reached on the device.
    void wait_for(const simt::Event& event);

    /// Starts a download of a piece after the last record of the event, and returns at once.
    /// @param ready must not be recorded again before the piece has left the device
    void download(const int* from, int* to, std::size_t size, const simt::Event& ready);

  private:
    struct Upload {
        const int* from;
        int* to;
        std::size_t size, after;
        bool is_staged = false;  ///< valid when it is staged
    };
    struct Download {
        const int* from;
        int* to;
        std::size_t size;
        const simt::Event* ready;
        bool is_staged = false;  ///< valid when it has begun
    };
    struct Buffer {
        int* memory;
        simt::Event copied = simt::Event::without_time();  ///< by the device
        std::atomic<std::size_t> shares_left = 0;          ///< still to be copied by threads
    };

    Buffer& up(std::size_t upload) { return buffers_[upload % each_way_]; }
    Buffer& down(std::size_t download) {
        return buffers_[buffers_.size() - each_way_ + download % each_way_];
    }

    void start_copiers();
    void leave_copiers_of_parent();
    bool go_on();
    bool stage();
    bool send();
    bool receive();
    bool hand_out();
    bool finish();
    template <class Condition>
    void wait_until(Condition condition);
    void stop() noexcept;
    void tell_moved(std::size_t elements) const;

    simt::Stream stream_, up_stream_, down_stream_;
    const std::size_t each_way_;  // buffers per direction
    simt::PinnedArray<int> memory_;
    std::deque<Buffer> buffers_;

    // The state of a run. Uploads are first staged, then sent, then taken. Downloads are begun by
    // the device, then have left it, and are finished when threads have copied them.
    std::vector<Upload> uploads_;
    std::size_t staged_ = 0, sent_ = 0, taken_ = 0;
    std::vector<Download> downloads_;
    std::size_t begun_ = 0, left_ = 0, finished_ = 0;
    TransferWatch* watch_ = nullptr;

    const unsigned threads_;            // threads of the copiers
    pid_t process_ = 0;                 // the process in which they run
    std::unique_ptr<Copiers> copiers_;  // last, so that its threads end first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
