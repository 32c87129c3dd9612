// Frames as hardware buffers.
#pragma once

#include <vector>

#include "tests/nativewindow/buffer_fixture.h"
#include "tests/support/frame_memory.h"

namespace nnvk::test {

inline int wrap_result(const nnvk_FrameLayout& layout, const std::vector<int>& fds, AHardwareBuffer** buffer) {
  return nnvk_HardwareBuffer_createFromFds(&layout, fds.data(), static_cast<uint32_t>(fds.size()), buffer);
}

inline BufferPointer wrap(const nnvk_FrameLayout& layout, const std::vector<int>& fds) {
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(wrap_result(layout, fds, &buffer), 0) << nnvk_HardwareBuffer_lastError();
  return BufferPointer(buffer);
}

// The planes, locked for reading for the lifetime of the buffer.
inline AHardwareBuffer_Planes lock_planes(const BufferPointer& buffer, uint64_t usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN) {
  AHardwareBuffer_Planes planes{};
  EXPECT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), usage, -1, nullptr, &planes), 0);
  return planes;
}

}  // namespace nnvk::test
