// PICTURE_TO_TENSOR on Vulkan against the CPU reference: the same tensor to the last bit.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/test_picture.h"
#include "tests/vulkan/kernels/kernel_rig.h"

namespace nnvk::vulkan::rig {
namespace {

using enum OperandType;
using nnvk::test::kAllPictureFormats;
using nnvk::test::picture_tensor;
using nnvk::test::random_picture;
using nnvk::test::TestPicture;

OneNode conversion_of(const TestPicture& picture, const PictureConversion& conversion, const OperandInfo& output) {
  const std::vector<int32_t> integers = picture_integers(picture.layout, conversion);
  const std::vector<float> reals = picture_reals(conversion);
  OneNode node(kPictureToTensor);
  node.input(tensor(kTensorQuant8Asymm, {static_cast<uint32_t>(picture.bytes.size())}, 1.0F), raw_values(picture.bytes));
  node.constant(tensor(kTensorInt32, {static_cast<uint32_t>(integers.size())}), raw_values(integers));
  node.constant(tensor(kTensorFloat32, {static_cast<uint32_t>(reals.size())}), raw_values(reals));
  if (!conversion.crops.empty()) {
    const std::vector<uint32_t> taps = crop_taps(picture.layout, conversion, output);
    node.input(tensor(kTensorInt32, {static_cast<uint32_t>(taps.size())}), raw_values(taps));
  }
  return node.output(output);
}

Shape image(uint32_t height, uint32_t width, uint32_t channels, bool nchw) {
  return nchw ? Shape{1, channels, height, width} : Shape{1, height, width, channels};
}

// With 8 bytes of padding rows are whole words, with 7 bytes they are not.
TEST(PictureKernel, EveryFormatBecomesEveryTensor) {
  NNVK_REQUIRE_VULKAN();
  constexpr OperandType kTypes[] = {kTensorFloat32, kTensorQuant8Asymm, kTensorFloat16, kTensorQuant8AsymmSigned};
  uint32_t seed = 1;
  std::minstd_rand random(3);
  for (const PictureFormat format : kAllPictureFormats) {
    for (const uint32_t channels : {1U, 3U, 4U}) {
      for (const bool nchw : {false, true}) {
        for (const uint32_t padding : {7U, 8U}) {
          const OperandType type = kTypes[seed / 2 % 4];
          SCOPED_TRACE(testing::Message() << "format " << static_cast<int>(format) << " " << operand_type_name(type) << " "
                                          << channels << " channels, nchw " << nchw << ", padding " << padding);
          PictureConversion conversion;
          conversion.nchw = nchw;
          conversion.order = seed % 5 < 2 ? ChannelOrder::kBgr : ChannelOrder::kRgb;
          conversion.filter = PictureFilter{static_cast<int32_t>(random() % 3)};
          conversion.rotation = static_cast<int32_t>(random() % 4 * 90);
          conversion.mirrored = random() % 2 == 0;
          conversion.mean = {127.5F, 116.779F, 103.939F, 1};
          conversion.deviation = {127.5F, 58.395F, 57.12F, 255};
          const TestPicture picture = random_picture(format, 13, 9, padding, seed++);
          const OperandInfo output = is_float_tensor(type) ? picture_tensor(type, image(5, 7, channels, nchw))
                                                           : picture_tensor(type, image(5, 7, channels, nchw), 0.0157F, 3);
          expect_same_bytes(conversion_of(picture, conversion, output));
        }
      }
    }
  }
}

TEST(PictureKernel, SizesCropsAndPaddingAreOfAnyKind) {
  NNVK_REQUIRE_VULKAN();
  struct Case {
    uint32_t width, height, padding;
    PictureConversion::Crop crop;
    uint32_t out_width, out_height;
  };
  const Case cases[] = {
      {1, 1, 0, {}, 1, 1},
      {31, 17, 2, {}, 60, 5},
      {1, 1, 3, {}, 5, 3},
      {64, 48, 0, {}, 64, 48},
      {31, 17, 1, {}, 62, 1},
      {33, 7, 12, {0.25F, 0.5F, 32.75F, 6.25F}, 3, 33},
      {101, 67, 4, {50, 30, 1, 1}, 9, 9},
      {97, 64, 2, {13.7F, 60.9F, 0.01F, 3.1F}, 17, 2},
      {6, 300, 0, {5, 0, 1, 300}, 2, 37},
      {640, 480, 0, {}, 224, 224},
  };
  uint32_t seed = 100;
  for (const Case& c : cases) {
    for (const PictureFormat format : kAllPictureFormats) {
      for (const PictureFilter filter : {PictureFilter::kBilinear, PictureFilter::kNearest, PictureFilter::kArea}) {
        SCOPED_TRACE(testing::Message() << c.width << "x" << c.height << " to " << c.out_width << "x" << c.out_height
                                        << ", format " << static_cast<int>(format));
        PictureConversion conversion;
        conversion.crop = c.crop;
        conversion.filter = filter;
        conversion.rotation = static_cast<int32_t>(seed % 4 * 90);
        const TestPicture picture = random_picture(format, c.width, c.height, c.padding, seed++);
        const OperandInfo output = picture_tensor(kTensorQuant8Asymm, {1, c.out_height, c.out_width, 3}, 1.0F / 255);
        expect_same_bytes(conversion_of(picture, conversion, output));
      }
    }
  }
}

TEST(PictureKernel, EveryMatrixAndRangeGivesTheSameColours) {
  NNVK_REQUIRE_VULKAN();
  for (const ColourMatrix matrix : {ColourMatrix::kBt601, ColourMatrix::kBt709, ColourMatrix::kBt2020}) {
    for (const ColourRange range : {ColourRange::kLimited, ColourRange::kFull}) {
      for (const uint32_t channels : {1U, 3U}) {
        for (const PictureFormat format : kAllPictureFormats) {
          PictureConversion conversion;
          conversion.matrix = matrix;
          conversion.range = range;
          const TestPicture picture = random_picture(format, 40, 30, 0, 7);
          const OperandInfo output = picture_tensor(kTensorFloat32, {1, 31, 43, channels});
          expect_same_bytes(conversion_of(picture, conversion, output));
        }
      }
    }
  }
}

// Separate planes, and Cr before Cb, as in buffers of other systems.
TEST(PictureKernel, ChromaPlanesLieAnywhere) {
  NNVK_REQUIRE_VULKAN();
  TestPicture picture = random_picture(PictureFormat::kYuv420, 21, 11, 0, 3);
  auto& planes = picture.layout.planes;
  std::swap(planes[1].offset, planes[2].offset);
  const OperandInfo output = picture_tensor(kTensorFloat32, {1, 11, 21, 3});
  expect_same_bytes(conversion_of(picture, {}, output));
  planes[1] = {300, 1, 16};
  planes[2] = {0, 1, 16};
  planes[0] = {100, 1, 21};
  picture.bytes.resize(400, 200);
  expect_same_bytes(conversion_of(picture, {}, output));
}

TEST(PictureKernel, ExtremeNormalisationsSaturateAlike) {
  NNVK_REQUIRE_VULKAN();
  for (const float deviation : {1e-30F, -1e-30F, 1e30F}) {
    for (const OperandType type : {kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}) {
      PictureConversion conversion;
      conversion.mean.fill(100);
      conversion.deviation.fill(deviation);
      const TestPicture picture = random_picture(PictureFormat::kRgba, 9, 9, 0, 5);
      const OperandInfo output =
          is_float_tensor(type) ? picture_tensor(type, {1, 9, 9, 3}) : picture_tensor(type, {1, 9, 9, 3}, 0.5F, 7);
      expect_same_bytes(conversion_of(picture, conversion, output));
    }
  }
}

// Widths of three, of four and of five: rows of fours, and invocations that compute elements of two crops.
TEST(PictureKernel, BatchesOfCropsAreTheReferences) {
  NNVK_REQUIRE_VULKAN();
  uint32_t seed = 1;
  for (const PictureFormat format : kAllPictureFormats) {
    for (const uint32_t width : {3U, 4U, 5U}) {
      const uint32_t channels = std::array{1U, 3U, 4U}[(seed / 2) % 3];
      const bool nchw = seed / 4 % 2 == 1;
      SCOPED_TRACE(testing::Message() << "format " << static_cast<int>(format) << ", " << channels << " channels, width " << width
                                      << ", nchw " << nchw);
      PictureConversion conversion;
      conversion.nchw = nchw;
      conversion.filter = PictureFilter{static_cast<int32_t>(seed % 3)};
      conversion.rotation = static_cast<int32_t>(seed / 3 % 4 * 90);
      conversion.crops = {{0, 0, 5, 7}, {6.5F, 2.25F, 6.5F, 6.75F}, {}, {3, 3, 2, 6}, {12, 8, 1, 1}};
      const TestPicture picture = random_picture(format, 13, 9, 8 - seed % 2, seed);
      Shape shape = image(3, width, channels, nchw);
      shape.dims[0] = 5;
      const OperandInfo output =
          seed % 2 == 0 ? picture_tensor(kTensorFloat32, shape) : picture_tensor(kTensorQuant8Asymm, shape, 0.0157F, 3);
      expect_same_bytes(conversion_of(picture, conversion, output));
      ++seed;
    }
  }
}

}  // namespace
}  // namespace nnvk::vulkan::rig
