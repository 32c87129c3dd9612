// The tables of 8-bit unary operations stay within one step of the real functions, and reject what the specification rejects.
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/operation_enumerators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace nnvk {
namespace {

OperandInfo quant8(bool is_signed, float scale, int32_t zero_point) {
  OperandInfo info;
  info.type = is_signed ? OperandType::kTensorQuant8AsymmSigned : OperandType::kTensorQuant8Asymm;
  info.scale = scale;
  info.zero_point = zero_point;
  return info;
}

void expect_close_to(OperationCode code, bool is_signed, const OperandInfo& in, const OperandInfo& out,
                     const std::function<double(double)>& f) {
  const auto table = quantized_unary_table(code, in, out);
  ASSERT_TRUE(table) << table.error().message;
  const int lowest = is_signed ? -128 : 0;
  for (int byte = 0; byte < 256; ++byte) {
    const int q = is_signed ? static_cast<int8_t>(byte) : byte;
    const int actual = is_signed ? static_cast<int8_t>((*table)[byte]) : (*table)[byte];
    const double real = f(in.scale * (q - in.zero_point)) / out.scale + out.zero_point;
    EXPECT_NEAR(actual, std::clamp(real, lowest + 0.0, lowest + 255.0), 1.0) << operation_name(code) << " of " << q;
  }
}

TEST(QuantizedUnary, LogisticIsWithinOneStep) {
  const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  for (const float scale : {0.01F, 0.05F, 0.1F, 0.5F, 2.0F}) {
    expect_close_to(OperationCode::kLogistic, false, quant8(false, scale, 120), quant8(false, 1.0F / 256, 0), logistic);
    expect_close_to(OperationCode::kLogistic, true, quant8(true, scale, -5), quant8(true, 1.0F / 256, -128), logistic);
  }
}

TEST(QuantizedUnary, TanhIsWithinOneStep) {
  const auto tanh = [](double x) { return std::tanh(x); };
  for (const float scale : {0.01F, 0.05F, 0.1F, 0.5F, 2.0F}) {
    expect_close_to(OperationCode::kTanh, false, quant8(false, scale, 130), quant8(false, 1.0F / 128, 128), tanh);
    expect_close_to(OperationCode::kTanh, true, quant8(true, scale, 3), quant8(true, 1.0F / 128, 0), tanh);
  }
}

TEST(QuantizedUnary, HardSwishIsWithinOneStep) {
  const auto hard_swish = [](double x) { return x * std::min(6.0, std::max(0.0, x + 3.0)) / 6.0; };
  expect_close_to(OperationCode::kHardSwish, false, quant8(false, 0.05F, 128), quant8(false, 0.05F, 128), hard_swish);
  expect_close_to(OperationCode::kHardSwish, true, quant8(true, 0.03F, 0), quant8(true, 0.04F, -10), hard_swish);
}

TEST(QuantizedUnary, ReluClampsRawValues) {
  const auto relu6 = quantized_unary_table(OperationCode::kRelu6, quant8(false, 0.1F, 100), quant8(false, 0.1F, 100));
  ASSERT_TRUE(relu6);
  EXPECT_EQ((*relu6)[0], 100);
  EXPECT_EQ((*relu6)[130], 130);
  EXPECT_EQ((*relu6)[255], 160);
  const auto relu1 = quantized_unary_table(OperationCode::kRelu1, quant8(true, 0.1F, 0), quant8(true, 0.1F, 0));
  ASSERT_TRUE(relu1);
  EXPECT_EQ(static_cast<int8_t>((*relu1)[0x80]), -10);
  EXPECT_EQ(static_cast<int8_t>((*relu1)[0x7F]), 10);
}

TEST(QuantizedUnary, ScalesOutsideTheFixedPointRangeFail) {
  const auto tiny = quantized_unary_table(OperationCode::kLogistic, quant8(false, 1e-9F, 0), quant8(false, 1.0F / 256, 0));
  ASSERT_FALSE(tiny);
  EXPECT_EQ(tiny.error().code, Code::kOpFailed);
  EXPECT_FALSE(quantized_unary_table(OperationCode::kHardSwish, quant8(false, 1.0F, 0), quant8(false, 1.0F / 1024, 0)));
}

TEST(QuantizedUnary, OtherOperationsAndTypesAreErrors) {
  EXPECT_FALSE(quantized_unary_table(OperationCode::kFloor, quant8(false, 1, 0), quant8(false, 1, 0)));
  EXPECT_FALSE(quantized_unary_table(OperationCode::kRelu, quant8(false, 1, 0), quant8(true, 1, 0)));
}

TEST(QuantizedUnary, ReciprocalRootsOfZeroAndBelowEndAtTheUpperLimit) {
  const auto table = quantized_unary_table(OperationCode::kRsqrt, quant8(false, 0.25F, 10), quant8(false, 0.125F, 3));
  ASSERT_TRUE(table);
  EXPECT_EQ((*table)[26], 7);  // 1 / sqrt(4) is four steps
  EXPECT_EQ((*table)[10], 255);
  EXPECT_EQ((*table)[9], 255);
}

TEST(RequantizedBytes, RoundHalvesAwayFromZeroAfterTheZeroPoint) {
  const ByteTable table = requantized_bytes(quant8(true, 1.0F, 0), quant8(true, 2.0F, 0));
  EXPECT_EQ(static_cast<int8_t>(table[1]), 1);                                           // 0.5
  EXPECT_EQ(static_cast<int8_t>(table[0xFF]), -1);                                       // -0.5
  EXPECT_EQ(static_cast<int8_t>(table[0xFD]), -2);                                       // -1.5
  EXPECT_EQ(requantized_bytes(quant8(false, 1.0F, 1), quant8(false, 2.0F, 10))[0], 10);  // 9.5
}

TEST(RequantizedBytes, SaturateAndKeepEqualQuantizations) {
  const ByteTable far = requantized_bytes(quant8(false, 1e30F, 128), quant8(false, 1e-30F, 7));
  EXPECT_EQ(far[127], 0);
  EXPECT_EQ(far[128], 7);
  EXPECT_EQ(far[129], 255);
  const ByteTable same = requantized_bytes(quant8(true, 0.37F, -5), quant8(true, 0.37F, -5));
  for (size_t byte = 0; byte < same.size(); ++byte) EXPECT_EQ(same[byte], byte);
}

}  // namespace
}  // namespace nnvk
