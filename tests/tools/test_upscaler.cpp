// The upscaler in models/: its gain over the bicubic filter on every device, the same result for tiles of any size, and the
// networks that accept pictures of another size.
#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "importers/tflite/picture_size.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tools/command/upscaler.h"
#include "tools/image/drawn_picture.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

using test::nnvk;
using test::TemporaryFolder;
using testing::HasSubstr;

const std::string kModels = std::string(NNVK_SOURCE_DIR) + "/models/";

Picture halved(const Picture& picture) { return resized(picture, picture.width / 2, picture.height / 2); }

float largest_difference(const Picture& a, const Picture& b) {
  float largest = 0;
  for (size_t i = 0; i < a.values.size(); ++i) largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  return largest;
}

// Parameter: model file, device.
class ShippedUpscaler : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(ShippedUpscaler, IsOneDecibelAboveTheBicubicFilter) {
  constexpr double kRequiredGain = 1.0;  // dB, as promised by models/README.md
  constexpr uint32_t kPictures = 4;
  const auto [file, device] = GetParam();
  if (const auto found = find_device(device); !found) GTEST_SKIP() << found.error().message;
  auto upscaler = Upscaler::load(kModels + file, device, 80, 60);
  ASSERT_TRUE(upscaler) << upscaler.error().message;
  double gain = 0;
  for (uint32_t i = 0; i < kPictures; ++i) {
    const Picture truth = drawn_picture(160, 120, i);
    const Picture small = halved(truth);
    const auto large = upscaler->upscale(small);
    ASSERT_TRUE(large) << large.error().message;
    gain += psnr(*large, truth) - psnr(resized(small, truth.width, truth.height), truth);
  }
  gain /= kPictures;
  RecordProperty("gain", std::to_string(gain));
  EXPECT_GE(gain, kRequiredGain);
}

TEST_P(ShippedUpscaler, AgreesWithTheReferenceDevice) {
  const auto [file, device] = GetParam();
  if (const auto found = find_device(device); !found) GTEST_SKIP() << found.error().message;
  const Picture small = halved(drawn_picture(94, 70, 11));
  auto on_device = Upscaler::load(kModels + file, device, small.width, small.height);
  ASSERT_TRUE(on_device) << on_device.error().message;
  auto on_reference = Upscaler::load(kModels + file, "nnapi-reference", small.width, small.height);
  ASSERT_TRUE(on_reference) << on_reference.error().message;
  const auto a = on_device->upscale(small);
  const auto b = on_reference->upscale(small);
  ASSERT_TRUE(a && b);
  const bool integers = is_quant8(on_device->loaded().model.outputs[0].info.type);
  EXPECT_LE(largest_difference(*a, *b), integers ? 0.0F : 0.01F);  // of 255
}

INSTANTIATE_TEST_SUITE_P(FloatAndEightBit, ShippedUpscaler,
                         testing::Combine(testing::Values("upscaler_float.tflite", "upscaler_quant.tflite"),
                                          testing::Values("cpu", "vulkan")),
                         [](const auto& info) {
                           const std::string file = std::get<0>(info.param);
                           return file.substr(0, file.find('.')) + "_on_" + std::get<1>(info.param);
                         });

TEST(Upscaler, TilesKeepEveryPixelOnceAndItsNeighbours) {
  constexpr uint32_t kReach = 5;
  for (const uint32_t size : {11U, 12U, 16U, 64U}) {
    for (uint32_t length = 1; length < 200; ++length) {
      const auto found = tiles(length, size, kReach);
      uint32_t kept = 0;
      for (const auto& tile : found) {
        const uint32_t end = tile.first + std::min(size, length);
        ASSERT_EQ(tile.keep_first, kept);
        ASSERT_LT(tile.keep_first, tile.keep_end);
        ASSERT_LE(end, length);
        ASSERT_TRUE(tile.first == 0 || tile.keep_first >= tile.first + kReach) << size << " of " << length;
        ASSERT_TRUE(end == length || tile.keep_end + kReach <= end) << size << " of " << length;
        kept = tile.keep_end;
      }
      ASSERT_EQ(kept, length);
    }
  }
}

TEST(Upscaler, TheSizeOfTilesChangesNothing) {
  const Picture small = halved(drawn_picture(122, 98, 3));
  auto whole = Upscaler::load(kModels + "upscaler_quant.tflite", "cpu", small.width, small.height);
  auto cut = Upscaler::load(kModels + "upscaler_quant.tflite", "cpu", small.width, small.height, 24);
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_TRUE(cut) << cut.error().message;
  const auto a = whole->upscale(small);
  const auto b = cut->upscale(small);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->values, b->values);
}

TEST(Upscaler, RefusesTilesWithoutAMiddleAndNetworksOfOneSize) {
  const auto small_tile = Upscaler::load(kModels + "upscaler_float.tflite", "cpu", 64, 64, 10);
  ASSERT_FALSE(small_tile);
  EXPECT_THAT(small_tile.error().message, HasSubstr("tiles of 10 pixels are too small: results depend on 5 neighbours"));
  const auto digits = Upscaler::load(kModels + "digits_float.tflite", "cpu", 64, 64);
  ASSERT_FALSE(digits);
  EXPECT_THAT(digits.error().message, HasSubstr("depends on the size of pictures"));
}

TEST(Upscaler, PictureSizeChangesEveryTensorInProportion) {
  auto graph = importers::tflite::read_graph_file(kModels + "upscaler_float.tflite");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(importers::tflite::reach(*graph), 5U);
  ASSERT_TRUE(importers::tflite::set_picture_size(*graph, 7, 31));
  const auto model = importers::tflite::import_graph(*graph);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->inputs[0].info.dimensions, (std::vector<uint32_t>{1, 7, 31, 3}));
  EXPECT_EQ(model->outputs[0].info.dimensions, (std::vector<uint32_t>{1, 14, 62, 3}));
  EXPECT_FALSE(importers::tflite::set_picture_size(*graph, 0, 31));
}

TEST(Upscaler, TheCommandWritesAPictureTwiceAsLarge) {
  const TemporaryFolder folder;
  const auto input = folder.file("small.png");
  const auto output = folder.file("large.png");
  const Picture truth = drawn_picture(100, 60, 5);
  ASSERT_TRUE(save_picture(truth, input));
  const auto result = nnvk("upscale " + input + " " + output + " --device cpu --model " + kModels + "upscaler_float.tflite");
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("100x60 to 200x120 on nnvk-cpu"));
  const auto large = load_picture(output, 3);
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_GT(psnr(resized(*large, 100, 60), truth), 25);

  const auto measured = nnvk("upscale " + input + " --measure --device cpu");  // the shipped network
  ASSERT_EQ(measured.code, 0) << measured.text;
  EXPECT_THAT(measured.text, HasSubstr("50x30 to 100x60"));
  EXPECT_THAT(measured.text, HasSubstr("dB, bicubic"));
  const auto json = nnvk("upscale " + input + " --measure --json --device cpu", "2>/dev/null").text;
  const auto document = nlohmann::json::parse(json, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << json;
  EXPECT_EQ(document["to"], (std::vector<int>{100, 60}));
  EXPECT_GT(document["psnr"]["network"].get<double>(), 0);
  EXPECT_EQ(nnvk("upscale " + input + " " + folder.file("missing/large.png") + " --device cpu").code, 1);
  EXPECT_EQ(nnvk("upscale " + input).code, 2);
}

// Compares with the bicubic filter of PIL, against which training measured the networks.
TEST(Pictures, BicubicIsThatOfPil) {
  const Picture row{.width = 6, .height = 1, .channels = 1, .values = {10, 200, 30, 90, 250, 0}};
  EXPECT_EQ(resized(row, 12, 1).values, (std::vector<float>{0, 50, 170, 177, 65, 26, 63, 133, 236, 206, 51, 0}));
  EXPECT_EQ(resized(row, 3, 1).values, (std::vector<float>{95, 100, 123}));
}

TEST(Pictures, PsnrIsOfRoundedValues) {
  const Picture a{.width = 2, .height = 1, .channels = 1, .values = {10, 20}};
  const Picture b{.width = 2, .height = 1, .channels = 1, .values = {10.4F, 25}};
  EXPECT_NEAR(psnr(a, b), 10 * std::log10(255.0 * 255.0 * 2 / 25), 1e-9);
  EXPECT_EQ(psnr(a, a), 200);
}

}  // namespace
}  // namespace nnvk::tools
