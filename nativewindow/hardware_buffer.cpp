// The C interface: finds the buffer of a handle, and turns every error into a negative errno. Only the entry points have default
// visibility; the version script lists them.
#pragma GCC visibility push(default)
#include <android/hardware_buffer.h>

#include "core/base/hardware_buffer_content.h"
#pragma GCC visibility pop

#include <cerrno>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "nativewindow/buffer.h"
#include "nativewindow/transport.h"

using nnvk::FileDescriptor;
using nnvk::nativewindow::Buffer;
using nnvk::nativewindow::Layout;
using nnvk::nativewindow::layout_of;
using nnvk::nativewindow::LiveBuffers;
using nnvk::nativewindow::PlaneLayout;

namespace {

std::shared_ptr<Buffer> find(const AHardwareBuffer* handle) { return LiveBuffers::of_process().find(handle); }

// Returns a handle for the buffer that `make` makes.
template <class Make>
int hand_out(AHardwareBuffer** handle, const Make& make) {
  if (handle == nullptr) return -EINVAL;
  *handle = nullptr;
  try {
    std::shared_ptr<Buffer> buffer;
    if (const int error = make(buffer); error != 0) return error;
    *handle = LiveBuffers::of_process().add(std::move(buffer));
    return 0;
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  }
}

// The arguments of a lock. lock() takes ownership of the fence, even if it fails.
struct Lock {
  uint64_t usage;
  int32_t fence;
  const ARect* rect;
};

// Locks a buffer; then `tell(buffer, address)` fills the caller's variables.
template <class Tell>
int lock(AHardwareBuffer* handle, const Lock& how, const void* result, const Tell& tell) {
  const FileDescriptor owned_fence(how.fence);
  const std::shared_ptr<Buffer> buffer = find(handle);
  if (buffer == nullptr || result == nullptr) return -EINVAL;
  std::byte* address = nullptr;
  if (const int error = buffer->lock(how.usage, how.fence, how.rect, address); error != 0) return error;
  tell(*buffer, address);  // the start of all memory, which may lie before the first plane
  return 0;
}

}  // namespace

int AHardwareBuffer_allocate(const AHardwareBuffer_Desc* desc, AHardwareBuffer** outBuffer) {
  return hand_out(outBuffer, [desc](auto& buffer) { return desc == nullptr ? -EINVAL : Buffer::allocate(*desc, buffer); });
}

int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc* desc) {
  Layout layout;
  return desc != nullptr && layout_of(*desc, layout) == 0 ? 1 : 0;
}

void AHardwareBuffer_acquire(AHardwareBuffer* buffer) { LiveBuffers::of_process().acquire(buffer); }

void AHardwareBuffer_release(AHardwareBuffer* buffer) { LiveBuffers::of_process().release(buffer); }

void AHardwareBuffer_describe(const AHardwareBuffer* buffer, AHardwareBuffer_Desc* outDesc) {
  const std::shared_ptr<Buffer> found = find(buffer);
  if (found != nullptr && outDesc != nullptr) *outDesc = found->description();
}

int AHardwareBuffer_getId(const AHardwareBuffer* buffer, uint64_t* outId) {
  const std::shared_ptr<Buffer> found = find(buffer);
  if (found == nullptr || outId == nullptr) return -EINVAL;
  *outId = found->id();
  return 0;
}

int AHardwareBuffer_lock(AHardwareBuffer* buffer, uint64_t usage, int32_t fence, const ARect* rect, void** outVirtualAddress) {
  return lock(buffer, {usage, fence, rect}, outVirtualAddress, [outVirtualAddress](const Buffer& locked, std::byte* address) {
    *outVirtualAddress = address + locked.layout().planes[0].offset;
  });
}

int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer* buffer, uint64_t usage, int32_t fence, const ARect* rect,
                                   void** outVirtualAddress, int32_t* outBytesPerPixel, int32_t* outBytesPerStride) {
  return lock(buffer, {usage, fence, rect}, outVirtualAddress, [&](const Buffer& locked, std::byte* address) {
    const PlaneLayout& plane = locked.layout().planes[0];
    const bool told = locked.layout().plane_count == 1;  // YUV pixels have no size in bytes
    const bool fits = plane.row_stride <= static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
    *outVirtualAddress = address + plane.offset;
    if (outBytesPerPixel != nullptr) *outBytesPerPixel = told ? static_cast<int32_t>(plane.pixel_stride) : -1;
    if (outBytesPerStride != nullptr) *outBytesPerStride = told && fits ? static_cast<int32_t>(plane.row_stride) : -1;
  });
}

int AHardwareBuffer_lockPlanes(AHardwareBuffer* buffer, uint64_t usage, int32_t fence, const ARect* rect,
                               AHardwareBuffer_Planes* outPlanes) {
  return lock(buffer, {usage, fence, rect}, outPlanes, [&](const Buffer& locked, std::byte* address) {
    *outPlanes = {};
    outPlanes->planeCount = locked.layout().plane_count;
    for (uint32_t i = 0; i < outPlanes->planeCount; ++i) {
      const PlaneLayout& plane = locked.layout().planes[i];
      outPlanes->planes[i] = {address + plane.offset, plane.pixel_stride, plane.row_stride};
    }
  });
}

int AHardwareBuffer_unlock(AHardwareBuffer* buffer, int32_t* fence) {
  if (fence != nullptr) *fence = -1;  // shared memory needs no flushing: everything is visible at once
  const std::shared_ptr<Buffer> found = find(buffer);
  return found == nullptr ? -EINVAL : found->unlock();
}

int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer* buffer, int socketFd) {
  const std::shared_ptr<Buffer> found = find(buffer);
  return found == nullptr ? -EINVAL : nnvk::nativewindow::send_buffer(socketFd, *found);
}

int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer** outBuffer) {
  return hand_out(outBuffer, [socketFd](auto& buffer) { return nnvk::nativewindow::receive_buffer(socketFd, buffer); });
}

int nnvk_getHardwareBufferMemory(const AHardwareBuffer* buffer, nnvk_HardwareBufferMemory* memory) {
  const std::shared_ptr<Buffer> found = find(buffer);
  if (found == nullptr || memory == nullptr) return -EINVAL;
  std::byte* mapped = nullptr;
  if (const int error = found->map(mapped); error != 0) return error;
  const auto dma_buf = found->dma_buf().value_or(Buffer::DmaBuf{-1, 0});
  *memory = {mapped,     found->layout().size, found->is_writable() ? 1 : 0,
             dma_buf.fd, dma_buf.offset,       found->may_be_sent() ? 0 : 1};
  return 0;
}
