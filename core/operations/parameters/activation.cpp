// Decodes the activation operand; computes the limits of activations.
#include "core/operations/parameters/activation.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/operations/parameters/scalar_parameters.h"
#include "core/operations/rules/operand_expectations.h"

namespace nnvk {

Result<FusedActivation> activation_parameter(const OperationView& operation, size_t input) {
  NNVK_ASSIGN(const int32_t code, int_parameter(operation, input));
  NNVK_TRY(check_activation(code));
  return static_cast<FusedActivation>(code);
}

ActivationBounds float_activation_bounds(FusedActivation a) {
  switch (a) {
    case FusedActivation::kRelu:
      return {0.0F, FLT_MAX};
    case FusedActivation::kRelu1:
      return {-1.0F, 1.0F};
    case FusedActivation::kRelu6:
      return {0.0F, 6.0F};
    case FusedActivation::kNone:
      break;
  }
  return {-FLT_MAX, FLT_MAX};
}

QuantizedBounds quantized_activation_bounds(FusedActivation a, OperandType type, float scale, int32_t zero_point) {
  const bool is_signed = type != OperandType::kTensorQuant8Asymm;
  const int32_t least = is_signed ? -128 : 0;
  const int32_t greatest = is_signed ? 127 : 255;
  // Rounds the float32 quotient half away from zero, and clamps large results, because the conversion to int could overflow.
  const auto quantize = [&](float real) {
    const float steps = std::round(real / scale);
    return zero_point + static_cast<int32_t>(std::clamp(steps, -1.0e6F, 1.0e6F));
  };
  switch (a) {
    case FusedActivation::kRelu:
      return {std::max(least, zero_point), greatest};
    case FusedActivation::kRelu1:
      return {std::max(least, quantize(-1.0F)), std::min(greatest, quantize(1.0F))};
    case FusedActivation::kRelu6:
      return {std::max(least, zero_point), std::min(greatest, quantize(6.0F))};
    case FusedActivation::kNone:
      break;
  }
  return {least, greatest};
}

}  // namespace nnvk
