// Composed functions.
#include "importers/onnx/functions.h"

#include <array>
#include <cmath>
#include <numbers>

#include "importers/onnx/arithmetic.h"

namespace nnvk::importers::onnx {
namespace {

Result<Tensor> negative(Emitter& emitter, const Tensor& input) { return unary(emitter, ANEURALNETWORKS_NEG, input); }

}  // namespace

Result<Tensor> polynomial(Emitter& emitter, const Tensor& input, std::span<const double> coefficients) {
  TOOLS_ASSIGN(Tensor result, binary(emitter, ANEURALNETWORKS_MUL, input, coefficients.back()));
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_ADD, result, coefficients[i]));
    if (i == 0) return result;
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_MUL, result, input));
  }
  return result;
}

// Emits erf(x): below 0.927734375 an odd polynomial, above it 1 - exp(p(|x|)), the two minimax forms of N. Juffa's erff().
Result<Tensor> error_function(Emitter& emitter, const Tensor& given) {
  constexpr std::array<double, 6> kNear{1.28379166e-1,  -3.76125336e-1, 1.12819925e-1,
                                        -2.67681349e-2, 4.99119423e-3,  -5.96761703e-4};
  constexpr std::array<double, 7> kFar{-1.28717512e-1, -6.34846687e-1, -1.06777877e-1, 2.42546219e-2,
                                       -3.88396438e-3, 3.83197126e-4,  -1.72853470e-5};
  TOOLS_ASSIGN(const Tensor input, cast(emitter, given, ANEURALNETWORKS_TENSOR_FLOAT32));
  TOOLS_ASSIGN(const Tensor squares, binary(emitter, ANEURALNETWORKS_MUL, input, input));
  TOOLS_ASSIGN(const Tensor near, polynomial(emitter, squares, kNear));
  TOOLS_ASSIGN(const Tensor near_part, binary(emitter, ANEURALNETWORKS_MUL, near, input));
  TOOLS_ASSIGN(const Tensor near_result, binary(emitter, ANEURALNETWORKS_ADD, near_part, input));

  TOOLS_ASSIGN(const Tensor magnitude, unary(emitter, ANEURALNETWORKS_ABS, input));
  TOOLS_ASSIGN(const Tensor limited, binary(emitter, ANEURALNETWORKS_MINIMUM, magnitude, 4));  // erf(4) is 1 in float32
  TOOLS_ASSIGN(const Tensor far, polynomial(emitter, limited, kFar));
  TOOLS_ASSIGN(const Tensor far_part, binary(emitter, ANEURALNETWORKS_MUL, far, limited));
  TOOLS_ASSIGN(const Tensor exponent, binary(emitter, ANEURALNETWORKS_SUB, far_part, limited));
  TOOLS_ASSIGN(const Tensor rest, unary(emitter, ANEURALNETWORKS_EXP, exponent));
  TOOLS_ASSIGN(const Tensor minus_far, binary(emitter, ANEURALNETWORKS_SUB, rest, 1));
  TOOLS_ASSIGN(const Tensor far_size, negative(emitter, minus_far));
  TOOLS_ASSIGN(const Tensor below, compare(emitter, ANEURALNETWORKS_LESS, input, 0));
  TOOLS_ASSIGN(const Tensor far_result, select(emitter, below, minus_far, far_size));
  TOOLS_ASSIGN(const Tensor is_far, compare(emitter, ANEURALNETWORKS_GREATER, magnitude, 0.927734375));
  TOOLS_ASSIGN(const Tensor result, select(emitter, is_far, far_result, near_result));
  return cast(emitter, result, given.type);
}

// Emits log(1 + x). With u = 1 + x rounded, it is x * log(u) / (u - 1), because log(u) / (u - 1) varies slowly; x itself if u is
// 1.
Result<Tensor> log_of_one_plus(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor sum, binary(emitter, ANEURALNETWORKS_ADD, input, 1));
  TOOLS_ASSIGN(const Tensor rounded, binary(emitter, ANEURALNETWORKS_SUB, sum, 1));
  TOOLS_ASSIGN(const Tensor logarithm, unary(emitter, ANEURALNETWORKS_LOG, sum));
  TOOLS_ASSIGN(const Tensor tiny, compare(emitter, ANEURALNETWORKS_EQUAL, rounded, 0));
  TOOLS_ASSIGN(const Tensor divisor, select(emitter, tiny, Emitter::number(1, input), rounded));
  TOOLS_ASSIGN(const Tensor ratio, binary(emitter, ANEURALNETWORKS_DIV, logarithm, divisor));
  TOOLS_ASSIGN(const Tensor product, binary(emitter, ANEURALNETWORKS_MUL, input, ratio));
  return select(emitter, tiny, input, product);
}

Result<Tensor> softplus(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor magnitude, unary(emitter, ANEURALNETWORKS_ABS, input));
  TOOLS_ASSIGN(const Tensor exponent, negative(emitter, magnitude));
  TOOLS_ASSIGN(const Tensor power, unary(emitter, ANEURALNETWORKS_EXP, exponent));
  TOOLS_ASSIGN(const Tensor logarithm, log_of_one_plus(emitter, power));
  TOOLS_ASSIGN(const Tensor positive, binary(emitter, ANEURALNETWORKS_MAXIMUM, input, 0));
  return binary(emitter, ANEURALNETWORKS_ADD, positive, logarithm);
}

Result<Tensor> cosine(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor half, binary(emitter, ANEURALNETWORKS_MUL, input, 0.5));
  TOOLS_ASSIGN(const Tensor sine, unary(emitter, ANEURALNETWORKS_SIN, half));
  TOOLS_ASSIGN(const Tensor square, binary(emitter, ANEURALNETWORKS_MUL, sine, sine));
  TOOLS_ASSIGN(const Tensor twice, binary(emitter, ANEURALNETWORKS_MUL, square, -2));
  return binary(emitter, ANEURALNETWORKS_ADD, twice, 1);
}

Result<Tensor> swish(Emitter& emitter, const Tensor& input, double factor) {
  TOOLS_ASSIGN(const Tensor scaled, factor == 1 ? Result<Tensor>(input) : binary(emitter, ANEURALNETWORKS_MUL, input, factor));
  TOOLS_ASSIGN(const Tensor gate, unary(emitter, ANEURALNETWORKS_LOGISTIC, scaled));
  return binary(emitter, ANEURALNETWORKS_MUL, input, gate);
}

Result<Tensor> gelu(Emitter& emitter, const Tensor& input, bool tanh_form) {
  TOOLS_ASSIGN(const Tensor half, binary(emitter, ANEURALNETWORKS_MUL, input, 0.5));
  Tensor curve;
  if (tanh_form) {
    TOOLS_ASSIGN(const Tensor square, binary(emitter, ANEURALNETWORKS_MUL, input, input));
    const double outer = std::sqrt(2 / std::numbers::pi);
    TOOLS_ASSIGN(const Tensor factor, polynomial(emitter, square, std::array<double, 2>{outer, outer * 0.044715}));
    TOOLS_ASSIGN(const Tensor argument, binary(emitter, ANEURALNETWORKS_MUL, factor, input));
    TOOLS_ASSIGN(curve, unary(emitter, ANEURALNETWORKS_TANH, argument));
  } else {
    TOOLS_ASSIGN(const Tensor argument, binary(emitter, ANEURALNETWORKS_MUL, input, std::numbers::sqrt2 / 2));
    TOOLS_ASSIGN(curve, error_function(emitter, argument));
  }
  TOOLS_ASSIGN(const Tensor shifted, binary(emitter, ANEURALNETWORKS_ADD, curve, 1));
  return binary(emitter, ANEURALNETWORKS_MUL, half, shifted);
}

}  // namespace nnvk::importers::onnx
