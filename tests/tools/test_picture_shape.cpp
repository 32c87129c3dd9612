// Which tensors hold pictures, and which bytes they get.
#include <gtest/gtest.h>

#include "tools/image/picture_shape.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

using Dimensions = std::vector<uint32_t>;

std::string as_text(const Dimensions& dimensions, std::optional<bool> channels_first = std::nullopt) {
  const auto s = picture_shape(dimensions, channels_first);
  if (!s) return "none";
  return std::to_string(s->batch) + " " + std::to_string(s->height) + "x" + std::to_string(s->width) + "x" +
         std::to_string(s->channels) + (s->channels_first ? " first" : "");
}

TEST(PictureShape, GreyAndChannelsFirstAndBatchesAreRecognised) {
  EXPECT_EQ(as_text({1, 224, 320, 3}), "1 224x320x3");
  EXPECT_EQ(as_text({4, 224, 320, 3}), "4 224x320x3");
  EXPECT_EQ(as_text({1, 3, 224, 320}), "1 224x320x3 first");
  EXPECT_EQ(as_text({2, 1, 224, 320}), "2 224x320x1 first");
  EXPECT_EQ(as_text({224, 320, 3}), "1 224x320x3");
  EXPECT_EQ(as_text({3, 224, 320}), "1 224x320x3 first");
  EXPECT_EQ(as_text({1, 28, 30}), "1 28x30x1");
  EXPECT_EQ(as_text({5, 28, 30}), "5 28x30x1");
  EXPECT_EQ(as_text({28, 30}), "1 28x30x1");
  EXPECT_EQ(as_text({1, 28, 30}, true), "1 28x30x1 first");
  EXPECT_EQ(as_text({1, 3, 3, 3}), "1 3x3x3");
  EXPECT_EQ(as_text({1, 3, 3, 3}, true), "1 3x3x3 first");
}

TEST(PictureShape, OtherTensorsAreNone) {
  for (const auto& dimensions : {Dimensions{1, 64}, {}, {10}, {1, 7, 7, 1024}, {1, 0, 28, 3}, {1, 1, 8, 8, 3}}) {
    EXPECT_EQ(as_text(dimensions), "none");
  }
}

TEST(PictureBytes, StandInTheOrderOfTheTensorAndComeBack) {
  const Picture picture{.width = 2, .height = 1, .channels = 3, .values = {0, 10, 20, 30, 40, 50}};
  const OperandInfo info{.dimensions = {1, 3, 1, 2}};
  const auto shape = *picture_shape(info.dimensions, true);
  const std::vector<Normalisation> per_channel{
      {.mean = 0, .deviation = 1}, {.mean = 10, .deviation = 1}, {.mean = 0, .deviation = 10}};
  const auto values_of = [&](std::span<const Normalisation> normalisations, const OperandInfo& tensor) {
    const auto bytes = picture_bytes(picture, shape, tensor, normalisations);
    EXPECT_TRUE(bytes) << bytes.error().message;
    return decode(bytes.value_or(std::vector<uint8_t>(tensor.bytes())), tensor);
  };
  EXPECT_EQ(values_of(per_channel, info), (std::vector<float>{0, 30, 0, 30, 2, 5}));
  const Normalisation one{.mean = 10, .deviation = 2};
  const auto values = values_of(std::span(&one, 1), info);
  EXPECT_EQ(picture_of(values, shape, one).values, picture.values);
  const OperandInfo eight{
      .type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .dimensions = {1, 3, 1, 2}, .scale = 1, .zero_point = 5};
  const auto pixels = values_of({}, eight);
  EXPECT_EQ(pixels[0], -128 - 5);
  EXPECT_EQ(pixels[1], -98 - 5) << "the red of the second pixel";
  const OperandInfo whole{.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {1, 3, 1, 2}};
  EXPECT_EQ(values_of(per_channel, whole), (std::vector<float>{0, 30, 0, 30, 2, 5}));
}

TEST(PictureBytes, OfANormalisationThatDividesByZeroAreAnError) {
  const Picture picture{.width = 1, .height = 1, .channels = 1, .values = {7}};
  const OperandInfo info{.dimensions = {1, 1, 1, 1}};
  const Normalisation none{.mean = 0, .deviation = 0};
  const auto bytes = picture_bytes(picture, *picture_shape(info.dimensions), info, std::span(&none, 1));
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("deviation"), std::string::npos) << bytes.error().message;
}

TEST(NearestPlace, IsTheOneInTheMiddle) {
  EXPECT_EQ(nearest_place(0, 1, 5), 2U);
  EXPECT_EQ(nearest_place(3, 4, 2), 1U);
  EXPECT_EQ(nearest_place(1, 4, 2), 0U);
  EXPECT_EQ(nearest_place(4, 5, 5), 4U);
}

}  // namespace
}  // namespace nnvk::tools
