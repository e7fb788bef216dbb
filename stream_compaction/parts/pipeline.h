// Brings pieces of arrays from the host to the device and back, while the device works on others.
//
//     upload lanes                          the caller            download lanes
//     pageable -> pinned -> slot            kernels, in order     slot -> pinned -> pageable
//       thread 0: pieces 0, L, 2L, ...                              thread 0: pieces 0, L, 2L, ...
//       thread 1: pieces 1, L + 1, ...                              thread 1: pieces 1, L + 1, ...
//
// A lane is a thread, a stream and two pinned buffers: while the device copies from or to one, the
// thread copies to or from the other. All launches are the caller's, on a stream of their own. Who
// waits for whom:
//  * a kernel waits, on the device, for the uploads that the caller has taken;
//  * a download waits, on the device, for the event that it was given;
//  * an upload waits, on the host, until what was at its place has left the device.
// No lane waits for another piece while it holds one that could be finished. So, as long as each
// upload's place is emptied by downloads that need only earlier uploads, somebody can always go on.
//
// Who brings everything up before anything comes down needs half as much: lanes that serve one
// direction after the other.
#pragma once

#include "simt/memory.h"
#include "simt/stream.h"
#include "stream_compaction/timeline.h"
#include "stream_compaction/transfer_watch.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {

/// at_once: each direction has lanes of its own. in_turn: both have the same, and a run that brings
/// pieces up brings none down.
enum class Ways { at_once, in_turn };

class Pipeline {
  public:
    /// @param lanes in each direction, one at least
    /// @param piece the most elements of an upload or a download
    /// @throws simt::Error, std::system_error
    Pipeline(unsigned lanes, std::size_t piece, Ways ways = Ways::at_once);
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    ~Pipeline();

    /// Where the caller enqueues what the device does.
    simt::stream_t stream() const { return stream_.get(); }

    /// Calls `work`, which calls the functions below, and returns when everything has come down.
    /// Where anything throws, here or in a lane, that is thrown when nothing runs any more. The
    /// TransferWatch of the thread gets to know what has moved, and its Timeline when.
    void run(const std::function<void()>& work);

    /// Has a piece brought up; returns at once.
    /// @param after so many downloads must have left the device before
    void upload(const int* from, int* to, std::size_t size, std::size_t after);

    /// Makes the stream wait for the next upload, in their order. Waits until that is on its way.
    void take_upload();
    /// Whether the next upload is on its way.
    bool can_take_upload();

    /// Calls f, which puts on the stream what is done to the next piece.
    template <class F>
    void work_on_piece(F f) {
        note(timeline_, {Step::kernel, 0, worked_on_++, 0}, stream(), f);
    }

    /// Has a piece brought down, after the event, as it was last recorded; returns at once.
    /// @param ready is not recorded again before the piece has left the device
    void download(const int* from, int* to, std::size_t size, const simt::Event& ready);

  private:
    struct Upload {
        const int* from;
        int* to;
        std::size_t size, after;
    };
    struct Download {
        const int* from;
        int* to;
        std::size_t size;
        const simt::Event* ready;
    };
    struct Staging {
        simt::PinnedArray<int> memory;
        simt::Event copied = simt::Event::without_time();
    };
    struct Lane {
        explicit Lane(std::size_t piece)
            : staging{{simt::PinnedArray<int>(piece)}, {simt::PinnedArray<int>(piece)}} {}

        simt::Stream stream;
        Staging staging[2];  ///< a piece of even number in its lane has the first
        std::condition_variable wake;
        std::size_t done = 0;  ///< pieces of this run that are on their way up, or have left
        std::jthread thread;
    };
    using Job = void (Pipeline::*)(Lane&, std::size_t number);

    void serve(Lane& lane, std::size_t number, Job job);
    void send(Lane& lane, std::size_t number);
    void receive(Lane& lane, std::size_t number);
    void send_or_receive(Lane& lane, std::size_t number);

    /// Waits, as a lane; false: the run has failed.
    template <class Ready>
    bool wait(Lane& lane, Ready ready);
    /// A piece, as soon as there is one with that index; nothing where there never will be.
    template <class Piece>
    std::optional<Piece> next(const std::vector<Piece>& pieces, Lane& lane, std::size_t index);

    bool is_on_its_way(std::size_t upload) const;
    bool have_left(std::size_t downloads) const;
    void wake_all();
    void end();
    void fail(std::exception_ptr failure);
    void drain() const noexcept;
    void tell_moved(std::size_t elements) const;

    simt::Stream stream_;

    std::mutex mutex_;  // guards what follows, and Lane::done
    std::condition_variable caller_;
    std::vector<Upload> uploads_;
    std::vector<Download> downloads_;
    std::size_t taken_ = 0;  // uploads that the stream waits for
    std::size_t runs_ = 0;
    std::size_t busy_ = 0;            // lanes
    bool is_closed_ = true;           // there will be no more pieces
    bool has_ended_ = false;          // there will be no more runs
    TransferWatch* watch_ = nullptr;  // of this run, and the next one, where there is one
    Timeline* timeline_ = nullptr;
    std::size_t worked_on_ = 0;   // pieces
    std::exception_ptr failure_;  // the first one of this run

    std::vector<Lane*> up_, down_;
    std::deque<Lane> lanes_;  // last, so that threads are joined first
};

}  // namespace stream_compaction::inline SIMT_BACKEND
