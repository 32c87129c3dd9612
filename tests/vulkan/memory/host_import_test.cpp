// Ranges of imports (pure), and imports of real memory on the first Vulkan device.
#include "vulkan/memory/host_import.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/vulkan/memory/open_context.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPlenty = 1ULL << 40;

TEST(ImportRange, CoversWholeUnits) {
  const auto range = import_range(3 * kPage, 5000, kPage, kPage, kPlenty);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, 3 * kPage);
  EXPECT_EQ(range->size, 2 * kPage);
  const auto inside = import_range(3 * kPage + 100, 16, kPage, 64, kPlenty);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->begin, 3 * kPage + 64);
  EXPECT_EQ(inside->size, 64U);
}

TEST(ImportRange, NeverLeavesThePagesThatAreMapped) {
  EXPECT_FALSE(import_range(3 * kPage, 5000, kPage, 65536, kPlenty));
  EXPECT_FALSE(import_range(65536, 5000, kPage, 65536, kPlenty));
  EXPECT_TRUE(import_range(65536, 65536, kPage, 65536, kPlenty));
}

TEST(ImportRange, NeedsADriverThatImportsThatMuch) {
  EXPECT_FALSE(import_range(kPage, 16, kPage, 0, kPlenty));
  EXPECT_FALSE(import_range(kPage, 5000, kPage, kPage, kPage));
}

class HostImportTest : public testing::Test {
 protected:
  void SetUp() override {
    context_ = open_context({});
    if (!context_) GTEST_SKIP() << "no Vulkan device on this machine";
    if (context_->plan().host_import_alignment == 0) GTEST_SKIP() << "this device imports no host memory";
  }
  std::shared_ptr<MappedMemory> map(size_t size) {
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(address, MAP_FAILED);
    return std::make_shared<MappedMemory>(std::span(static_cast<std::byte*>(address), size), true, [this, address, size] {
      ::munmap(address, size);
      ++unmapped_;
    });
  }
  std::shared_ptr<Context> context_;
  Activity activity_;
  int unmapped_ = 0;
};

TEST_F(HostImportTest, AMappingIsImportedOnce) {
  const auto mapping = map(10000);
  const auto first = HostImport::of(mapping, context_, activity_);
  ASSERT_TRUE(first);
  EXPECT_GE(first->size(), 10000U);
  EXPECT_EQ(first->host_address(), mapping->bytes().data());
  EXPECT_EQ(HostImport::of(mapping, context_, activity_), first);
  EXPECT_EQ(activity_.device_allocations, 1U);
}

TEST_F(HostImportTest, TheMappingStaysAsLongAsItsImportIsUsed) {
  auto mapping = map(4096);
  auto used = HostImport::of(mapping, context_, activity_);
  ASSERT_TRUE(used);
  mapping.reset();
  EXPECT_EQ(unmapped_, 0);
  used.reset();
  EXPECT_EQ(unmapped_, 1);
}

TEST_F(HostImportTest, TwoMappingsAreNeverTakenForEachOther) {
  const auto a = HostImport::of(map(4096), context_, activity_);
  const uint64_t id = a->id();
  const auto b = HostImport::of(map(4096), context_, activity_);
  ASSERT_TRUE(b);
  EXPECT_NE(b->id(), id);
}

TEST_F(HostImportTest, ARefusalIsRememberedToo) {
  const auto mapping = map(4096);
  const auto working = context_->replaceable_functions().vkGetMemoryHostPointerPropertiesEXT;
  context_->replaceable_functions().vkGetMemoryHostPointerPropertiesEXT = nullptr;  // named, but not there
  EXPECT_EQ(HostImport::of(mapping, context_, activity_), nullptr);
  context_->replaceable_functions().vkGetMemoryHostPointerPropertiesEXT = working;
  EXPECT_EQ(HostImport::of(mapping, context_, activity_), nullptr);
  EXPECT_NE(HostImport::of(map(4096), context_, activity_), nullptr);
}

}  // namespace
}  // namespace nnvk::vulkan
