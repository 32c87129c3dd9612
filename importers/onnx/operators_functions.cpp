// Element-wise operators that are composed of NNAPI's operations.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/functions.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

using Function = Result<Tensor> (*)(Emitter&, const Tensor&);

// Adds a function of one tensor of real numbers.
template <Function kFunction>
Result<Tensors> add_function(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (!input.is_float()) return fail("NNAPI has no such function of " + describe(input));
  return one(kFunction(call.emitter(), input));
}

Result<Tensor> ceiling(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor negated, unary(emitter, ANEURALNETWORKS_NEG, input));
  TOOLS_ASSIGN(const Tensor low, unary(emitter, ANEURALNETWORKS_FLOOR, negated));
  return unary(emitter, ANEURALNETWORKS_NEG, low);
}

Result<Tensor> reciprocal(Emitter& emitter, const Tensor& input) {
  return binary(emitter, ANEURALNETWORKS_DIV, Emitter::number(1, input), input);
}

Result<Tensor> softsign(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor magnitude, unary(emitter, ANEURALNETWORKS_ABS, input));
  TOOLS_ASSIGN(const Tensor divisor, binary(emitter, ANEURALNETWORKS_ADD, magnitude, 1));
  return binary(emitter, ANEURALNETWORKS_DIV, input, divisor);
}

Result<Tensor> hard_swish(Emitter& emitter, const Tensor& input) { return unary(emitter, ANEURALNETWORKS_HARD_SWISH, input); }

Result<Tensor> mish(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor smooth, softplus(emitter, input));
  TOOLS_ASSIGN(const Tensor gate, unary(emitter, ANEURALNETWORKS_TANH, smooth));
  return binary(emitter, ANEURALNETWORKS_MUL, input, gate);
}

// Emits exp(x) and exp(-x), combined by ADD or SUB and halved.
Result<Tensor> hyperbolic(Emitter& emitter, int32_t code, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor negated, unary(emitter, ANEURALNETWORKS_NEG, input));
  TOOLS_ASSIGN(const Tensor rising, unary(emitter, ANEURALNETWORKS_EXP, input));
  TOOLS_ASSIGN(const Tensor falling, unary(emitter, ANEURALNETWORKS_EXP, negated));
  TOOLS_ASSIGN(const Tensor sum, binary(emitter, code, rising, falling));
  return binary(emitter, ANEURALNETWORKS_MUL, sum, 0.5);
}

Result<Tensor> hyperbolic_cosine(Emitter& emitter, const Tensor& input) {
  return hyperbolic(emitter, ANEURALNETWORKS_ADD, input);
}

// Emits sinh(x). Near 0, where the exponentials cancel, it takes the series: the next term is below 3e-8 of the result.
Result<Tensor> hyperbolic_sine(Emitter& emitter, const Tensor& input) {
  constexpr std::array<double, 5> kSeries{1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880};
  TOOLS_ASSIGN(const Tensor square, binary(emitter, ANEURALNETWORKS_MUL, input, input));
  TOOLS_ASSIGN(const Tensor factor, polynomial(emitter, square, kSeries));
  TOOLS_ASSIGN(const Tensor near, binary(emitter, ANEURALNETWORKS_MUL, factor, input));
  TOOLS_ASSIGN(const Tensor far, hyperbolic(emitter, ANEURALNETWORKS_SUB, input));
  TOOLS_ASSIGN(const Tensor is_near, compare(emitter, ANEURALNETWORKS_LESS, square, 1));
  return select(emitter, is_near, near, far);
}

Result<Tensors> add_sign(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (!input.is_float() && !input.is_int()) return fail("NNAPI has no such function of " + describe(input));
  TOOLS_ASSIGN(const Tensor below, compare(emitter, ANEURALNETWORKS_LESS, input, 0));
  TOOLS_ASSIGN(const Tensor above, compare(emitter, ANEURALNETWORKS_GREATER, input, 0));
  TOOLS_ASSIGN(const Tensor first, select(emitter, above, Emitter::number(1, input), Emitter::number(0, input)));
  return one(select(emitter, below, Emitter::number(-1, input), first));
}

Result<Tensors> add_elu(OperatorCall& call) {
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(call.emitter().operation(ANEURALNETWORKS_ELU, {input, Real{alpha, input.type}}, input.shaped(input.dimensions)));
}

// Adds Celu: alpha * elu(x / alpha).
Result<Tensors> add_celu(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor scaled, binary(emitter, ANEURALNETWORKS_DIV, input, double{alpha}));
  TOOLS_ASSIGN(const Tensor curve,
               emitter.operation(ANEURALNETWORKS_ELU, {scaled, Real{1, input.type}}, input.shaped(input.dimensions)));
  return one(binary(emitter, ANEURALNETWORKS_MUL, curve, double{alpha}));
}

Result<Tensors> add_selu(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1.67326319217681884765625f));
  TOOLS_ASSIGN(const float gamma, call.real("gamma", 1.05070102214813232421875f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor curve,
               emitter.operation(ANEURALNETWORKS_ELU, {input, Real{alpha, input.type}}, input.shaped(input.dimensions)));
  return one(binary(emitter, ANEURALNETWORKS_MUL, curve, double{gamma}));
}

Result<Tensors> add_leaky_relu(OperatorCall& call) {
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 0.01f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (!input.is_float()) return fail("NNAPI has no such function of " + describe(input));
  return one(call.emitter().operation(ANEURALNETWORKS_PRELU, {input, Emitter::number(double{alpha}, input)},
                                      input.shaped(input.dimensions)));
}

Result<Tensors> add_thresholded_relu(OperatorCall& call) {
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor above, compare(call.emitter(), ANEURALNETWORKS_GREATER, input, double{alpha}));
  return one(select(call.emitter(), above, input, Emitter::number(0, input)));
}

Result<Tensors> add_shrink(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float bias, call.real("bias", 0));
  TOOLS_ASSIGN(const float lambda, call.real("lambd", 0.5f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor below, compare(emitter, ANEURALNETWORKS_LESS, input, double{-lambda}));
  TOOLS_ASSIGN(const Tensor above, compare(emitter, ANEURALNETWORKS_GREATER, input, double{lambda}));
  TOOLS_ASSIGN(const Tensor raised, binary(emitter, ANEURALNETWORKS_ADD, input, double{bias}));
  TOOLS_ASSIGN(const Tensor lowered, binary(emitter, ANEURALNETWORKS_SUB, input, double{bias}));
  TOOLS_ASSIGN(const Tensor upper, select(emitter, above, lowered, Emitter::number(0, input)));
  return one(select(emitter, below, raised, upper));
}

Result<Tensors> add_hard_sigmoid(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 0.2f));
  TOOLS_ASSIGN(const float beta, call.real("beta", 0.5f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor scaled, binary(emitter, ANEURALNETWORKS_MUL, input, double{alpha}));
  TOOLS_ASSIGN(const Tensor line, binary(emitter, ANEURALNETWORKS_ADD, scaled, double{beta}));
  TOOLS_ASSIGN(const Tensor low, binary(emitter, ANEURALNETWORKS_MAXIMUM, line, 0));
  return one(binary(emitter, ANEURALNETWORKS_MINIMUM, low, 1));
}

Result<Tensors> add_gelu(OperatorCall& call) {
  TOOLS_ASSIGN(const auto form, call.text("approximate", "none"));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  if (form != "none" && form != "tanh") return fail("the approximation '" + form + "' is unknown");
  return one(gelu(call.emitter(), input, form == "tanh"));
}

Result<Tensors> add_swish(OperatorCall& call) {
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(swish(call.emitter(), input, double{alpha}));
}

Result<Tensors> add_quick_gelu(OperatorCall& call) {
  TOOLS_ASSIGN(const float alpha, call.real("alpha", 1.702f));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(swish(call.emitter(), input, double{alpha}));
}

constexpr OperatorRow kRows[] = {
    {"", "Ceil", add_function<ceiling>},
    {"", "Celu", add_celu, 12},
    {"", "Cos", add_function<cosine>},
    {"", "Cosh", add_function<hyperbolic_cosine>},
    {"", "Elu", add_elu},
    {"", "Erf", add_function<error_function>},
    {"", "Gelu", add_gelu, 20},
    {"", "HardSigmoid", add_hard_sigmoid},
    {"", "HardSwish", add_function<hard_swish>, 14},
    {"", "LeakyRelu", add_leaky_relu},
    {"", "Mish", add_function<mish>, 18},
    {"", "Reciprocal", add_function<reciprocal>},
    {"", "Round", add_function<round_to_even>},
    {"", "Selu", add_selu},
    {"", "Shrink", add_shrink},
    {"", "Sign", add_sign},
    {"", "Sinh", add_function<hyperbolic_sine>},
    {"", "Softplus", add_function<softplus>},
    {"", "Softsign", add_function<softsign>},
    {"", "Swish", add_swish},
    {"", "ThresholdedRelu", add_thresholded_relu},
    {"com.microsoft", "Gelu", add_gelu},
    {"com.microsoft", "QuickGelu", add_quick_gelu},
};

}  // namespace

std::span<const OperatorRow> function_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
