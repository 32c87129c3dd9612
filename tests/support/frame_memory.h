// Frames in memfds, as decoders and compositors hand them out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nnvk/hardware_buffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace nnvk::test {

// Shared memory with a mapping of its own: the producer's side.
class FrameMemory {
 public:
  explicit FrameMemory(size_t size, int seals = F_SEAL_SHRINK, unsigned flags = MFD_ALLOW_SEALING)
      : size_(size), fd_(::memfd_create("frame", MFD_CLOEXEC | flags)) {
    EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(size)), 0);
    bytes_ = static_cast<uint8_t*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    if (seals != 0) {
      EXPECT_EQ(::fcntl(fd_, F_ADD_SEALS, seals), 0);
    }
  }
  ~FrameMemory() {
    ::munmap(bytes_, size_);
    if (fd_ >= 0) ::close(fd_);
  }
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;
  int fd() const { return fd_; }
  uint8_t* bytes() const { return bytes_; }
  size_t size() const { return size_; }
  // Closes the descriptor early.
  void close_fd() { ::close(std::exchange(fd_, -1)); }

 private:
  size_t size_;
  int fd_;
  uint8_t* bytes_ = nullptr;
};

inline nnvk_FrameLayout frame_layout(uint32_t fourcc, uint32_t width, uint32_t height, std::vector<nnvk_FramePlane> planes,
                                     uint64_t usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                                                      AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN) {
  nnvk_FrameLayout layout{};
  layout.size = sizeof layout;
  layout.width = width;
  layout.height = height;
  layout.fourcc = fourcc;
  layout.modifier = NNVK_FRAME_MODIFIER_LINEAR;
  layout.usage = usage;
  layout.planeCount = static_cast<uint32_t>(planes.size());
  std::copy(planes.begin(), planes.end(), layout.planes);
  return layout;
}

}  // namespace nnvk::test
