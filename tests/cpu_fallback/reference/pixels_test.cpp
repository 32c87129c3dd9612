// CONVERT_PIXELS against results worked out by hand, and unsupported conversions.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "core/operations/parameters/pixel_conversion.h"
#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Converts two pixels of four channels to three channels in reverse order.
PixelConversion reversed() {
  PixelConversion conversion;
  conversion.pixels = 2;
  conversion.from = {4, false};
  conversion.to = {3, false};
  conversion.source = {2, 1, 0, 0};
  conversion.factor = {1, 1, 1, 1};
  return conversion;
}

template <class T>
Computed<T> convert(const PixelConversion& conversion, const Operand& from, OperandType to, uint32_t elements) {
  const std::vector<int32_t> integers = pixel_integers(conversion);
  const std::vector<float> reals = pixel_reals(conversion);
  OperandInfo info = output_of(to, is_float_tensor(to) ? 0.0F : 1.0F);
  info.shape = {elements};
  return run_outputs(
      kConvertPixels,
      {from, ints({static_cast<uint32_t>(integers.size())}, integers), floats({static_cast<uint32_t>(reals.size())}, reals)},
      {info});
}

const Operand kBytes = quant8({8}, {0, 10, 20, 30, 100, 110, 120, 255}, 1, 0);

TEST(ConvertPixels, EveryChannelComesFromItsSource) {
  PixelConversion conversion = reversed();
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(20, 10, 0, 120, 110, 100));
  conversion.to.is_planar = true;
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(20, 120, 10, 110, 0, 100));
  conversion.to.is_planar = false;
  conversion.from.is_planar = true;
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(100, 20, 0, 110, 30, 10));
  conversion.source[1] = PixelConversion::kNoSource;
  conversion.offset[1] = 7;
  EXPECT_THAT(convert<float>(conversion, kBytes, kTensorFloat32, 6).values, ElementsAre(100, 7, 0, 110, 7, 10));
}

TEST(ConvertPixels, ValuesAreScaledMovedAndRoundedToTheNearest) {
  PixelConversion conversion;
  conversion.pixels = 6;
  conversion.from = {1, false};
  conversion.to = {1, false};
  conversion.factor[0] = 2;
  conversion.offset[0] = 0.5F;
  const Operand values = floats({6}, {-300, -1, 0, 0.25F, 127, std::nanf("")});
  EXPECT_THAT(convert<uint8_t>(conversion, values, kTensorQuant8Asymm, 6).values, ElementsAre(0, 0, 1, 1, 255, 0));
  EXPECT_THAT(convert<int8_t>(conversion, values, kTensorQuant8AsymmSigned, 6).values, ElementsAre(-128, -1, 1, 1, 127, -128));
}

TEST(ConvertPixels, SidesThatDoNotFitAreRefused) {
  const auto refuse = [](const std::function<void(PixelConversion&)>& change, const char* text) {
    PixelConversion conversion = reversed();
    change(conversion);
    const auto computed = convert<float>(conversion, kBytes, kTensorFloat32, 6);
    ASSERT_FALSE(computed.status);
    EXPECT_THAT(computed.status.error().message, HasSubstr(text));
  };
  refuse([](PixelConversion& c) { c.pixels = 3; }, "8 elements");
  refuse([](PixelConversion& c) { c.from.channels = 5; }, "1 to 4 channels");
  refuse([](PixelConversion& c) { c.to.channels = 0; }, "1 to 4 channels");
  refuse(
      [](PixelConversion& c) {
        c.from.channels = 2;
        c.pixels = 4;
      },
      "comes from channel 2");
}

}  // namespace
}  // namespace nnvk::cpu
