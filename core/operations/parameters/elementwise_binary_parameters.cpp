// Decodes activations and the multipliers of 8-bit arithmetic.
#include "core/operations/parameters/elementwise_binary_parameters.h"

#include <algorithm>
#include <string>

#include "core/base/shortest_text.h"
#include "core/operations/operation_enumerators.h"

namespace nnvk {
namespace {
using namespace elementwise_binary;

// Returns a multiplier of ADD, SUB or MUL, which must lie in (0, 1) and have a non-positive exponent.
Result<FixedPointMultiplier> proper_fraction(double ratio, const char* what) {
  const FixedPointMultiplier multiplier = decompose_multiplier(ratio);
  if (ratio > 0.0 && ratio < 1.0 && multiplier.exponent <= 0) return multiplier;
  return fail(Code::kOpFailed, std::string("the scales give ") + what + " = " + shortest_text(ratio) +
                                   ", which must lie in (0, 1); choose a larger output scale");
}

Status set_multipliers(const OperationView& operation, ElementwiseBinaryParameters& parameters) {
  const float a = operation.input(kFirst).scale;
  const float b = operation.input(kSecond).scale;
  const float out = operation.outputs[kOutput]->scale;
  switch (operation.code) {
    case OperationCode::kAdd:
    case OperationCode::kSub: {
      const double twice_larger = 2.0 * std::max(a, b);
      const double out_ratio = twice_larger / ((1 << kSumGuardBits) * double{out});
      NNVK_ASSIGN(parameters.first, proper_fraction(a / twice_larger, "scale(a) / (2 * max scale)"));
      NNVK_ASSIGN(parameters.second, proper_fraction(b / twice_larger, "scale(b) / (2 * max scale)"));
      NNVK_ASSIGN(parameters.result, proper_fraction(out_ratio, "2 * max scale / (2^20 * output scale)"));
      if (operation.code == OperationCode::kSub) parameters.second.mantissa *= -1;
      return {};
    }
    case OperationCode::kMul: {
      NNVK_ASSIGN(parameters.result, proper_fraction(double{a * b} / out, "scale(a) * scale(b) / output scale"));
      return {};
    }
    default:
      parameters.first = decompose_multiplier(double{a / out});
      parameters.second = decompose_multiplier(double{a * b} / out);
      return {};
  }
}

}  // namespace

Result<ElementwiseBinaryParameters> elementwise_binary_parameters(const OperationView& operation) {
  ElementwiseBinaryParameters parameters;
  if (operation.inputs.size() > kActivation) {
    NNVK_ASSIGN(parameters.activation, activation_parameter(operation, kActivation));
  }
  if (is_quant8_asymm(operation.outputs[kOutput]->type)) NNVK_TRY(set_multipliers(operation, parameters));
  return parameters;
}

}  // namespace nnvk
