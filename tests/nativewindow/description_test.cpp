// Which descriptions are valid, and the strides and planes that buffers get.
#include <cerrno>

#include "tests/nativewindow/buffer_fixture.h"

namespace nnvk::test {
namespace {

class Descriptions : public NativeWindow {
 protected:
  // allocate and isSupported must agree.
  static int allocation_result(const AHardwareBuffer_Desc& desc) {
    AHardwareBuffer* buffer = nullptr;
    const int result = AHardwareBuffer_allocate(&desc, &buffer);
    EXPECT_EQ(buffer != nullptr, result == 0);
    EXPECT_EQ(AHardwareBuffer_isSupported(&desc), result == 0 ? 1 : 0);
    AHardwareBuffer_release(buffer);
    return result;
  }
};

TEST_F(Descriptions, NullIsInvalid) {
  const AHardwareBuffer_Desc desc = blob(16);
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(AHardwareBuffer_allocate(nullptr, &buffer), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_allocate(&desc, nullptr), -EINVAL);
  EXPECT_EQ(AHardwareBuffer_isSupported(nullptr), 0);
  EXPECT_EQ(buffer, nullptr);
}

TEST_F(Descriptions, EveryFormatOfTheHeaderCanBeAllocated) {
  for (const uint32_t format : {1U, 2U, 3U, 4U, 0x16U, 0x23U, 0x2bU, 0x30U, 0x31U, 0x32U, 0x33U, 0x34U, 0x35U, 0x36U, 0x38U,
                                0x39U, 0x3aU, 0x3bU, 0x3cU}) {
    EXPECT_EQ(allocation_result(image(format, 33, 17)), 0) << format;
  }
  EXPECT_EQ(allocation_result(blob(33)), 0);
}

TEST_F(Descriptions, UnknownFormatsAndEmptySizesAreInvalid) {
  for (const uint32_t format : {0U, 7U, 0x22U, 0x37U, 0xffffffffU}) EXPECT_EQ(allocation_result(image(format, 4, 4)), -EINVAL);
  EXPECT_EQ(allocation_result(image(1, 0, 4)), -EINVAL);
  EXPECT_EQ(allocation_result(image(1, 4, 0)), -EINVAL);
  AHardwareBuffer_Desc desc = image(1, 4, 4);
  desc.layers = 0;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
}

TEST_F(Descriptions, ReservedFieldsMustBeZeroAndTheStrideIsIgnored) {
  AHardwareBuffer_Desc desc = blob(16);
  desc.stride = 12345;
  EXPECT_EQ(allocation_result(desc), 0);
  desc.rfu0 = 1;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
  desc.rfu0 = 0;
  desc.rfu1 = 1;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
}

TEST_F(Descriptions, BlobsAreOneRowWithoutImageUsage) {
  AHardwareBuffer_Desc desc = blob(16);
  desc.height = 2;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
  desc = blob(16);
  desc.layers = 2;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
  for (const uint64_t usage :
       {AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER, AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE,
        AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP, AHARDWAREBUFFER_USAGE_VIDEO_ENCODE}) {
    EXPECT_EQ(allocation_result(blob(16, kReadWrite | usage)), -EINVAL) << usage;
  }
  EXPECT_EQ(allocation_result(blob(16, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER)), 0);
  EXPECT_EQ(allocation_result(blob(16, kReadWrite | AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA)), 0);
  EXPECT_EQ(allocation_result(image(1, 4, 4, kReadWrite | AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA)), -EINVAL);
}

TEST_F(Descriptions, YuvHasOneLayerAndNoMipsOrCubes) {
  AHardwareBuffer_Desc desc = image(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 6, 6);
  desc.layers = 6;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
  EXPECT_EQ(allocation_result(image(0x23, 6, 6, kReadWrite | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE)), -EINVAL);
}

TEST_F(Descriptions, CubeMapsAreSquareWithSixLayersEach) {
  AHardwareBuffer_Desc desc = image(1, 8, 8, AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP);
  EXPECT_EQ(allocation_result(desc), -EINVAL);
  desc.layers = 12;
  EXPECT_EQ(allocation_result(desc), 0);
  desc.height = 4;
  EXPECT_EQ(allocation_result(desc), -EINVAL);
}

TEST_F(Descriptions, ProtectedContentExcludesTheCpuAndIsNotAvailable) {
  EXPECT_EQ(allocation_result(image(1, 8, 8, kReadWrite | AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT)), -EINVAL);
  EXPECT_EQ(allocation_result(image(1, 8, 8, AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT)), -ENOSYS);
  EXPECT_EQ(allocation_result(image(1, 8, 8, AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE)), -ENOSYS);
}

TEST_F(Descriptions, SizesThatNoMemoryHoldsAreOutOfMemory) {
  for (const uint32_t format : {1U, 3U, 0x16U, 0x23U, 0x36U, 0x3cU}) {
    EXPECT_EQ(allocation_result(image(format, 0xffffffffU, 0xffffffffU)), -ENOMEM) << format;
  }
  AHardwareBuffer_Desc desc = image(1, 1 << 20, 1 << 20);
  desc.layers = 0xffffffffU;
  EXPECT_EQ(allocation_result(desc), -ENOMEM);
}

TEST_F(Descriptions, DescribeTellsTheStrideInPixels) {
  const auto stride = [](const AHardwareBuffer_Desc& desc) {
    AHardwareBuffer_Desc told{};
    AHardwareBuffer_describe(allocate(desc).get(), &told);
    EXPECT_EQ(told.width, desc.width);
    EXPECT_EQ(told.height, desc.height);
    EXPECT_EQ(told.format, desc.format);
    EXPECT_EQ(told.usage, desc.usage);
    return told.stride;
  };
  EXPECT_EQ(stride(image(1, 65, 3)), 128U);  // 260 bytes in rows of 512
  EXPECT_EQ(stride(image(3, 65, 3)), 256U);  // 195 bytes; rows are whole pixels and multiples of 256 bytes
  EXPECT_EQ(stride(image(0x23, 65, 3)), 256U);
  EXPECT_EQ(stride(image(0x36, 65, 3)), 128U);
  EXPECT_EQ(stride(blob(1001)), 1001U);
}

TEST_F(Descriptions, NullAndForeignHandlesAreFoundOut) {
  AHardwareBuffer_Desc desc = blob(1);
  alignas(16) char bytes[64] = {};
  AHardwareBuffer* stale = allocate(desc).get();
  uint64_t id = 0;
  void* address = nullptr;
  for (AHardwareBuffer* handle : {static_cast<AHardwareBuffer*>(nullptr), reinterpret_cast<AHardwareBuffer*>(bytes), stale}) {
    AHardwareBuffer_acquire(handle);
    AHardwareBuffer_release(handle);
    AHardwareBuffer_describe(handle, &desc);
    EXPECT_EQ(desc.width, 1U);
    EXPECT_EQ(AHardwareBuffer_getId(handle, &id), -EINVAL);
    EXPECT_EQ(AHardwareBuffer_lock(handle, kReadWrite, -1, nullptr, &address), -EINVAL);
    EXPECT_EQ(AHardwareBuffer_unlock(handle, nullptr), -EINVAL);
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(handle, 0), -EINVAL);
  }
  const BufferPointer real = allocate(desc);
  AHardwareBuffer_describe(real.get(), nullptr);
  EXPECT_EQ(AHardwareBuffer_getId(real.get(), nullptr), -EINVAL);
}

TEST_F(Descriptions, IdsDiffer) {
  const BufferPointer a = allocate(blob(1));
  const BufferPointer b = allocate(blob(1));
  uint64_t id_a = 0;
  uint64_t id_b = 0;
  ASSERT_EQ(AHardwareBuffer_getId(a.get(), &id_a), 0);
  ASSERT_EQ(AHardwareBuffer_getId(b.get(), &id_b), 0);
  EXPECT_NE(id_a, id_b);
}

}  // namespace
}  // namespace nnvk::test
