// Brings pieces of arrays from the host to the device and back, while the device works on others.
//
//     copiers               the caller: copies, kernels             copiers
//     pageable -> buffer    buffer -> slot, kernel, slot -> buffer    buffer -> pageable
//
// The device copies from and to pinned buffers, which pieces take in turn; threads bring them
// there from pageable memory and back, all of them one piece after the other, so that the first
// one is soon on its way. All that the device does is asked for by the caller, who never waits for
// one thing alone, but looks what can go on: threads that asked for copies themselves would wait
// for the driver's lock, and for each other. Who waits for whom:
//  * a kernel waits, on the device, for the uploads that the caller has taken;
//  * a download waits, on the device, for the event that it was given;
//  * an upload waits, on the host, until what was at its place has left the device;
//  * a piece waits for the one that had its buffer.
// So, as long as each upload's place is emptied by downloads that need only earlier uploads,
// something can always go on.
//
// Who brings everything up before anything comes down needs half as many buffers: they serve one
// way after the other.
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

/// at_once: each way has buffers of its own. in_turn: both have the same, and a run that brings
/// pieces up brings none down.
enum class Ways { at_once, in_turn };

class Pipeline {
  public:
    /// @param threads that copy on the host, the caller among them; one at least
    /// @param piece the most elements of an upload or a download
    /// @param buffers each way, of a piece
    /// @throws simt::Error, std::system_error
    Pipeline(unsigned threads, std::size_t piece, std::size_t buffers, Ways ways = Ways::at_once);
    ~Pipeline();

    /// Where the caller enqueues what the device does.
    simt::stream_t stream() const { return stream_.get(); }

    /// Calls `work`, which calls the functions below and takes each upload, and returns when
    /// everything has come down.
    /// Where anything throws, that is thrown when nothing runs any more. The TransferWatch of the
    /// thread gets to know what has moved.
    void run(const std::function<void()>& work);

    /// Has a piece brought up; returns at once.
    /// @param after so many downloads must have left the device before
    void upload(const int* from, int* to, std::size_t size, std::size_t after);

    /// Makes the stream wait for the next upload, in their order. Waits until that is on its way.
    void take_upload();
    /// Whether the next upload is on its way.
    bool can_take_upload();

    /// Waits until the device has reached the event.
    void wait_for(const simt::Event& event);

    /// Has a piece brought down, after the event, as it was last recorded; returns at once.
    /// @param ready is not recorded again before the piece has left the device
    void download(const int* from, int* to, std::size_t size, const simt::Event& ready);

  private:
    struct Upload {
        const int* from;
        int* to;
        std::size_t size, after;
        bool is_staged = false;  ///< known when it is staged
    };
    struct Download {
        const int* from;
        int* to;
        std::size_t size;
        const simt::Event* ready;
        bool is_staged = false;  ///< known when it is begun
    };
    struct Buffer {
        int* memory;
        simt::Event copied = simt::Event::without_time();  ///< by the device
        std::atomic<std::size_t> shares_left = 0;          ///< that threads have to copy
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
    const std::size_t each_way_;  // buffers
    simt::PinnedArray<int> memory_;
    std::deque<Buffer> buffers_;

    // Of the run. Uploads are first staged, then sent, then taken; downloads are begun by the
    // device, have then left it, and are finished when threads have copied them.
    std::vector<Upload> uploads_;
    std::size_t staged_ = 0, sent_ = 0, taken_ = 0;
    std::vector<Download> downloads_;
    std::size_t begun_ = 0, left_ = 0, finished_ = 0;
    TransferWatch* watch_ = nullptr;

    const unsigned threads_;            // of the copiers
    pid_t process_ = 0;                 // in which they run
    std::unique_ptr<Copiers> copiers_;  // last, so that its threads end first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
