// Owners of hardware buffers. A test must end with as many descriptors and mappings as at its beginning.
#pragma once

#include <android/hardware_buffer.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/process_usage.h"

namespace nnvk::test {

struct ReleaseBuffer {
  void operator()(AHardwareBuffer* buffer) const { AHardwareBuffer_release(buffer); }
};
using BufferPointer = std::unique_ptr<AHardwareBuffer, ReleaseBuffer>;

constexpr uint64_t kReadWrite = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;

inline AHardwareBuffer_Desc image(uint32_t format, uint32_t width, uint32_t height, uint64_t usage = kReadWrite) {
  AHardwareBuffer_Desc desc{};
  desc.width = width;
  desc.height = height;
  desc.layers = 1;
  desc.format = format;
  desc.usage = usage;
  return desc;
}

inline AHardwareBuffer_Desc blob(uint32_t bytes, uint64_t usage = kReadWrite) {
  return image(AHARDWAREBUFFER_FORMAT_BLOB, bytes, 1, usage);
}

inline BufferPointer allocate(const AHardwareBuffer_Desc& desc) {
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(AHardwareBuffer_allocate(&desc, &buffer), 0);
  return BufferPointer(buffer);
}

// The content, locked for reading and writing.
inline std::byte* lock_all(const BufferPointer& buffer) {
  void* address = nullptr;
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), kReadWrite, -1, nullptr, &address), 0);
  return static_cast<std::byte*>(address);
}

// Mappings of shared memory files, ours or a hostile peer's.
inline size_t memfd_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("/memfd:") != std::string::npos ? 1 : 0;
  return count;
}

class NativeWindow : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors_) << "descriptors leaked";
    EXPECT_EQ(memfd_mappings(), mappings_) << "mappings leaked";
  }

  const size_t descriptors_ = open_descriptors();
  const size_t mappings_ = memfd_mappings();
};

// Two connected sockets.
struct SocketPair {
  explicit SocketPair(int type) { EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0); }
  ~SocketPair() {
    close_end(0);
    close_end(1);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  void close_end(int which) {
    if (ends[which] >= 0) ::close(std::exchange(ends[which], -1));
  }
  int ends[2] = {-1, -1};
};

}  // namespace nnvk::test
