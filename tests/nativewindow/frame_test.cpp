// Frames in memory that a program already has: the planes of every format, refused frames and their error texts, seals, and
// several memories.
#include <gmock/gmock.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>

#include "tests/nativewindow/frame_fixture.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kRead = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;

class Frames : public NativeWindow {
 protected:
  // 6 x 4 pixels with rows of 16 bytes.
  static nnvk_FrameLayout nv12() { return frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 0, 16}, {0, 64, 16}}); }

  static void expect_refused(int code, const std::string& why, const nnvk_FrameLayout& layout, const std::vector<int>& fds) {
    AHardwareBuffer* buffer = reinterpret_cast<AHardwareBuffer*>(16);
    EXPECT_EQ(wrap_result(layout, fds, &buffer), code) << why;
    EXPECT_EQ(buffer, nullptr);
    EXPECT_THAT(nnvk_HardwareBuffer_lastError(), HasSubstr(why));
  }
};

constexpr uint32_t fourcc(const char (&text)[5]) {
  return static_cast<uint32_t>(text[0]) | static_cast<uint32_t>(text[1]) << 8 | static_cast<uint32_t>(text[2]) << 16 |
         static_cast<uint32_t>(text[3]) << 24;
}
static_assert(NNVK_FRAME_NV12 == fourcc("NV12") && NNVK_FRAME_NV21 == fourcc("NV21") && NNVK_FRAME_YUV420 == fourcc("YU12") &&
              NNVK_FRAME_YVU420 == fourcc("YV12") && NNVK_FRAME_P010 == fourcc("P010") && NNVK_FRAME_P210 == fourcc("P210") &&
              NNVK_FRAME_YUYV == fourcc("YUYV") && NNVK_FRAME_UYVY == fourcc("UYVY") && NNVK_FRAME_NV16 == fourcc("NV16") &&
              NNVK_FRAME_R8 == fourcc("R8  ") && NNVK_FRAME_ABGR8888 == fourcc("AB24") && NNVK_FRAME_XBGR8888 == fourcc("XB24") &&
              NNVK_FRAME_ARGB8888 == fourcc("AR24") && NNVK_FRAME_XRGB8888 == fourcc("XR24") &&
              NNVK_FRAME_BGR888 == fourcc("BG24"));

struct Expected {
  uint32_t fourcc;
  uint32_t format;  // from describe
  uint32_t stride;
  std::vector<nnvk_FramePlane> planes;
  // Per plane: offset in the memory, pixel stride and row stride that lockPlanes must return.
  std::vector<std::array<uint32_t, 3>> locked;
};

TEST_F(Frames, OfEveryFormatHaveTheirPlanesWhereTheyWereSaidToBe) {
  const FrameMemory memory(4096);
  const std::vector<Expected> all = {
      {NNVK_FRAME_NV12, 0x23, 16, {{0, 8, 16}, {0, 200, 32}}, {{8, 1, 16}, {200, 2, 32}, {201, 2, 32}}},
      {NNVK_FRAME_NV21, 0x23, 16, {{0, 8, 16}, {0, 200, 32}}, {{8, 1, 16}, {201, 2, 32}, {200, 2, 32}}},
      {NNVK_FRAME_YUV420, 0x23, 9, {{0, 1, 9}, {0, 101, 7}, {0, 301, 7}}, {{1, 1, 9}, {101, 1, 7}, {301, 1, 7}}},
      {NNVK_FRAME_YVU420, 0x23, 9, {{0, 1, 9}, {0, 101, 7}, {0, 301, 7}}, {{1, 1, 9}, {301, 1, 7}, {101, 1, 7}}},
      {NNVK_FRAME_P010, 0x36, 16, {{0, 2, 32}, {0, 400, 64}}, {{2, 2, 32}, {400, 4, 64}, {402, 4, 64}}},
      {NNVK_FRAME_P210, 0x3c, 16, {{0, 2, 32}, {0, 400, 64}}, {{2, 2, 32}, {400, 4, 64}, {402, 4, 64}}},
      {NNVK_FRAME_YUYV, 0x14, 20, {{0, 3, 40}}, {{3, 2, 40}, {4, 4, 40}, {6, 4, 40}}},
      {NNVK_FRAME_UYVY, 0x14, 20, {{0, 3, 40}}, {{4, 2, 40}, {3, 4, 40}, {5, 4, 40}}},
      {NNVK_FRAME_NV16, 0x10, 9, {{0, 1, 9}, {0, 101, 8}}, {{1, 1, 9}, {101, 2, 8}, {102, 2, 8}}},
      {NNVK_FRAME_R8, 0x38, 9, {{0, 1, 9}}, {{1, 1, 9}}},
      {NNVK_FRAME_ABGR8888, 1, 10, {{0, 4, 40}}, {{4, 4, 40}}},
      {NNVK_FRAME_XBGR8888, 2, 10, {{0, 4, 40}}, {{4, 4, 40}}},
      {NNVK_FRAME_ARGB8888, 5, 10, {{0, 4, 40}}, {{4, 4, 40}}},
      {NNVK_FRAME_XRGB8888, 5, 10, {{0, 4, 40}}, {{4, 4, 40}}},
      {NNVK_FRAME_BGR888, 3, 7, {{0, 5, 21}}, {{5, 3, 21}}},
      {NNVK_FRAME_BGR888, 3, 0, {{0, 5, 22}}, {{5, 3, 22}}},  // the stride is no whole number of pixels
  };
  for (size_t i = 0; i < memory.size(); ++i) memory.bytes()[i] = static_cast<uint8_t>(i * 7 + i / 256);
  for (const Expected& e : all) {
    SCOPED_TRACE(e.fourcc);
    const nnvk_FrameLayout layout = frame_layout(e.fourcc, 7, 5, e.planes);
    const BufferPointer buffer = wrap(layout, {memory.fd()});
    ASSERT_NE(buffer, nullptr);
    AHardwareBuffer_Desc desc{};
    AHardwareBuffer_describe(buffer.get(), &desc);
    EXPECT_EQ(desc.width, 7U);
    EXPECT_EQ(desc.height, 5U);
    EXPECT_EQ(desc.layers, 1U);
    EXPECT_EQ(desc.format, e.format);
    EXPECT_EQ(desc.usage, kReadWrite);
    EXPECT_EQ(desc.stride, e.stride);
    const AHardwareBuffer_Planes planes = lock_planes(buffer, kReadWrite);
    ASSERT_EQ(planes.planeCount, e.locked.size());
    for (uint32_t p = 0; p < planes.planeCount; ++p) {
      auto* const sample = static_cast<uint8_t*>(planes.planes[p].data);
      EXPECT_EQ(planes.planes[p].pixelStride, e.locked[p][1]) << p;
      EXPECT_EQ(planes.planes[p].rowStride, e.locked[p][2]) << p;
      EXPECT_EQ(std::memcmp(sample, memory.bytes() + e.locked[p][0], 8), 0) << p;
      *sample ^= 0xff;  // it is the same memory
      EXPECT_EQ(*sample, memory.bytes()[e.locked[p][0]]) << p;
    }
    void* address = nullptr;
    ASSERT_EQ(AHardwareBuffer_lock(buffer.get(), kRead, -1, nullptr, &address), 0);
    EXPECT_EQ(address, planes.planes[0].data);
    nnvk_FrameLayout told{};
    told.size = sizeof told;
    ASSERT_EQ(nnvk_HardwareBuffer_getLayout(buffer.get(), &told), 0);
    EXPECT_EQ(std::memcmp(&told, &layout, sizeof told), 0);
  }
}

TEST_F(Frames, ThatWereAllocatedTellTheirLayoutToo) {
  nnvk_FrameLayout told{};
  told.size = sizeof told;
  ASSERT_EQ(nnvk_HardwareBuffer_getLayout(allocate(image(AHARDWAREBUFFER_FORMAT_YCbCr_P010, 100, 51)).get(), &told), 0);
  const nnvk_FrameLayout wanted = frame_layout(NNVK_FRAME_P010, 100, 51, {{0, 0, 256}, {0, 256 * 51, 256}});
  EXPECT_EQ(std::memcmp(&told, &wanted, sizeof told), 0);
  ASSERT_EQ(nnvk_HardwareBuffer_getLayout(allocate(image(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 100, 51)).get(), &told), 0);
  EXPECT_EQ(told.fourcc, uint32_t{NNVK_FRAME_BGR888});
  EXPECT_EQ(told.planes[0].rowPitch, 768U);
  EXPECT_EQ(nnvk_HardwareBuffer_getLayout(allocate(blob(10)).get(), &told), -ENOSYS);
  EXPECT_THAT(nnvk_HardwareBuffer_lastError(), HasSubstr("format 33"));
  told.size = 3;
  EXPECT_EQ(nnvk_HardwareBuffer_getLayout(allocate(image(1, 1, 1)).get(), &told), -EINVAL);
  told.size = sizeof told;
  EXPECT_EQ(nnvk_HardwareBuffer_getLayout(nullptr, &told), -EINVAL);
  EXPECT_EQ(nnvk_HardwareBuffer_getLayout(allocate(image(1, 1, 1)).get(), nullptr), -EINVAL);
}

TEST_F(Frames, WithWrongNumbersAreRefusedAndToldWhy) {
  const FrameMemory memory(128);  // exactly NV12 of 6 x 4 with rows of 16, but for the end of the last row
  struct Refusal {
    int code;
    const char* why;
    std::function<void(nnvk_FrameLayout&)> spoil;
  };
  const std::vector<Refusal> refusals = {
      {-EINVAL, "the layout's size is 12", [](auto& f) { f.size = 12; }},
      {-ENOSYS, "fourcc 875967048 ('H264') are unknown; there are NV12, NV21", [](auto& f) { f.fourcc = fourcc("H264"); }},
      {-ENOSYS, "modifier 72057594037927937; only linear frames", [](auto& f) { f.modifier = (1ULL << 56) + 1; }},
      {-ENOSYS, "modifier 72057594037927935", [](auto& f) { f.modifier = 0x00ffffffffffffffULL; }},  // DRM's "invalid"
      {-EINVAL, "the frame is 0 x 4", [](auto& f) { f.width = 0; }},
      {-EINVAL, "the frame is 6 x 0", [](auto& f) { f.height = 0; }},
      {-EINVAL, "NV12 frames have 2 planes, this one 1", [](auto& f) { f.planeCount = 1; }},
      {-EINVAL, "NV12 frames have 2 planes, this one 4294967295", [](auto& f) { f.planeCount = UINT32_MAX; }},
      {-EINVAL, "YUYV frames have 1 plane, this one 2", [](auto& f) { f.fourcc = NNVK_FRAME_YUYV; }},
      {-EINVAL, "plane 1 of NV12 has the descriptor index 1; there are 1", [](auto& f) { f.planes[1].fdIndex = 1; }},
      {-EINVAL, "plane 0 of NV12 has a row pitch of 5 bytes; its rows of 6 pixels need at least 6",
       [](auto& f) { f.planes[0].rowPitch = 5; }},
      {-EINVAL, "plane 1 of NV12 has a row pitch of 5 bytes; its rows of 6 pixels need at least 6",
       [](auto& f) { f.planes[1].rowPitch = 5; }},
      {-EINVAL, "plane 0 of NV12 has a row pitch of 0", [](auto& f) { f.planes[0].rowPitch = 0; }},
      {-EINVAL, "plane 1 of NV12 ends at byte 134 (offset 112, 2 rows of 16 bytes), its memory has 128",
       [](auto& f) { f.planes[1].offset = 112; }},
      {-EINVAL, "plane 0 of NV12 ends at byte 4294967349", [](auto& f) { f.planes[0].offset = UINT32_MAX; }},
      {-EINVAL, "plane 0 of NV12 ends at byte 12884901891", [](auto& f) { f.planes[0].rowPitch = UINT32_MAX; }},
      {-EINVAL, "plane 0 of NV12 ends at byte 18446744065119617031",
       [](auto& f) {
         f.height = UINT32_MAX;
         f.planes[0].rowPitch = UINT32_MAX;
         f.planes[0].offset = UINT32_MAX;
       }},
      {-EINVAL, "rows of 4294967295 pixels need at least 4294967295", [](auto& f) { f.width = UINT32_MAX; }},
      {-EINVAL, "the flags are 4", [](auto& f) { f.flags = 4; }},
      {-EINVAL, "neither protected content", [](auto& f) { f.usage = AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT; }},
      {-EINVAL, "neither protected content", [](auto& f) { f.usage = kRead | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP; }},
  };
  (void)wrap(nv12(), {memory.fd()});
  for (const Refusal& refusal : refusals) {
    nnvk_FrameLayout layout = nv12();
    refusal.spoil(layout);
    expect_refused(refusal.code, refusal.why, layout, {memory.fd()});
  }
}

TEST_F(Frames, OfWideSamplesBeginAtWholeSamples) {
  const FrameMemory memory(65536);
  expect_refused(-EINVAL, "plane 1 of P010 begins at offset 401; it begins at a multiple of 2 bytes",
                 frame_layout(NNVK_FRAME_P010, 6, 4, {{0, 0, 16}, {0, 401, 16}}), {memory.fd()});
  expect_refused(-EINVAL, "plane 0 of P010 has a row pitch of 17 bytes; it is a multiple of 2 bytes",
                 frame_layout(NNVK_FRAME_P010, 6, 4, {{0, 0, 17}, {0, 400, 16}}), {memory.fd()});
  expect_refused(-EINVAL, "rows of 6 pixels need at least 12", frame_layout(NNVK_FRAME_P010, 6, 4, {{0, 0, 10}, {0, 400, 16}}),
                 {memory.fd()});
  expect_refused(-EINVAL, "ABGR8888 begins at offset 2", frame_layout(NNVK_FRAME_ABGR8888, 6, 4, {{0, 2, 24}}), {memory.fd()});
  expect_refused(-EINVAL, "a row pitch of 26 bytes; it is a multiple of 4", frame_layout(NNVK_FRAME_ABGR8888, 6, 4, {{0, 0, 26}}),
                 {memory.fd()});
  expect_refused(-EINVAL, "rows of 7 pixels need at least 16", frame_layout(NNVK_FRAME_YUYV, 7, 4, {{0, 0, 14}}), {memory.fd()});
  expect_refused(-EINVAL, "row pitches of 3 and 4 bytes; they have the same",
                 frame_layout(NNVK_FRAME_YUV420, 6, 4, {{0, 0, 6}, {0, 100, 3}, {0, 200, 4}}), {memory.fd()});
}

TEST_F(Frames, MayEndWhereTheirLastSampleDoes) {
  const FrameMemory memory(65 + 6 + 16);
  EXPECT_NE(wrap(frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 0, 16}, {0, 65, 16}}), {memory.fd()}), nullptr);
  expect_refused(-EINVAL, "ends at byte 88", frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 0, 16}, {0, 66, 16}}), {memory.fd()});
}

TEST_F(Frames, OfMoreThanTwoGigabytesAreRefused) {
  const FrameMemory memory(3ULL << 30);  // the test touches none of it
  expect_refused(-EINVAL, "span 2^31 bytes", frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 0, 16}, {0, 0x90000000, 16}}),
                 {memory.fd()});
  const BufferPointer far = wrap(frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 0x90000000, 16}, {0, 0x90000100, 16}}), {memory.fd()});
  memory.bytes()[0x90000100] = 77;
  EXPECT_EQ(*static_cast<uint8_t*>(lock_planes(far).planes[1].data), 77) << "a frame of a large pool";
}

TEST_F(Frames, NeedDescriptors) {
  const FrameMemory memory(4096);
  AHardwareBuffer* buffer = nullptr;
  const nnvk_FrameLayout layout = nv12();
  const int fd = memory.fd();
  EXPECT_EQ(nnvk_HardwareBuffer_createFromFds(nullptr, &fd, 1, &buffer), -EINVAL);
  EXPECT_EQ(nnvk_HardwareBuffer_createFromFds(&layout, nullptr, 1, &buffer), -EINVAL);
  EXPECT_EQ(nnvk_HardwareBuffer_createFromFds(&layout, &fd, 1, nullptr), -EINVAL);
  expect_refused(-EINVAL, "there are 0 descriptors", layout, {});
  expect_refused(-EINVAL, "there are 5 descriptors", layout, {fd, fd, fd, fd, fd});
  expect_refused(-EBADF, "descriptor 0 (-1) cannot be duplicated", layout, {-1});
  expect_refused(-EBADF, "descriptor 1 (9999) cannot be duplicated", layout, {fd, 9999});
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int path = ::open("/dev/null", O_PATH | O_CLOEXEC);
  expect_refused(-EINVAL, "neither a dma-buf nor shared memory nor a file", layout, {null});
  expect_refused(-EBADF, "not an open descriptor of memory", layout, {path});
  EXPECT_NE(wrap(layout, {fd, null}), nullptr) << "nothing lies in the second";
  EXPECT_STREQ(nnvk_HardwareBuffer_lastError(), "");
  ::close(null);
  ::close(path);
}

TEST_F(Frames, KeepTheirMemoryOpenThemselves) {
  FrameMemory memory(4096);
  memory.bytes()[0] = 42;
  const BufferPointer buffer = wrap(nv12(), {memory.fd()});
  memory.close_fd();
  EXPECT_EQ(*static_cast<uint8_t*>(lock_planes(buffer).planes[0].data), 42);
}

TEST_F(Frames, InMemoryThatCouldShrinkAreRefusedUnlessToldOtherwise) {
  nnvk_FrameLayout layout = nv12();
  const FrameMemory unsealed(4096, 0);
  const FrameMemory grows_not(4096, F_SEAL_GROW);
  const FrameMemory unsealable(4096, 0, 0);
  const FrameMemory final(4096, F_SEAL_SEAL);
  for (const FrameMemory* memory : {&unsealed, &grows_not}) {
    expect_refused(-EPERM, "descriptor 0 could shrink while it is in use, which would kill this process; seal it with fcntl",
                   layout, {memory->fd()});
  }
  for (const FrameMemory* memory : {&unsealable, &final}) {
    layout.flags = 0;
    expect_refused(-EPERM, "cannot be sealed here (make it by memfd_create with MFD_ALLOW_SEALING)", layout, {memory->fd()});
    layout.flags = NNVK_FRAME_SEAL;
    expect_refused(-EPERM, "say so by NNVK_FRAME_TRUST_SIZE", layout, {memory->fd()});
    layout.flags = NNVK_FRAME_TRUST_SIZE;
    const BufferPointer trusted = wrap(layout, {memory->fd()});
    const SocketPair pair(SOCK_SEQPACKET);
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(trusted.get(), pair.ends[0]), -EPERM) << "no peer would take it";
  }
  EXPECT_EQ(::fcntl(unsealed.fd(), F_GET_SEALS), 0) << "nobody asked for seals";
  layout.flags = NNVK_FRAME_SEAL;
  EXPECT_NE(wrap(layout, {unsealed.fd()}), nullptr);
  EXPECT_EQ(::fcntl(unsealed.fd(), F_GET_SEALS), F_SEAL_SHRINK);
  EXPECT_EQ(::ftruncate(unsealed.fd(), 0), -1);
  EXPECT_EQ(::ftruncate(unsealed.fd(), 8192), 0) << "growing does no harm";
}

TEST_F(Frames, InTrustedMemoryThatHasBecomeShorterCannotBeLocked) {
  const FrameMemory memory(8192, 0, 0);
  nnvk_FrameLayout layout = nv12();
  layout.flags = NNVK_FRAME_TRUST_SIZE;
  layout.planes[1].offset = 4096;
  const BufferPointer buffer = wrap(layout, {memory.fd()});
  lock_planes(buffer);
  ASSERT_EQ(::ftruncate(memory.fd(), 4096), 0);
  AHardwareBuffer_Planes planes{};
  EXPECT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), kRead, -1, nullptr, &planes), -EFAULT);
  ASSERT_EQ(::ftruncate(memory.fd(), 4097), 0);
  lock_planes(buffer);
}

TEST_F(Frames, ThatMayNotBeWrittenAreOnlyRead) {
  const FrameMemory memory(4096, F_SEAL_SHRINK);
  memory.bytes()[0] = 42;
  const int read_only = ::open(("/proc/self/fd/" + std::to_string(memory.fd())).c_str(), O_RDONLY | O_CLOEXEC);
  const int write_only = ::open(("/proc/self/fd/" + std::to_string(memory.fd())).c_str(), O_WRONLY | O_CLOEXEC);
  nnvk_FrameLayout layout = nv12();
  expect_refused(-EACCES, "leave AHARDWAREBUFFER_USAGE_CPU_WRITE_* out", layout, {read_only});
  expect_refused(-EACCES, "open it for reading as well", layout, {write_only});
  layout.usage = kRead;
  {
    const BufferPointer buffer = wrap(layout, {read_only});
    EXPECT_EQ(*static_cast<uint8_t*>(lock_planes(buffer).planes[0].data), 42);
    void* address = nullptr;
    EXPECT_EQ(AHardwareBuffer_lock(buffer.get(), AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, nullptr, &address), -EINVAL);
  }
  ::close(read_only);
  ::close(write_only);
}

TEST_F(Frames, LieInSeveralMemoriesSideBySide) {
  const FrameMemory luma(70000);
  const FrameMemory blue(4096);
  const FrameMemory red(12345);
  luma.bytes()[69000] = 1;
  blue.bytes()[10] = 2;
  red.bytes()[12000] = 3;
  const nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_YUV420, 6, 4, {{2, 69000, 16}, {0, 10, 8}, {1, 12000, 8}});
  const BufferPointer buffer = wrap(layout, {blue.fd(), red.fd(), luma.fd()});
  const AHardwareBuffer_Planes planes = lock_planes(buffer, kReadWrite);
  for (uint32_t p = 0; p < 3; ++p) EXPECT_EQ(*static_cast<uint8_t*>(planes.planes[p].data), p + 1);
  static_cast<uint8_t*>(planes.planes[2].data)[8] = 9;
  EXPECT_EQ(red.bytes()[12008], 9);
  // Two descriptors of one memory are one memory.
  const int again = ::dup(luma.fd());
  const BufferPointer same = wrap(frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 69000, 16}, {1, 200, 16}}), {luma.fd(), again});
  ::close(again);
  nnvk_FrameLayout told{};
  told.size = sizeof told;
  ASSERT_EQ(nnvk_HardwareBuffer_getLayout(same.get(), &told), 0);
  EXPECT_EQ(told.planes[1].fdIndex, 0U);
  EXPECT_EQ(*static_cast<uint8_t*>(lock_planes(same).planes[0].data), 1);
}

// The same through a real dma-buf, if the machine has udmabuf and this user may use it.
TEST_F(Frames, InDmaBufsAreLockedWithTheirSynchronisation) {
  const int device = ::open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (device < 0) GTEST_SKIP() << "no /dev/udmabuf: there is no dma-buf to be had on this machine";
  const FrameMemory memory(65536);
  memory.bytes()[100] = 42;
  udmabuf_create create{static_cast<uint32_t>(memory.fd()), UDMABUF_FLAGS_CLOEXEC, 0, memory.size()};
  const int dma_buf = ::ioctl(device, UDMABUF_CREATE, &create);
  ::close(device);
  ASSERT_GE(dma_buf, 0) << std::strerror(errno);
  {
    const BufferPointer buffer = wrap(frame_layout(NNVK_FRAME_NV12, 6, 4, {{0, 100, 16}, {0, 1000, 16}}), {dma_buf});
    const AHardwareBuffer_Planes planes = lock_planes(buffer, kReadWrite);
    EXPECT_EQ(*static_cast<uint8_t*>(planes.planes[0].data), 42);
    static_cast<uint8_t*>(planes.planes[1].data)[1] = 43;
    EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
    EXPECT_EQ(memory.bytes()[1001], 43);
    const SocketPair pair(SOCK_SEQPACKET);
    ASSERT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), pair.ends[0]), 0);
    AHardwareBuffer* received = nullptr;
    ASSERT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(pair.ends[1], &received), 0);
    EXPECT_EQ(*static_cast<uint8_t*>(lock_planes(BufferPointer(received)).planes[2].data), 43);
  }
  ::close(dma_buf);
}

}  // namespace
}  // namespace nnvk::test
