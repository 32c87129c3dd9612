// Values, pictures, predictions, devices by name, profiles: the pure parts of the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/operations/operation_code.h"
#include "core/operations/operation_enumerators.h"
#include "tools/command/loaded_model.h"
#include "tools/command/model_input.h"
#include "tools/command/progress.h"
#include "tools/image/picture.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"
#include "tools/reports/placement.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Half, EveryFiniteHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0) continue;  // not a number
    ASSERT_EQ(float_to_half(half_to_float(static_cast<uint16_t>(bits))), bits);
  }
}

TEST(Half, TiesGoToEven) {
  EXPECT_EQ(float_to_half(1.0f + std::ldexp(1.0f, -11)), 0x3c00);
  EXPECT_EQ(float_to_half(1.0f + 3 * std::ldexp(1.0f, -11)), 0x3c02);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
}

TEST(Names, OperationAndTypeNamesAreInverses) {
  for (int32_t code = 0; code < kOperationCount; ++code) {
    EXPECT_EQ(operation_code(operation_name(code)), code);
  }
  EXPECT_EQ(operand_type_code("SUBGRAPH"), ANEURALNETWORKS_MODEL);
  EXPECT_EQ(operand_type_code("TENSOR_QUANT8_ASYMM_SIGNED"), ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
  EXPECT_FALSE(operation_code("NONSENSE"));
  EXPECT_EQ(feature_level_number(ANEURALNETWORKS_FEATURE_LEVEL_5), 5);
  EXPECT_EQ(feature_level_number(ANEURALNETWORKS_FEATURE_LEVEL_8), 8);
}

TEST(Values, QuantizedValuesRoundAndClamp) {
  const OperandInfo info{.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .dimensions = {4}, .scale = 0.5f, .zero_point = 10};
  const std::vector<float> reals{0.0f, 0.26f, -100.0f, 1000.0f};
  const auto stored = encode(reals, info);
  EXPECT_THAT(stored, ElementsAre(10, 11, 0, 255));
  EXPECT_THAT(decode(stored, info), ElementsAre(0.0f, 0.5f, -5.0f, 122.5f));
}

TEST(Resize, KeepsAConstantPicture) {
  const Picture picture{.width = 7, .height = 5, .channels = 2, .values = std::vector<float>(70, 33.0f)};
  for (const auto& [w, h] : {std::pair{3u, 2u}, {14u, 20u}, {1u, 1u}}) {
    const Picture result = resized(picture, w, h);
    ASSERT_EQ(result.values.size(), size_t{w} * h * 2);
    for (const float v : result.values) EXPECT_EQ(v, 33.0f);
  }
}

TEST(PictureInput, EightBitModelsGetPixelsAndFloatModelsNormalisedOnes) {
  const std::string path = std::string(NNVK_SOURCE_DIR) + "/models/digit_7.png";
  const auto loaded = load_picture(path, 1);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->values.size(), 64u);
  const OperandInfo real{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {1, 8, 8, 1}};
  const auto floats = read_input(path, real, std::nullopt);
  ASSERT_TRUE(floats);
  const auto decoded = decode(*floats, real);
  const OperandInfo eight{.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .dimensions = {1, 8, 8, 1}, .scale = 2.0f / 255};
  const auto stored = read_input(path, eight, std::nullopt);
  ASSERT_TRUE(stored);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(decoded[i], (loaded->values[i] - 127.5f) / 127.5f, 1e-6f);
    EXPECT_EQ(static_cast<int8_t>((*stored)[i]), static_cast<int>(loaded->values[i]) - 128);
  }
}

TEST(PictureInput, AModelWithoutAPictureInputRefusesAPicture) {
  const OperandInfo vector{.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {1, 64}};
  const auto result = read_input(std::string(NNVK_SOURCE_DIR) + "/models/digit_7.png", vector, std::nullopt);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("raw values"));
}

TEST(DeviceChoice, NamesNumbersAndDefaultsAreUnderstood) {
  const std::vector<DeviceEntry> devices{{nullptr, "vulkan-a", "1", ANEURALNETWORKS_DEVICE_GPU, 0},
                                         {nullptr, "vulkan-b", "1", ANEURALNETWORKS_DEVICE_GPU, 0},
                                         {nullptr, "nnapi-reference", "1", ANEURALNETWORKS_DEVICE_CPU, 0}};
  EXPECT_EQ(choose_device(devices, "")->name, "vulkan-a");
  EXPECT_EQ(choose_device(devices, "vulkan")->name, "vulkan-a");
  EXPECT_EQ(choose_device(devices, "vulkan:1")->name, "vulkan-b");
  EXPECT_EQ(choose_device(devices, "vulkan-b")->name, "vulkan-b");
  EXPECT_EQ(choose_device(devices, "cpu")->name, "nnapi-reference");
  EXPECT_EQ(choose_device(std::span(devices).last(1), "")->name, "nnapi-reference");
  for (const auto* wrong : {"vulkan:2", "vulkan:", "vulkan:x", "gpu", "vulkan-c"}) {
    const auto result = choose_device(devices, wrong);
    ASSERT_FALSE(result) << wrong;
    EXPECT_FALSE(result.error().message.empty());
  }
  EXPECT_THAT(choose_device(devices, "gpu").error().message, HasSubstr("vulkan-b"));
}

TEST(Placement, CountsDevicesFoldedOperationsAndCounters) {
  const auto description = nlohmann::json::parse(R"({
    "partitions": [{"device": "g", "counters": {"executions": 3}}, {"device": "c", "counters": {"executions": 1}}],
    "operations": [{"name": "CONV_2D", "device": "g", "removed": false}, {"name": "RELU", "device": null, "removed": true},
                   {"name": "SOFTMAX", "device": "c", "removed": false}]})");
  const auto placement = parse_placement(description);
  EXPECT_EQ(placement.partitions.size(), 2u);
  EXPECT_EQ(placement.counters.at("executions"), 4);
  const auto text = to_text(placement);
  EXPECT_THAT(text, HasSubstr("3 operations: 1 on c, 1 on g, 1 merged into others; 2 partitions"));
}

TEST(Profile, AveragesExecutionsAndComputesSharesOfTheCeiling) {
  Profile profile;
  for (const char* nanoseconds : {"1000", "3000"}) {
    const auto text = std::string(R"({"nodes": [{"operation": 0, "name": "CONV_2D", "kernel": "k", "nanoseconds": )") +
                      nanoseconds + R"(, "bytes": 4000, "multiply_adds": 10000}]})";
    ASSERT_TRUE(profile.add(text));
  }
  const auto nodes = profile.nodes();
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_DOUBLE_EQ(nodes[0].seconds, 2e-6);
  const Ceilings ceilings{.float_operations = 40e9, .integer_operations = 0, .bytes = 4e9};
  // Arithmetic needs 0.5 us, memory 1 us; it took 2 us.
  EXPECT_DOUBLE_EQ(*share_of_ceiling(nodes[0], ceilings), 0.5);
  EXPECT_FALSE(share_of_ceiling(nodes[0], Ceilings{}));
  EXPECT_FALSE(profile.add(R"({"nodes": []})"));
}

TEST(Profile, ComparesDataThatFitIntoACacheWithTheSpeedOfTheCache) {
  const Ceilings ceilings{
      .float_operations = 0, .integer_operations = 0, .bytes = 1e9, .traffic = {{1e3, 100e9}, {1e6, 10e9}, {1e9, 1e9}}};
  EXPECT_EQ(traffic_rate(ceilings, 10), 100e9) << "less than was measured";
  EXPECT_EQ(traffic_rate(ceilings, 999e3), 100e9) << "it may lie in the cache of the next smaller size";
  EXPECT_EQ(traffic_rate(ceilings, 1e6), 10e9);
  EXPECT_EQ(traffic_rate(ceilings, 5e9), 1e9);
  EXPECT_EQ(traffic_rate(Ceilings{.float_operations = 0, .integer_operations = 0, .bytes = 7}, 5), 7);
  const ProfiledNode node{.operation = 3, .name = "ADD", .kernel = "", .seconds = 1e-3, .bytes = 5e6};
  EXPECT_DOUBLE_EQ(*share_of_ceiling(node, ceilings), 0.5);
}

TEST(Profile, WarnsOfSharesThatCannotBeRight) {
  const Ceilings ceilings{.float_operations = 1e9, .integer_operations = 0, .bytes = 0};
  const ProfiledNode right{.operation = 0, .name = "CONV_2D", .kernel = "", .seconds = 1e-3, .multiply_adds = 5e5};
  const ProfiledNode wrong{.operation = 1, .name = "CONV_2D", .kernel = "", .seconds = 1e-3, .multiply_adds = 1e6};
  EXPECT_DOUBLE_EQ(*largest_share({right, wrong}, ceilings), 2);
  EXPECT_FALSE(largest_share({right}, std::nullopt));
  EXPECT_EQ(implausible_shares({right}, ceilings), "") << "exactly all of the ceiling";
  EXPECT_THAT(
      implausible_shares({right, wrong}, ceilings),
      testing::HasSubstr("1 of 2 operations reach more than 100 % of a ceiling, most of all operation 1 (CONV_2D) with 200 %"));
}

TEST(Statistics, MedianOfEvenAndOddCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(ProgressBar, FillsWithItsShare) {
  EXPECT_EQ(progress_bar(0.5, 4), "[##  ]");
  EXPECT_EQ(progress_bar(2.0, 4), "[####]");
}

}  // namespace
}  // namespace nnvk::tools
