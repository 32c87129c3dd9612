// Buffers and uploads on the first Vulkan device: direct and staged.
#include "vulkan/memory/upload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/vulkan/memory/open_context.h"

namespace nnvk::vulkan {
namespace {

TEST(Uploads, DirectUploadsAreThereAtOnceWithZeroedPadding) {
  const auto context = open_context({});
  if (!context) GTEST_SKIP() << "no Vulkan device on this machine";
  if (!context->plan().direct_upload) GTEST_SKIP() << "this device needs staging";
  Activity activity;
  Uploads uploads(context);
  const std::array contents = {std::byte{1}, std::byte{2}, std::byte{3}};
  const PlacedBytes placed[] = {{256, contents}};
  const auto buffer = uploads.make(512, placed, activity, "test");
  ASSERT_TRUE(buffer) << buffer.error().message;
  EXPECT_TRUE(uploads.empty());
  EXPECT_EQ(buffer->bytes()[256], std::byte{1});
  EXPECT_EQ(buffer->bytes()[258], std::byte{3});
  EXPECT_EQ(buffer->bytes()[259], std::byte{0});
  EXPECT_EQ(activity.bytes_uploaded, 3U);
  EXPECT_EQ(activity.device_allocations, 1U);
}

TEST(Uploads, StagedUploadsWaitForTheirCopy) {
  const auto context = open_context({.force_staging = true});
  if (!context) GTEST_SKIP() << "no Vulkan device on this machine";
  Activity activity;
  Uploads uploads(context);
  const std::array contents = {std::byte{1}};
  const PlacedBytes placed[] = {{0, contents}};
  const auto buffer = uploads.make(16, placed, activity, "test");
  ASSERT_TRUE(buffer) << buffer.error().message;
  EXPECT_FALSE(uploads.empty());
  EXPECT_TRUE(buffer->bytes().empty());
  EXPECT_EQ(activity.device_allocations, 2U);
}

TEST(Buffers, MoreThanTheDeviceAllocatesAtOnceIsAClearError) {
  const auto context = open_context({});
  if (!context) GTEST_SKIP() << "no Vulkan device on this machine";
  Activity activity;
  const auto buffer = Buffer::create(context, UINT64_MAX / 4, MemoryUse::kDevice, activity, "temporary tensors");
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, Code::kResourceExhaustedPersistent);
  EXPECT_NE(buffer.error().message.find("temporary tensors"), std::string::npos);
  EXPECT_EQ(activity.device_allocations, 0U);
}

TEST(Buffers, MovingABufferMovesItsMapping) {
  const auto context = open_context({});
  if (!context) GTEST_SKIP() << "no Vulkan device on this machine";
  Activity activity;
  auto buffer = Buffer::create(context, 1000, MemoryUse::kStaging, activity, "test");
  ASSERT_TRUE(buffer);
  Buffer moved = std::move(*buffer);
  EXPECT_FALSE(*buffer);
  EXPECT_EQ(moved.bytes().size(), 1000U);
  std::fill(moved.bytes().begin(), moved.bytes().end(), std::byte{7});
}

}  // namespace
}  // namespace nnvk::vulkan
