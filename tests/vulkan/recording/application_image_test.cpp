// Which images of an application can be tensors, and the numbers that convert their pixels to elements.
#include "vulkan/recording/application_image.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/support/test_picture.h"

namespace nnvk::vulkan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum OperandType;

// A handle that no code passes to Vulkan.
VkImage some_image() { return reinterpret_cast<VkImage>(uintptr_t{64}); }

ImageDescription image_of(VkFormat format = VK_FORMAT_R8G8B8A8_UNORM, uint32_t width = 5, uint32_t height = 3) {
  ImageDescription image;
  image.image = some_image();
  image.format = format;
  image.extent = {width, height, 1};
  image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  image.layout = VK_IMAGE_LAYOUT_GENERAL;
  return image;
}

void expect_refused(const Status& status, const char* text) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kBadData);
  EXPECT_THAT(status.error().message, HasSubstr(text));
}

TEST(ApplicationImage, TheFormatsOfTheHeaderAreKnown) {
  for (const VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
                                VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
                                VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
                                VK_FORMAT_R32_SFLOAT, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_B10G11R11_UFLOAT_PACK32}) {
    EXPECT_TRUE(check_image(image_of(format)));
  }
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_R8_UNORM)), 15U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_B8G8R8A8_UNORM)), 60U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_R16G16B16A16_SFLOAT)), 120U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_R32_SFLOAT)), 60U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_R8G8_UNORM)), 30U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_R16G16_SFLOAT)), 60U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_A2B10G10R10_UNORM_PACK32)), 60U);
  EXPECT_EQ(packed_size(image_of(VK_FORMAT_B10G11R11_UFLOAT_PACK32)), 60U);
  for (const VkFormat format :
       {VK_FORMAT_UNDEFINED, VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM}) {
    expect_refused(check_image(image_of(format)), "VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM");
  }
}

TEST(ApplicationImage, DepthIsReadInItsOwnLayoutsAndNeverWritten) {
  ImageDescription image = image_of(VK_FORMAT_D32_SFLOAT);
  expect_refused(check_image(image), "depth cannot be written");
  image.is_written = false;
  for (const VkImageLayout layout : {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                     VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}) {
    image.layout = layout;
    EXPECT_TRUE(check_image(image)) << layout;
  }
  for (const VkImageLayout layout : {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR}) {
    image.layout = layout;
    expect_refused(check_image(image), "DEPTH_STENCIL_READ_ONLY_OPTIMAL");
  }
  EXPECT_TRUE(check_tensor(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 1})));
  expect_refused(check_tensor(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 3})), "one channel");
}

TEST(ApplicationImage, ATensorHasTheChannelsOfTheFormat) {
  const auto refuse = [](VkFormat format, uint32_t channels, const char* text) {
    expect_refused(check_tensor(image_of(format), test::picture_tensor(kTensorFloat32, {1, 3, 5, channels})), text);
  };
  for (const uint32_t channels : {1U, 3U, 4U}) refuse(VK_FORMAT_R16G16_SFLOAT, channels, "2 channels");
  for (const uint32_t channels : {1U, 2U, 4U}) refuse(VK_FORMAT_B10G11R11_UFLOAT_PACK32, channels, "3 channels");
  for (const uint32_t channels : {1U, 2U, 5U}) refuse(VK_FORMAT_A2B10G10R10_UNORM_PACK32, channels, "3 or 4 channels");
}

TEST(ApplicationImage, UsageIsThatOfTheAccess) {
  ImageDescription image = image_of();
  image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  expect_refused(check_image(image), "TRANSFER_DST");
  image.is_written = false;
  EXPECT_TRUE(check_image(image));
  image.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  expect_refused(check_image(image), "TRANSFER_SRC");
  image.is_read = false;
  image.is_written = true;
  EXPECT_TRUE(check_image(image));
}

TEST(ApplicationImage, ExtentsThatAreNoneOfA2dImageAreRefused) {
  ImageDescription image = image_of();
  image.extent = {5, 0, 1};
  expect_refused(check_image(image), "not a pixel");
  image.extent = {5, 3, 2};
  expect_refused(check_image(image), "2D");
  image.extent = {1U << 15, 1U << 14, 1};
  expect_refused(check_image(image), "2^31 - 1");
  image.extent = {UINT32_MAX, UINT32_MAX, 1};
  expect_refused(check_image(image), "2^31 - 1");
  image.format = VK_FORMAT_R8_UNORM;
  image.extent = {1U << 15, 1U << 15, 1};
  EXPECT_TRUE(check_image(image));
}

TEST(ApplicationImage, LayoutsAreThoseThatImagesStayIn) {
  ImageDescription image = image_of();
  for (const VkImageLayout layout :
       {VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}) {
    image.layout = layout;
    expect_refused(check_image(image), "SHADER_READ_ONLY_OPTIMAL");
  }
  image.layout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  EXPECT_TRUE(check_image(image));
  EXPECT_EQ(layout_for_copies(VK_IMAGE_LAYOUT_GENERAL, false), VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(layout_for_copies(VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, false), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  EXPECT_EQ(layout_for_copies(VK_IMAGE_LAYOUT_GENERAL, true), VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(layout_for_copies(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, true), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
}

TEST(ApplicationImage, TheTensorHasTheSizeOfTheImage) {
  const ImageDescription image = image_of();
  EXPECT_TRUE(check_tensor(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 4})));
  EXPECT_TRUE(check_tensor(image, test::picture_tensor(kTensorFloat16, {1, 3, 5, 3})));
  for (const Shape& shape : {Shape{1, 5, 3, 4}, Shape{1, 3, 5, 1}, Shape{1, 3, 5, 5}, Shape{2, 3, 5, 4}, Shape{3, 5, 4},
                             Shape{1, 3, 0, 4}, Shape{1, 3, 5, 0}, Shape::unknown_rank()}) {
    expect_refused(check_tensor(image, test::picture_tensor(kTensorFloat32, shape)), "the image of 5x3 pixels");
  }
  expect_refused(check_tensor(image, test::picture_tensor(kTensorInt32, {1, 3, 5, 4})), "TENSOR_FLOAT32");
  ImageDescription planar = image_of(VK_FORMAT_R8_UNORM);
  planar.nchw = true;
  EXPECT_TRUE(check_tensor(planar, test::picture_tensor(kTensorQuant8Asymm, {1, 1, 3, 5}, 0.5F)));
  expect_refused(check_tensor(planar, test::picture_tensor(kTensorQuant8Asymm, {1, 3, 3, 5}, 0.5F)), "one channel");
}

TEST(ApplicationImage, NumbersThatNoFloatHoldsAreRefused) {
  ImageDescription image = image_of();
  image.scale[0] = 1e38F;
  expect_refused(check_tensor(image, test::picture_tensor(kTensorQuant8Asymm, {1, 3, 5, 4}, 1e-6F)), "scale and bias");
  image.scale[0] = std::numeric_limits<float>::quiet_NaN();
  expect_refused(check_image(image), "scale[0]");
}

// real = component * scale + bias; a byte is 255 times its component.
TEST(ApplicationImage, ComponentsBecomeRealValuesAndTheseStoredNumbers) {
  ImageDescription image = image_of(VK_FORMAT_B8G8R8A8_UNORM);
  image.scale = {2, 1, 4, 1};
  image.bias = {-1, 0, 0.5F, 0};
  const ImageConversion floats = conversion_to_tensor(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 3}));
  EXPECT_THAT(floats.pixels.source, ElementsAre(2, 1, 0, testing::_));
  EXPECT_FLOAT_EQ(floats.pixels.factor[0], 2.0F / 255);
  EXPECT_FLOAT_EQ(floats.pixels.factor[2], 4.0F / 255);
  EXPECT_THAT(floats.pixels.offset, ElementsAre(-1, 0, 0.5F, testing::_));
  EXPECT_EQ(floats.pixels.pixels, 15U);
  EXPECT_EQ(floats.from.type, kTensorQuant8Asymm);
  EXPECT_EQ(floats.from.shape, Shape{60});
  EXPECT_EQ(floats.to.shape, Shape{45});

  const ImageConversion bytes =
      conversion_to_tensor(image, test::picture_tensor(kTensorQuant8AsymmSigned, {1, 3, 5, 3}, 0.5F, 10));
  EXPECT_FLOAT_EQ(bytes.pixels.factor[0], 4.0F / 255);
  EXPECT_THAT(bytes.pixels.offset, ElementsAre(8, 10, 11, testing::_));
}

TEST(ApplicationImage, TheWayBackIsTheInverseAndAlphaIsOne) {
  ImageDescription image = image_of(VK_FORMAT_B8G8R8A8_UNORM);
  image.scale = {2, 2, 2, 2};
  image.bias = {-1, -1, -1, -1};
  image.order = ChannelOrder::kBgr;
  const ImageConversion three = conversion_to_image(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 3}));
  EXPECT_THAT(three.pixels.source, ElementsAre(0, 1, 2, PixelConversion::kNoSource));
  EXPECT_THAT(three.pixels.factor, ElementsAre(127.5F, 127.5F, 127.5F, 0));
  EXPECT_THAT(three.pixels.offset, ElementsAre(127.5F, 127.5F, 127.5F, 255));
  const ImageConversion four = conversion_to_image(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 4}));
  EXPECT_EQ(four.pixels.source[3], 3U);
  const ImageConversion halves = conversion_to_image(image_of(VK_FORMAT_R16G16B16A16_SFLOAT),
                                                     test::picture_tensor(kTensorQuant8Asymm, {1, 3, 5, 3}, 0.25F, 128));
  EXPECT_THAT(halves.pixels.factor, ElementsAre(0.25F, 0.25F, 0.25F, 0));
  EXPECT_THAT(halves.pixels.offset, ElementsAre(-32, -32, -32, 1));
}

TEST(ApplicationImage, PackedPixelsAreWords) {
  const ImageConversion ten =
      conversion_to_image(image_of(VK_FORMAT_A2B10G10R10_UNORM_PACK32), test::picture_tensor(kTensorFloat32, {1, 3, 5, 3}));
  EXPECT_EQ(ten.pixels.packing, PixelPacking::kIntegers10And2);
  EXPECT_EQ(ten.to.type, kTensorInt32);
  EXPECT_EQ(ten.to.shape, Shape{15});
  EXPECT_THAT(ten.pixels.factor, ElementsAre(1023, 1023, 1023, 0));
  EXPECT_THAT(ten.pixels.offset, ElementsAre(0, 0, 0, 3));
  ImageDescription image = image_of(VK_FORMAT_B10G11R11_UFLOAT_PACK32);
  image.order = ChannelOrder::kBgr;
  const ImageConversion floats = conversion_to_tensor(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 3}));
  EXPECT_EQ(floats.pixels.packing, PixelPacking::kFloats11And10);
  EXPECT_THAT(floats.pixels.source, ElementsAre(2, 1, 0, testing::_));
  EXPECT_FALSE(floats.is_copy());
  image = image_of(VK_FORMAT_R8G8_UNORM);
  image.order = ChannelOrder::kBgr;  // without blue, nothing changes places
  const ImageConversion two = conversion_to_tensor(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 2}));
  EXPECT_THAT(two.pixels.source, ElementsAre(0, 1, testing::_, testing::_));
}

TEST(ApplicationImage, NothingIsComputedWhereBothSidesAreTheSameBytes) {
  const auto copies = [](const ImageDescription& image, const OperandInfo& tensor) {
    const bool in = conversion_to_tensor(image, tensor).is_copy();
    EXPECT_EQ(in, conversion_to_image(image, tensor).is_copy());
    return in;
  };
  EXPECT_TRUE(copies(image_of(VK_FORMAT_R32G32B32A32_SFLOAT), test::picture_tensor(kTensorFloat32, {1, 3, 5, 4})));
  EXPECT_TRUE(copies(image_of(VK_FORMAT_R16_SFLOAT), test::picture_tensor(kTensorFloat16, {1, 3, 5, 1})));
  EXPECT_FALSE(copies(image_of(VK_FORMAT_R32G32B32A32_SFLOAT), test::picture_tensor(kTensorFloat32, {1, 3, 5, 3})));
  EXPECT_FALSE(copies(image_of(VK_FORMAT_R32G32B32A32_SFLOAT), test::picture_tensor(kTensorFloat16, {1, 3, 5, 4})));
  ImageDescription image = image_of(VK_FORMAT_R32_SFLOAT);
  image.nchw = true;
  EXPECT_TRUE(copies(image, test::picture_tensor(kTensorFloat32, {1, 1, 3, 5})));
  image.bias[0] = 1;
  EXPECT_FALSE(copies(image, test::picture_tensor(kTensorFloat32, {1, 1, 3, 5})));
  image = image_of(VK_FORMAT_R32G32B32A32_SFLOAT);
  image.nchw = true;
  EXPECT_FALSE(copies(image, test::picture_tensor(kTensorFloat32, {1, 4, 3, 5})));
  image.nchw = false;
  image.order = ChannelOrder::kBgr;
  EXPECT_FALSE(copies(image, test::picture_tensor(kTensorFloat32, {1, 3, 5, 4})));
  EXPECT_FALSE(copies(image_of(), test::picture_tensor(kTensorFloat32, {1, 3, 5, 4})));
}

}  // namespace
}  // namespace nnvk::vulkan
