// Dma-bufs as buffers, on drivers that import them. Mesa's lavapipe accepts any mappable memory as a dma-buf. For other drivers
// /dev/udmabuf makes a dma-buf from shared memory.
#include "tests/support/process_usage.h"
#include "vulkan/memory/host_import.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "tests/vulkan/memory/open_context.h"
#include "vulkan/memory/host_import.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kSize = 262144;
constexpr uint64_t kOffset = 65536;

class DmaBufImport : public testing::Test {
 protected:
  void SetUp() override {
    context_ = open_context({});
    if (!context_) GTEST_SKIP() << "no Vulkan device on this machine";
    if (!context_->plan().imports_dma_bufs) GTEST_SKIP() << "this device imports no dma-bufs";
    shared_ = ::memfd_create("dma_buf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(::ftruncate(shared_, kSize), 0);
    ASSERT_EQ(::fcntl(shared_, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    dma_buf_ = make_dma_buf();
    if (dma_buf_ < 0) GTEST_SKIP() << "no /dev/udmabuf to make a dma-buf with";
  }
  void TearDown() override {
    for (const int fd : {shared_, dma_buf_}) {
      if (fd >= 0) ::close(fd);
    }
  }
  int make_dma_buf() const {
    const int device = ::open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    if (device < 0) return context_->snapshot().driver_id == VK_DRIVER_ID_MESA_LLVMPIPE ? ::dup(shared_) : -1;
    udmabuf_create create{static_cast<uint32_t>(shared_), UDMABUF_FLAGS_CLOEXEC, 0, kSize};
    const int made = ::ioctl(device, UDMABUF_CREATE, &create);
    ::close(device);
    return made;
  }
  std::shared_ptr<MappedMemory> map(int fd) const {
    void* address = ::mmap(nullptr, 5000, PROT_READ | PROT_WRITE, MAP_SHARED, shared_, kOffset);
    EXPECT_NE(address, MAP_FAILED);
    return std::make_shared<MappedMemory>(
        std::span(static_cast<std::byte*>(address), 5000), true, [address] { ::munmap(address, 5000); },
        MappedMemory::DmaBuf{fd, kOffset});
  }

  std::shared_ptr<Context> context_;
  Activity activity_;
  int shared_ = -1;
  int dma_buf_ = -1;
};

TEST_F(DmaBufImport, IsPreferredToTheHostsView) {
  const size_t descriptors = test::open_descriptors();
  {
    const auto mapping = map(dma_buf_);
    const auto imported = HostImport::of(mapping, context_, activity_);
    ASSERT_TRUE(imported);
    EXPECT_EQ(activity_.dma_bufs_imported, 1U);
    EXPECT_EQ(imported->size(), kSize - kOffset);
    EXPECT_EQ(imported->host_address(), mapping->bytes().data());
    EXPECT_TRUE(imported->bytes().empty());
    EXPECT_EQ(HostImport::of(mapping, context_, activity_), imported);
    EXPECT_EQ(activity_.device_allocations, 1U);
  }
  EXPECT_EQ(test::open_descriptors(), descriptors);
}

TEST_F(DmaBufImport, OfWhatIsTooSmallOrNoneGoesThroughTheHostAndLeavesNoDescriptor) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int small = ::memfd_create("small", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(small, 4096), 0);
  const size_t descriptors = test::open_descriptors();
  for (const int fd : {null, small, -1}) {
    const auto mapping = map(fd);
    (void)HostImport::of(mapping, context_, activity_);
    EXPECT_FALSE(import_dma_buf(context_, {fd, kOffset}, 5000, activity_));
    EXPECT_EQ(activity_.dma_bufs_imported, 0U);
  }
  EXPECT_EQ(test::open_descriptors(), descriptors);
  ::close(null);
  ::close(small);
}

}  // namespace
}  // namespace nnvk::vulkan
