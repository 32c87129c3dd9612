// Hardware buffers in tests, and memories in them.
#pragma once

#include <android/hardware_buffer.h>

#include "tests/api/api_objects.h"

namespace nnvk::test {

using BufferPointer = Owner<AHardwareBuffer, AHardwareBuffer_release>;

inline constexpr uint64_t kReadWrite = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;

inline BufferPointer make_buffer(uint32_t format, uint32_t width, uint32_t height, uint64_t usage = kReadWrite,
                                 uint32_t layers = 1) {
  AHardwareBuffer_Desc desc{};
  desc.width = width;
  desc.height = height;
  desc.layers = layers;
  desc.format = format;
  desc.usage = usage;
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(AHardwareBuffer_allocate(&desc, &buffer), 0);
  return BufferPointer(buffer);
}

inline BufferPointer make_blob(uint32_t bytes, uint64_t usage = kReadWrite) {
  return make_buffer(AHARDWAREBUFFER_FORMAT_BLOB, bytes, 1, usage);
}

inline MemoryPointer memory_in(const BufferPointer& buffer) {
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer.get(), &memory), kOk);
  return MemoryPointer(memory);
}

// The address at which the client reads and writes the buffer.
inline char* content_of(const BufferPointer& buffer) {
  void* address = nullptr;
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), kReadWrite, -1, nullptr, &address), 0);
  return static_cast<char*>(address);
}

}  // namespace nnvk::test
