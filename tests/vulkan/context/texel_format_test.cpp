// Texel formats that the shader conventions require.
#include "vulkan/context/texel_format.h"

#include <gtest/gtest.h>

#include <set>

#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {
namespace {

TEST(ViewFormat, EveryTexelFormatHasItsOwnVulkanFormat) {
  std::set<VkFormat> formats;
  for (const auto& [format, texels] : kTexelFormats) {
    EXPECT_NE(vk_format(format), VK_FORMAT_UNDEFINED);
    EXPECT_TRUE(formats.insert(vk_format(format)).second);
  }
  EXPECT_EQ(vk_format(ViewFormat::kWords), VK_FORMAT_UNDEFINED);
}

TEST(ViewFormat, PaddedStoragesHoldWholeTexelsOfEveryFormat) {
  for (const auto& [format, texels] : kTexelFormats) {
    for (uint64_t size = 0; size < 40; ++size) {
      EXPECT_GE(padded_size(size), std::max<uint64_t>(size, 1));
      EXPECT_EQ(padded_size(size) % texel_bytes(format), 0U);
    }
    EXPECT_EQ(kStorageAlignment % texel_bytes(format), 0U);
  }
}

TEST(ViewFormat, FourWideFormatsTakeFourTimesTheBytes) {
  EXPECT_EQ(texel_bytes(ViewFormat::kRgba32Sfloat), 4 * texel_bytes(ViewFormat::kR32Sfloat));
  EXPECT_EQ(texel_bytes(ViewFormat::kRgba16Sfloat), 4 * texel_bytes(ViewFormat::kR16Sfloat));
  EXPECT_EQ(texel_bytes(ViewFormat::kRgba8Sint), 4 * texel_bytes(ViewFormat::kR8Sint));
  EXPECT_EQ(texel_bytes(ViewFormat::kRgba32Uint), 16U);
}

}  // namespace
}  // namespace nnvk::vulkan
