// Several images of an application as one tensor: which fit, where their pixels lie, and which channels they fill.
#include "vulkan/recording/image_parts.h"

#include <gmock/gmock.h>

#include <bit>

#include "tests/support/test_picture.h"

namespace nnvk::vulkan {
namespace {

using testing::HasSubstr;
using enum OperandType;

ImagePart part_of(VkFormat format, uint32_t channels, uint32_t width = 5, uint32_t height = 3) {
  ImagePart part;
  part.image.image = reinterpret_cast<VkImage>(uintptr_t{64});  // no code passes it to Vulkan
  part.image.format = format;
  part.image.extent = {width, height, 1};
  part.image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  part.image.layout = VK_IMAGE_LAYOUT_GENERAL;
  part.image.is_written = false;
  part.channels = channels;
  return part;
}

std::vector<ImagePart> frame() {
  return {part_of(VK_FORMAT_B8G8R8A8_UNORM, 3), part_of(VK_FORMAT_D32_SFLOAT, 1), part_of(VK_FORMAT_R16G16_SFLOAT, 2)};
}

void expect_refused(const Status& status, const char* text) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kBadData);
  EXPECT_THAT(status.error().text(), HasSubstr(text));
}

TEST(ImageParts, OneToEightImagesBecomeATensor) {
  EXPECT_TRUE(check_parts(frame()));
  expect_refused(check_parts({}), "0 images");
  expect_refused(check_parts(std::vector(9, part_of(VK_FORMAT_R8_UNORM, 1))), "9 images");
  EXPECT_TRUE(check_parts(std::vector(8, part_of(VK_FORMAT_R8_UNORM, 1))));
}

TEST(ImageParts, AnErrorNamesItsPart) {
  std::vector<ImagePart> parts = frame();
  parts[1].image.usage = 0;
  expect_refused(check_parts(parts), "parts[1]");
  parts = frame();
  parts[2].channels = 3;
  expect_refused(check_parts(parts), "VK_FORMAT_R16G16_SFLOAT fill 1 to 2 channels");
  parts[2].channels = 0;
  expect_refused(check_parts(parts), "channelCount is 0");
  parts = frame();
  parts[1].image.nchw = true;
  expect_refused(check_parts(parts), "another tensorLayout");
  parts = {part_of(VK_FORMAT_R8_UNORM, 1, 1U << 15, 1U << 15), part_of(VK_FORMAT_R8_UNORM, 1, 1U << 15, 1U << 15)};
  expect_refused(check_parts(parts), "2147483648 bytes together");
}

TEST(ImageParts, TheTensorHasAllChannelsAndTheSizeOfImagesWithoutAFilter) {
  std::vector<ImagePart> parts = frame();
  EXPECT_TRUE(check_tensor(parts, test::picture_tensor(kTensorFloat32, {1, 3, 5, 6})));
  for (const Shape& shape : {Shape{1, 3, 5, 5}, Shape{2, 3, 5, 6}, Shape{3, 5, 6}, Shape{1, 0, 5, 6}, Shape::unknown_rank()}) {
    expect_refused(check_tensor(parts, test::picture_tensor(kTensorFloat32, shape)), "6 channels");
  }
  expect_refused(check_tensor(parts, test::picture_tensor(kTensorInt32, {1, 3, 5, 6})), "TENSOR_FLOAT32");
  parts[1] = part_of(VK_FORMAT_D32_SFLOAT, 1, 10, 6);
  expect_refused(check_tensor(parts, test::picture_tensor(kTensorFloat32, {1, 3, 5, 6})), "parts[1]");
  expect_refused(check_tensor(parts, test::picture_tensor(kTensorFloat32, {1, 3, 5, 6})), "10x6 pixels, the tensor 5x3");
  parts[1].filter = PictureFilter::kArea;
  EXPECT_TRUE(check_tensor(parts, test::picture_tensor(kTensorFloat32, {1, 3, 5, 6})));
  parts[0].image.scale[2] = 1e38F;
  expect_refused(check_tensor(parts, test::picture_tensor(kTensorQuant8Asymm, {1, 3, 5, 6}, 1e-6F)), "channel 2");
  for (ImagePart& part : parts) part.image.nchw = true;
  EXPECT_TRUE(check_tensor(parts, test::picture_tensor(kTensorFloat32, {1, 6, 3, 5})));
}

TEST(ImageParts, PixelsLieBehindEachOther) {
  const std::vector<PlacedImage> places = placed(frame());
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].offset, 0U);
  EXPECT_EQ(places[1].offset, 64U);  // 60 bytes of colour
  EXPECT_EQ(places[2].offset, 128U);
  EXPECT_EQ(placed_size(places), 188U);
}

TEST(ImageParts, TheTableHasTheSourcesOfAllChannels) {
  using namespace gathering_words;
  std::vector<ImagePart> parts = frame();
  parts[2].image.scale[1] = 0.5F;
  parts[2].image.bias[1] = 3;
  const std::vector<uint32_t> table = table_of(parts, test::picture_tensor(kTensorFloat32, {1, 3, 5, 6}));
  ASSERT_EQ(table.size(), gathering_table_words(3, 6, 3, 5));
  const auto word = [&](uint32_t channel, Channel which) { return table[channel * kChannelWords + which]; };
  EXPECT_EQ(word(0, kFirstByte), 2U);  // red, which the format stores last
  EXPECT_EQ(word(2, kFirstByte), 0U);
  EXPECT_EQ(word(3, kEncoding), static_cast<uint32_t>(ComponentEncoding::kFloat));
  EXPECT_EQ(word(5, kEncoding), static_cast<uint32_t>(ComponentEncoding::kHalf));
  EXPECT_EQ(word(5, kFirstByte), 2U);
  EXPECT_EQ(std::bit_cast<float>(word(5, kFactor)), 0.5F);
  EXPECT_EQ(std::bit_cast<float>(word(5, kOffset)), 3.0F);
  EXPECT_EQ(table[word(3, kRows) + kLow], 64U);              // the first row of depth
  EXPECT_EQ(table[word(3, kRows) + kTapWords + kLow], 84U);  // its second row
  EXPECT_EQ(table[word(3, kColumns) + 4 * kTapWords + kLow], 16U);
}

}  // namespace
}  // namespace nnvk::vulkan
