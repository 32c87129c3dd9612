// Locking: access rules, fences, planes, references.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/nativewindow/buffer_fixture.h"

namespace nnvk::test {
namespace {

constexpr uint64_t kRead = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
constexpr uint64_t kWrite = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;

class Locks : public NativeWindow {
 protected:
  static int lock(const BufferPointer& buffer, uint64_t usage, int fence = -1, const ARect* rect = nullptr) {
    void* address = nullptr;
    const int result = AHardwareBuffer_lock(buffer.get(), usage, fence, rect, &address);
    EXPECT_EQ(address != nullptr, result == 0);
    return result;
  }
  static bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }
};

TEST_F(Locks, ContentBeginsAsZerosAndStays) {
  const BufferPointer buffer = allocate(blob(100));
  std::byte* bytes = lock_all(buffer);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bytes[i], std::byte{0});
  std::memset(bytes, 7, 100);
  int32_t fence = 5;
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), &fence), 0);
  EXPECT_EQ(fence, -1);
  EXPECT_EQ(lock_all(buffer)[99], std::byte{7});
}

TEST_F(Locks, NothingIsMappedBeforeTheFirstLock) {
  const BufferPointer buffer = allocate(blob(100));
  EXPECT_EQ(memfd_mappings(), mappings_);
  lock_all(buffer);
  EXPECT_EQ(memfd_mappings(), mappings_ + 1);
}

TEST_F(Locks, UsageIsOnlyCpuAndOnlyWhatTheBufferWasMadeFor) {
  const BufferPointer all = allocate(blob(16, kReadWrite | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER));
  EXPECT_EQ(lock(all, 0), -EINVAL);
  EXPECT_EQ(lock(all, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER), -EINVAL);
  EXPECT_EQ(lock(all, kRead | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER), -EINVAL);
  EXPECT_EQ(lock(all, AHARDWAREBUFFER_USAGE_CPU_READ_RARELY), 0);
  EXPECT_EQ(lock(all, kReadWrite), 0);
  const BufferPointer readable = allocate(blob(16, AHARDWAREBUFFER_USAGE_CPU_READ_RARELY));
  EXPECT_EQ(lock(readable, kRead), 0);
  EXPECT_EQ(lock(readable, kWrite), -EINVAL);
  EXPECT_EQ(lock(readable, kReadWrite), -EINVAL);
  const BufferPointer writable = allocate(blob(16, kWrite));
  EXPECT_EQ(lock(writable, kWrite), 0);
  EXPECT_EQ(lock(writable, kRead), -EINVAL);
  const BufferPointer gpu = allocate(blob(16, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER));
  EXPECT_EQ(lock(gpu, kRead), -EINVAL);
}

TEST_F(Locks, BuffersOfSeveralLayersCannotBeLocked) {
  AHardwareBuffer_Desc desc = image(1, 4, 4);
  desc.layers = 2;
  EXPECT_EQ(lock(allocate(desc), kRead), -EINVAL);
}

TEST_F(Locks, RectanglesLieInsideTheBuffer) {
  const BufferPointer buffer = allocate(image(1, 8, 4));
  const auto with = [&buffer](ARect rect) { return lock(buffer, kWrite, -1, &rect); };
  EXPECT_EQ(with({0, 0, 8, 4}), 0);
  EXPECT_EQ(with({2, 1, 3, 2}), 0);
  EXPECT_EQ(with({-1, 0, 8, 4}), -EINVAL);
  EXPECT_EQ(with({0, 0, 9, 4}), -EINVAL);
  EXPECT_EQ(with({0, 0, 8, 5}), -EINVAL);
  EXPECT_EQ(with({3, 0, 2, 4}), -EINVAL);
  EXPECT_EQ(with({0, 3, 8, 2}), -EINVAL);
  EXPECT_EQ(with({INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}), -EINVAL);
}

TEST_F(Locks, UnlockNeedsALock) {
  const BufferPointer buffer = allocate(blob(16));
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), -EINVAL);
  EXPECT_EQ(lock(buffer, kRead), 0);
  EXPECT_EQ(lock(buffer, kRead), 0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), -EINVAL);
}

TEST_F(Locks, WaitForTheFenceAndConsumeIt) {
  const BufferPointer buffer = allocate(blob(16));
  // Atomic only because thread sanitizers do not see the order that a socket makes.
  const std::atomic_ref<std::byte> content(*lock_all(buffer));
  SocketPair fence(SOCK_STREAM);
  const int waited = ::dup(fence.ends[0]);
  std::thread producer([&] {
    ::usleep(20000);
    content = std::byte{1};
    EXPECT_EQ(::write(fence.ends[1], "", 1), 1);
  });
  EXPECT_EQ(lock(buffer, kRead, waited), 0);
  EXPECT_EQ(content.load(), std::byte{1});
  EXPECT_FALSE(is_open(waited));
  producer.join();
}

TEST_F(Locks, AFenceWhoseProducerDiedFailsTheLock) {
  const BufferPointer buffer = allocate(blob(16));
  SocketPair hung_up(SOCK_STREAM);
  hung_up.close_end(1);
  // A stream socket reports an error if its other end closes with unread data, like the software fence of a killed producer.
  SocketPair reset(SOCK_STREAM);
  ASSERT_EQ(::write(reset.ends[0], "", 1), 1);
  reset.close_end(1);
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  ::close(pipe_ends[1]);
  EXPECT_EQ(lock(buffer, kRead, ::dup(reset.ends[0])), -EINVAL);
  EXPECT_EQ(lock(buffer, kRead, pipe_ends[0]), -EINVAL);
  EXPECT_EQ(lock(buffer, kRead, 1023), -EINVAL) << "not an open descriptor";
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), -EINVAL) << "a failed lock is not a lock";
}

TEST_F(Locks, TheFenceIsConsumedByCallsThatFailToo) {
  const BufferPointer buffer = allocate(blob(16));
  const SocketPair pair(SOCK_STREAM);
  void* address = nullptr;
  AHardwareBuffer_Planes planes{};
  const auto fence = [&pair] { return ::dup(pair.ends[0]); };
  EXPECT_EQ(AHardwareBuffer_lock(nullptr, kRead, fence(), nullptr, &address), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), kRead, fence(), nullptr, nullptr), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), 0, fence(), nullptr, &address), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), 0, fence(), nullptr, &planes), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), kRead, fence(), nullptr, nullptr), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_lockAndGetInfo(buffer.get(), 0, fence(), nullptr, &address, nullptr, nullptr), -EINVAL);
}

TEST_F(Locks, InfoTellsBytesPerPixelAndRow) {
  const auto info = [](const AHardwareBuffer_Desc& desc) {
    const BufferPointer buffer = allocate(desc);
    void* address = nullptr;
    int32_t pixel = 0;
    int32_t row = 0;
    EXPECT_EQ(AHardwareBuffer_lockAndGetInfo(buffer.get(), kRead, -1, nullptr, &address, &pixel, &row), 0);
    EXPECT_NE(address, nullptr);
    EXPECT_EQ(AHardwareBuffer_lockAndGetInfo(buffer.get(), kRead, -1, nullptr, &address, nullptr, nullptr), 0);
    return std::pair(pixel, row);
  };
  EXPECT_EQ(info(image(1, 65, 3)), std::pair(4, 512));
  EXPECT_EQ(info(image(3, 65, 3)), std::pair(3, 768));
  EXPECT_EQ(info(image(0x3b, 65, 3)), std::pair(8, 768));
  EXPECT_EQ(info(blob(100)), std::pair(1, 100));
  EXPECT_EQ(info(image(0x23, 65, 3)), std::pair(-1, -1));
}

TEST_F(Locks, PlanesOfYuvAreInterleavedChromaBehindLuma) {
  struct Case {
    uint32_t format;
    uint32_t luma_step;
    uint32_t row;
    uint32_t chroma_rows;
  };
  for (const Case& expected : {Case{0x23, 1, 256, 3}, Case{0x36, 2, 256, 3}, Case{0x3c, 2, 256, 5}}) {
    const BufferPointer buffer = allocate(image(expected.format, 65, 5));
    std::byte* start = lock_all(buffer);
    AHardwareBuffer_Planes planes{};
    ASSERT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), kReadWrite, -1, nullptr, &planes), 0);
    ASSERT_EQ(planes.planeCount, 3U);
    EXPECT_EQ(planes.planes[0].data, start);
    EXPECT_EQ(planes.planes[0].pixelStride, expected.luma_step);
    EXPECT_EQ(planes.planes[0].rowStride, expected.row);
    for (uint32_t i = 1; i < 3; ++i) {
      auto* chroma = static_cast<std::byte*>(planes.planes[i].data);
      EXPECT_EQ(chroma, start + 5 * expected.row + (i - 1) * expected.luma_step);
      EXPECT_EQ(planes.planes[i].pixelStride, 2 * expected.luma_step);
      EXPECT_EQ(planes.planes[i].rowStride, expected.row);
      std::memset(chroma + (expected.chroma_rows - 1) * expected.row + 32 * 2 * expected.luma_step, 1, expected.luma_step);
    }
  }
}

TEST_F(Locks, OtherFormatsHaveOnePlane) {
  const BufferPointer buffer = allocate(image(3, 65, 5));
  AHardwareBuffer_Planes planes{};
  ASSERT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), kRead, -1, nullptr, &planes), 0);
  EXPECT_EQ(planes.planeCount, 1U);
  EXPECT_EQ(planes.planes[0].pixelStride, 3U);
  EXPECT_EQ(planes.planes[0].rowStride, 768U);
  EXPECT_EQ(planes.planes[1].data, nullptr);
}

TEST_F(Locks, ABufferLivesUntilItsLastReferenceIsGivenBack) {
  AHardwareBuffer* buffer = allocate(blob(16)).release();
  AHardwareBuffer_acquire(buffer);
  void* address = nullptr;
  ASSERT_EQ(AHardwareBuffer_lock(buffer, kRead, -1, nullptr, &address), 0);
  AHardwareBuffer_release(buffer);
  EXPECT_EQ(*static_cast<char*>(address), 0);
  AHardwareBuffer_release(buffer);  // ends the lock too
  EXPECT_EQ(memfd_mappings(), mappings_);
}

TEST_F(Locks, ManyThreadsShareOneBuffer) {
  const BufferPointer buffer = allocate(blob(4096));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&buffer, t] {
      for (int i = 0; i < 500; ++i) {
        AHardwareBuffer_acquire(buffer.get());
        lock_all(buffer)[t] = std::byte(i & 0xff);
        EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
        AHardwareBuffer_release(buffer.get());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace nnvk::test
