// Owning arrays in device memory and in pinned host memory, and copies.
#pragma once

#include "simt/backend.h"
#include "simt/checked_size.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace simt::inline SIMT_BACKEND {

/// Aligned to 256 bytes or more; nullptr for 0 bytes. The content is undefined.
/// @throws OutOfMemory, Error
void* allocate(std::size_t bytes, std::source_location where = std::source_location::current());
/// @param bytes as requested from allocate()
void release(void* memory, std::size_t bytes) noexcept;

/// A name of device memory by which another process of this host opens it.
using MemoryName = std::array<std::uint64_t, 8>;
/// Nothing if the backend cannot share memory between processes.
/// @param memory from allocate()
std::optional<MemoryName> name_of(void* memory);
/// Makes the memory of another process accessible on the current device until close_memory().
/// Returns nullptr if the device cannot access it. The other process must not release it earlier.
void* open_memory(const MemoryName& name);
void close_memory(void* memory) noexcept;

/// Pinned (page-locked) host memory, which the device reads and writes directly: a copy to or from
/// it runs asynchronously at the speed of the bus, and kernels may write to it. nullptr for 0
/// bytes. The content is undefined.
/// @throws OutOfMemory, Error
void* allocate_pinned(std::size_t bytes,
                      std::source_location where = std::source_location::current());
void release_pinned(void* memory) noexcept;

/// Whether the byte is in pinned memory, no matter who pinned it.
/// @throws Error
bool is_pinned(const void* byte, std::source_location where = std::source_location::current());

/// The bytes that this process has allocated on the device and not released. Allocations of other
/// libraries are not counted.
std::size_t held_bytes();

/// Limits the device memory of this process from now on: an allocation beyond the limit fails as if
/// the device were full, and memory_info() describes a device of that size.
void limit_memory(std::size_t bytes);

/// Copies between host and device, or within one of them, in stream order. Host memory must stay
/// valid until the stream has completed the copy.
/// @throws Error
void copy_async(void* to, const void* from, std::size_t bytes, stream_t stream = nullptr,
                std::source_location where = std::source_location::current());

/// Sets every byte, in stream order.
/// @throws Error
void fill_async(void* to, unsigned char value, std::size_t bytes, stream_t stream = nullptr,
                std::source_location where = std::source_location::current());

/// Waits for all work on the device.
/// @throws Error, also for a fault of an earlier kernel
void synchronize(std::source_location where = std::source_location::current());

/// An array in device memory: it owns or borrows the memory, and can be moved but not copied. Its
/// elements are copied byte by byte.
template <class T>
class DeviceArray {
    static_assert(std::is_trivially_copyable_v<T>,
                  "DeviceArray: elements must be trivially copyable, because they are copied "
                  "between host and device byte by byte");

  public:
    DeviceArray() = default;

    /// @throws OutOfMemory, Error
    explicit DeviceArray(std::size_t size,
                         std::source_location where = std::source_location::current())
        : data_(static_cast<T*>(allocate(checked_product(size, sizeof(T), where), where))),
          size_(size) {}

    /// Holds a copy of `host`.
    /// @throws OutOfMemory, Error
    explicit DeviceArray(std::span<const T> host,
                         std::source_location where = std::source_location::current())
        : DeviceArray(host.size(), where) {
        copy_from(host, where);
    }

    /// An array in memory of another owner, who must keep it alive.
    static DeviceArray borrowed(T* data, std::size_t size) {
        DeviceArray array;
        array.data_ = data;
        array.size_ = size;
        array.is_borrowed_ = true;
        return array;
    }

    DeviceArray(DeviceArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          is_borrowed_(other.is_borrowed_) {}
    DeviceArray& operator=(DeviceArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(is_borrowed_, other.is_borrowed_);
        return *this;
    }
    ~DeviceArray() {
        if (!is_borrowed_) release(data_, size_ * sizeof(T));
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

    /// Copies host.size() elements to the begin of the array and waits until the copy is complete.
    /// @throws std::out_of_range if the array has fewer elements; Error
    void copy_from(std::span<const T> host,
                   std::source_location where = std::source_location::current()) {
        require_room(host.size());
        copy_async(data_, host.data(), host.size_bytes(), nullptr, where);
        synchronize(where);
    }
    /// Copies the first host.size() elements, after all work on the device.
    /// @throws std::out_of_range if the array has fewer elements; Error
    void copy_to(std::span<T> host,
                 std::source_location where = std::source_location::current()) const {
        require_room(host.size());
        synchronize(where);
        copy_async(host.data(), data_, host.size_bytes(), nullptr, where);
        synchronize(where);
    }

  private:
    void require_room(std::size_t size) const {
        if (size > size_)
            throw std::out_of_range("copy of " + std::to_string(size) +
                                    " elements, but the device array has " + std::to_string(size_));
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    bool is_borrowed_ = false;
};

/// An array in pinned host memory: it owns the memory, and can be moved but not copied.
template <class T>
class PinnedArray {
  public:
    PinnedArray() = default;

    /// @throws OutOfMemory, Error
    explicit PinnedArray(std::size_t size,
                         std::source_location where = std::source_location::current())
        : data_(static_cast<T*>(allocate_pinned(checked_product(size, sizeof(T), where), where))) {}

    T* data() const { return data_.get(); }

  private:
    struct Release {
        void operator()(T* data) const noexcept { release_pinned(data); }
    };
    std::unique_ptr<T[], Release> data_;
};

}  // namespace simt::inline SIMT_BACKEND
