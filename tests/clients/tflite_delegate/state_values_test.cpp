// Variable tensors that NNAPI computes as real numbers.
#include "clients/tflite_delegate/state_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnvk::clients::tflite {
namespace {

using importers::tflite::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;
namespace format = importers::tflite::format;

Tensor variable(format::TensorType type, std::vector<float> scales, int64_t zero_point) {
  Tensor tensor;
  tensor.name = "state";
  tensor.type = type;
  tensor.zero_points.assign(scales.size(), zero_point);
  tensor.scales = std::move(scales);
  tensor.variable = true;
  return tensor;
}

template <class Element, size_t kCount>
std::span<const uint8_t> bytes(const std::array<Element, kCount>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), sizeof values};
}

TEST(StateValues, OfIntegersAreDequantized) {
  std::array<float, 3> real{};
  ASSERT_TRUE(read_state(variable(format::TensorType_INT8, {0.5f}, -1), bytes(std::array<int8_t, 3>{-1, 3, -128}), real));
  EXPECT_THAT(real, ElementsAre(0, 2, -63.5f));
  ASSERT_TRUE(read_state(variable(format::TensorType_INT16, {0.25f}, 0), bytes(std::array<int16_t, 3>{4, -8, 32767}), real));
  EXPECT_THAT(real, ElementsAre(1, -2, 8191.75f));
  ASSERT_TRUE(read_state(variable(format::TensorType_UINT8, {1.0f}, 128), bytes(std::array<uint8_t, 3>{128, 0, 255}), real));
  EXPECT_THAT(real, ElementsAre(0, -128, 127));
}

TEST(StateValues, AreRoundedAndClampedWhenTheyAreWritten) {
  std::array<uint8_t, 5> stored{};
  const std::array<float, 5> real{0.74f, 0.76f, 1e9f, -1e9f, std::numeric_limits<float>::quiet_NaN()};
  ASSERT_TRUE(write_state(variable(format::TensorType_INT8, {0.5f}, 1), real, stored));
  const std::array<int8_t, 5> expected{2, 3, 127, -128, 0};
  EXPECT_EQ(std::memcmp(stored.data(), expected.data(), sizeof expected), 0);
}

TEST(StateValues, ThatNnapiCannotHaveAreErrors) {
  std::array<float, 1> real{};
  const std::array<uint8_t, 4> four{};
  EXPECT_THAT(read_state(variable(format::TensorType_INT8, {1, 2}, 0), four, real).error().message, HasSubstr("2 scales"));
  EXPECT_THAT(read_state(variable(format::TensorType_INT32, {1}, 0), four, real).error().message, HasSubstr("INT32"));
  EXPECT_THAT(read_state(variable(format::TensorType_INT8, {1}, 0), four, real).error().message,
              HasSubstr("4 bytes instead of 1"));
}

TEST(StateValues, OfTheSameTypeNeedNoConversion) {
  EXPECT_TRUE(
      is_same_state(variable(format::TensorType_FLOAT32, {}, 0), {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {}}));
  EXPECT_FALSE(
      is_same_state(variable(format::TensorType_INT8, {1}, 0), {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {}}));
  EXPECT_FALSE(
      is_same_state(variable(format::TensorType_INT16, {1}, 0), {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensions = {}}));
  EXPECT_TRUE(is_same_state(variable(format::TensorType_INT8, {1}, 0),
                            {.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .dimensions = {}}));
}

}  // namespace
}  // namespace nnvk::clients::tflite
