// Builds the 256-entry tables of quantized_unary.h. SIG and TNH are names from the specification's numerics.
#include "core/operations/parameters/quantized_unary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/fixed_point.h"
#include "core/base/fixed_point_16.h"
#include "core/base/fixed_point_exponential.h"
#include "core/base/shortest_text.h"
#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/activation.h"

namespace nnvk {
namespace {

constexpr int32_t kMax32 = std::numeric_limits<int32_t>::max();
constexpr int32_t kOneHalfQ0 = 1 << 30;

// Computes SIG of the specification: takes a in Q4.27 and returns the logistic function of a in Q0.31.
int32_t logistic_fixed(int32_t a) {
  if (a == 0) return kOneHalfQ0;
  const int32_t v = saturate32(2 * int64_t{two_over_one_plus(exp_of_negative(negative_magnitude(a), 4))});
  return a > 0 ? v : kMax32 - v;
}

// Computes TNH of the specification: takes a in Q4.27 and returns tanh(a) in Q0.31. exp reads the same bits as Q5.26, which
// doubles the argument.
int32_t tanh_fixed(int32_t a) {
  if (a == 0) return 0;
  const int32_t v = saturate32(4 * (int64_t{two_over_one_plus(exp_of_negative(negative_magnitude(a), 5))} - (1 << 29)));
  return a > 0 ? v : -v;
}

// Evaluates `f` for every byte. `f` maps the value of the input byte to the value of the output byte, in the range of the type.
ByteTable tabulate(bool is_signed, const std::function<int32_t(int32_t)>& f) {
  ByteTable table{};
  for (int i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(f(is_signed ? static_cast<int8_t>(i) : i));
  return table;
}

Result<ByteTable> sigmoid_like_table(OperationCode code, const OperandInfo& input, bool is_signed) {
  const double ratio = double{input.scale} * (1 << 27);
  if (!(ratio > 1.0) || std::isinf(ratio))
    return fail(Code::kOpFailed, "input scale " + shortest_text(input.scale) + " must be above 2^-27");
  const FixedPointMultiplier m = decompose_multiplier(ratio);
  const auto radius = static_cast<int32_t>(std::floor(std::ldexp(15.0 * (1 << 27), -m.exponent)));
  const bool logistic = code == OperationCode::kLogistic;
  return tabulate(is_signed, [&](int32_t q) -> int32_t {
    const int32_t d = q - input.zero_point;
    if (is_signed ? d <= -radius : d < -radius) return is_signed ? -128 : 0;
    if (is_signed ? d >= radius : d > radius) return is_signed ? 127 : 255;
    const int32_t a = multiply_high(wrapping_shift_left(d, m.exponent), m.mantissa);
    // Unsigned results are in units of 1/256 (tanh: 1/128, plus 128); signed results are 128 lower.
    const int32_t unsigned_value =
        logistic ? rounding_shift_right(logistic_fixed(a), 23) : rounding_shift_right(tanh_fixed(a), 24) + 128;
    const int32_t clamped = clamp_int(unsigned_value, 0, 255);
    return is_signed ? clamped - 128 : clamped;
  });
}

int32_t mantissa_16(int32_t mantissa) { return mantissa >= kMax32 - (1 << 15) ? 32767 : (mantissa + (1 << 15)) >> 16; }

Result<ByteTable> hard_swish_table(const OperandInfo& input, const OperandInfo& output, bool is_signed) {
  const float high_resolution_scale = input.scale / 128.0F;
  const FixedPointMultiplier to_output = decompose_multiplier(double{high_resolution_scale / output.scale});
  const FixedPointMultiplier to_relu = decompose_multiplier(double{high_resolution_scale / (3.0F / 32768.0F)});
  if (to_output.exponent > 0) return fail(Code::kOpFailed, "input scale / (128 * output scale) must be below 1");
  const int32_t output_mantissa = mantissa_16(to_output.mantissa);
  const int32_t relu_mantissa = mantissa_16(to_relu.mantissa);
  const int32_t lowest = is_signed ? -128 : 0;
  return tabulate(is_signed, [&](int32_t q) -> int32_t {
    const int32_t a = (q - input.zero_point) * 128;
    const int32_t scaled = multiply_16(a, output_mantissa);
    int32_t relu = a;
    if (to_relu.exponent > 0) relu = shift_left_16(relu, std::min(to_relu.exponent - 1, 31));
    relu = multiply_16(relu, relu_mantissa);
    if (to_relu.exponent > 0) relu = shift_left_16(relu, 1);
    if (to_relu.exponent < 0) relu = rounding_shift_right(relu, -to_relu.exponent);
    relu = (relu + 32768) >> 1;  // [-1, 1] becomes [0, 1]
    const int32_t product = relu == -32768 && scaled == -32768 ? 32767 : relu * scaled / 32768;
    return clamp_int(rounding_shift_right(product, -to_output.exponent) + output.zero_point, lowest, lowest + 255);
  });
}

// Returns the table of 1 / sqrt(x). Zero (whose root is infinite) and negative values (whose root is NaN) give the upper limit.
ByteTable reciprocal_root_table(const OperandInfo& input, const OperandInfo& output, bool is_signed) {
  const float lowest = is_signed ? -128.0F : 0.0F;
  return tabulate(is_signed, [&](int32_t q) -> int32_t {
    const float root = 1.0F / std::sqrt(static_cast<float>(q - input.zero_point) * input.scale);
    const float value = static_cast<float>(output.zero_point) + std::round(root / output.scale);
    const float highest = lowest + 255.0F;
    return static_cast<int32_t>(value < highest ? std::max(value, lowest) : highest);
  });
}

}  // namespace

ByteTable requantized_bytes(const OperandInfo& from, const OperandInfo& to) {
  const bool is_signed = to.type == OperandType::kTensorQuant8AsymmSigned;
  const double lowest = is_signed ? -128.0 : 0.0;
  return tabulate(is_signed, [&](int32_t q) -> int32_t {
    const double real = static_cast<float>(q - from.zero_point) * from.scale;
    const double steps = real / static_cast<double>(to.scale) + to.zero_point;
    if (std::isnan(steps)) return static_cast<int32_t>(lowest);  // an infinite scale
    return static_cast<int32_t>(std::round(std::clamp(steps, lowest, lowest + 255.0)));
  });
}

Result<ByteTable> quantized_unary_table(OperationCode code, const OperandInfo& input, const OperandInfo& output) {
  if (!is_quant8_asymm(input.type) || output.type != input.type) {
    return fail(Code::kBadData, "8-bit tables need one 8-bit asymmetric type, got " + operand_type_name(input.type) + " and " +
                                    operand_type_name(output.type));
  }
  const bool is_signed = input.type == OperandType::kTensorQuant8AsymmSigned;
  const auto clamped = [&](FusedActivation activation) {
    const QuantizedBounds bounds = quantized_activation_bounds(activation, input.type, input.scale, input.zero_point);
    return tabulate(is_signed, [&](int32_t q) { return clamp_int(q, bounds.lo, bounds.hi); });
  };
  switch (code) {
    case OperationCode::kRelu:
      return clamped(FusedActivation::kRelu);
    case OperationCode::kRelu1:
      return clamped(FusedActivation::kRelu1);
    case OperationCode::kRelu6:
      return clamped(FusedActivation::kRelu6);
    case OperationCode::kLogistic:
    case OperationCode::kTanh:
      return sigmoid_like_table(code, input, is_signed);
    case OperationCode::kHardSwish:
      return hard_swish_table(input, output, is_signed);
    case OperationCode::kRsqrt:
      return reciprocal_root_table(input, output, is_signed);
    default:
      return fail(Code::kBadData, "no 8-bit table for operation " + std::to_string(static_cast<int>(code)));
  }
}

}  // namespace nnvk
