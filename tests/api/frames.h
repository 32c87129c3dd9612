// Frames of other producers in tests of the C API.
#pragma once

#include "tests/api/hardware_buffers.h"
#include "tests/support/frame_memory.h"

namespace nnvk::test {

inline constexpr uint64_t kRead = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;

inline BufferPointer wrap(const nnvk_FrameLayout& layout, const std::vector<int>& fds) {
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(nnvk_HardwareBuffer_createFromFds(&layout, fds.data(), static_cast<uint32_t>(fds.size()), &buffer), 0)
      << nnvk_HardwareBuffer_lastError();
  return BufferPointer(buffer);
}

// y = relu(x) over an image of real values from 0 to 255: x itself.
inline ModelBuilder image_model(uint32_t height, uint32_t width, uint32_t channels) {
  return make_unary(ANEURALNETWORKS_RELU, kFloat, {1, height, width, channels});
}

}  // namespace nnvk::test
