// Element-wise operators that NNAPI has: arithmetic with broadcasting, comparisons, logic, conversions.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/deferral.h"
#include "importers/onnx/folding.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"
#include "importers/onnx/quantized_arithmetic.h"

namespace nnvk::importers::onnx {
namespace {

// Returns input 1 of a binary operator as the operand of `first`. Before opset 7, the attributes `broadcast` and `axis` say that
// its dimensions are those of `first` from the axis on.
Result<Tensor> second_operand(OperatorCall& call, const Tensor& first) {
  TOOLS_ASSIGN(const Tensor second, call.input(1));
  if (call.opset() >= 7) return second;
  TOOLS_ASSIGN(const int64_t broadcast, call.integer("broadcast", 0));
  if (broadcast == 0 && second.dimensions != first.dimensions) {
    return fail(fmt::format("before opset 7 it needs the attribute 'broadcast' to combine {} with {}", describe(first),
                            describe(second)));
  }
  if (second.rank() > first.rank()) return fail(fmt::format("it cannot broadcast {} to {}", describe(second), describe(first)));
  if (call.attribute("axis") == nullptr || second.rank() == first.rank()) return second;
  TOOLS_ASSIGN(const int64_t axis, call.axis(0, first.rank()));
  Dimensions placed = second.dimensions;
  if (static_cast<size_t>(axis) + placed.size() > first.rank()) {
    return fail(fmt::format("it cannot place {} at axis {} of {}", describe(second), axis, describe(first)));
  }
  placed.resize(first.rank() - static_cast<size_t>(axis), 1);
  return reshape(call.emitter(), second, std::move(placed));
}

template <int32_t kCode>
Result<Tensors> add_unary(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(unary(call.emitter(), kCode, input));
}

// Adds ADD or MUL, on integers between DequantizeLinear and QuantizeLinear.
template <int32_t kCode>
Result<Tensors> add_arithmetic(OperatorCall& call) {
  const auto a = call.quantized(0);
  const auto b = call.quantized(1);
  const auto target = call.requantization();
  if (a && b && target) {
    TOOLS_ASSIGN(const auto result, quantized_arithmetic(call.emitter(), kCode, *a, *b, *target));
    if (result) {
      call.absorb(*target, *result);
      return Tensors{};
    }
  }
  TOOLS_ASSIGN(const Tensor first, call.input(0));
  TOOLS_ASSIGN(const Tensor second, second_operand(call, first));
  return one(binary(call.emitter(), kCode, first, second));
}

Result<Tensors> add_div(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor a, call.input(0));
  TOOLS_ASSIGN(const Tensor b, second_operand(call, a));
  if (a.is_8bit() && b.type == a.type) {  // quotients of 8-bit integers are exact in 32 bits, and only -128 / -1 wraps around
    TOOLS_ASSIGN(const Tensor x, cast(call.emitter(), a, ANEURALNETWORKS_TENSOR_INT32));
    TOOLS_ASSIGN(const Tensor y, cast(call.emitter(), b, ANEURALNETWORKS_TENSOR_INT32));
    TOOLS_ASSIGN(const Tensor quotient, integer_quotient(call.emitter(), x, y));
    return one(cast(call.emitter(), quotient, a.type));
  }
  if (a.is_int() || (a.constant && is_integer(a.constant->type))) return one(integer_quotient(call.emitter(), a, b));
  return one(binary(call.emitter(), ANEURALNETWORKS_DIV, a, b));
}

// Emits the remainder of integers. With `fmod`, it has the sign of the dividend; otherwise that of the divisor.
Result<Tensor> remainder(Emitter& emitter, const Tensor& a, const Tensor& b, bool fmod) {
  TOOLS_ASSIGN(const Tensor quotient, fmod ? integer_quotient(emitter, a, b) : binary(emitter, ANEURALNETWORKS_DIV, a, b));
  TOOLS_ASSIGN(const Tensor product, binary(emitter, ANEURALNETWORKS_MUL, quotient, b));
  return binary(emitter, ANEURALNETWORKS_SUB, a, product);
}

Result<Tensors> add_mod(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t fmod, call.integer("fmod", 0));
  TOOLS_ASSIGN(Tensor a, call.input(0));
  TOOLS_ASSIGN(Tensor b, call.input(1));
  if (a.is_8bit() && a.type == b.type) {
    const int32_t type = a.type;
    TOOLS_ASSIGN(a, cast(emitter, a, ANEURALNETWORKS_TENSOR_INT32));
    TOOLS_ASSIGN(b, cast(emitter, b, ANEURALNETWORKS_TENSOR_INT32));
    TOOLS_ASSIGN(const Tensor rest, remainder(emitter, a, b, fmod != 0));
    return one(cast(emitter, rest, type));
  }
  if (!a.is_int()) return fail("NNAPI has no exact remainder of " + describe(a));
  return one(remainder(emitter, a, b, fmod != 0));
}

Result<Tensors> add_pow(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor base, call.input(0));
  TOOLS_ASSIGN(Tensor exponent, second_operand(call, base));
  if (exponent.constant && exponent.constant->elements() == 1 && exponent.rank() <= base.rank()) {
    TOOLS_ASSIGN(const auto values, reals_of(*exponent.constant));
    if (values[0] == 1) return Tensors{base};
    if (values[0] == 2 && !base.is_8bit()) return one(binary(emitter, ANEURALNETWORKS_MUL, base, base));
  }
  if (!base.is_float()) return fail("NNAPI has no power of " + describe(base));
  TOOLS_ASSIGN(exponent, cast(emitter, exponent, base.type));
  return one(binary(emitter, ANEURALNETWORKS_POW, base, exponent));
}

template <int32_t kCode>
Result<Tensors> add_variadic(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensors inputs, call.inputs());
  Tensor result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    TOOLS_ASSIGN(result, binary(call.emitter(), kCode, result, inputs[i]));
  }
  return Tensors{result};
}

Result<Tensors> add_mean(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensors sum, add_variadic<ANEURALNETWORKS_ADD>(call));
  return one(binary(call.emitter(), ANEURALNETWORKS_DIV, sum[0], static_cast<double>(call.input_count())));
}

template <int32_t kCode>
Result<Tensors> add_comparison(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor a, call.input(0));
  TOOLS_ASSIGN(const Tensor b, second_operand(call, a));
  return one(compare(call.emitter(), kCode, a, b));
}

Result<Tensors> add_where(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor mask, call.input(0));
  TOOLS_ASSIGN(const Tensor a, call.input(1));
  TOOLS_ASSIGN(const Tensor b, call.input(2));
  if (!mask.is_bool()) return fail("its condition must be of type BOOL, but is " + describe(mask));
  return one(select(call.emitter(), mask, a, b));
}

Result<Tensors> cast_to(OperatorCall& call, const Tensor& input, ElementType type) {
  if (input.constant) {
    TOOLS_TRY(call.emitter().take_bytes(input.constant->elements() * 3 * sizeof(double), "a converted constant"));
    TOOLS_ASSIGN(auto folded, folded_cast(*input.constant, type));
    return Tensors{Emitter::constant(std::move(folded))};
  }
  if (nnapi_type(type) == kNoType) return fail("NNAPI does not have the type " + type_name(type));
  return one(cast(call.emitter(), input, nnapi_type(type)));
}

Result<Tensors> add_cast(OperatorCall& call) {
  TOOLS_ASSIGN(const int64_t to, call.integer("to", 0));
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return cast_to(call, input, static_cast<ElementType>(to));
}

Result<Tensors> add_cast_like(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor like, call.input(1));
  ElementType type = like.constant ? like.constant->type : element_type(like.type);
  if (type == ElementType::kInt32 && call.output_type(0) == ElementType::kInt64) type = ElementType::kInt64;
  return cast_to(call, input, type);
}

Result<Tensors> add_relu(OperatorCall& call) {
  return moved(call, [&](const Tensor& input) {
    if (input.is_int() || input.rank() > 4) return binary(call.emitter(), ANEURALNETWORKS_MAXIMUM, input, 0);
    return unary(call.emitter(), ANEURALNETWORKS_RELU, input);
  });
}

// Returns a bound of Clip: an attribute, or an input since opset 11; nothing if there is none.
Result<std::optional<Tensor>> bound(OperatorCall& call, const char* name, size_t position, const Tensor& like) {
  if (call.opset() < 11) {
    if (!call.attribute(name)) return std::nullopt;
    TOOLS_ASSIGN(const float value, call.real(name, 0));
    return Emitter::number(double{value}, like);
  }
  if (!call.has(position)) return std::nullopt;
  TOOLS_ASSIGN(const Tensor given, call.input(position));
  if (given.fixed() && element_count(given.dimensions) == 1) {
    TOOLS_ASSIGN(const Tensor scalar, reshape(call.emitter(), given, {}));
    return scalar;
  }
  return fail("its bounds must have one element each, but one is " + describe(given));
}

Result<Tensors> add_clip(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const auto low, bound(call, "min", 1, input));
  TOOLS_ASSIGN(const auto high, bound(call, "max", 2, input));
  const auto is = [](const std::optional<Tensor>& tensor, double value) {
    if (!tensor || !tensor->constant) return false;
    const auto values = reals_of(*tensor->constant);
    return values && (*values)[0] == value;
  };
  if (input.is_float() && input.rank() <= 4 && is(low, 0) && is(high, 6))
    return one(unary(emitter, ANEURALNETWORKS_RELU6, input));
  Tensor result = input;
  if (low) {
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_MAXIMUM, result, *low));
  }
  if (high) {
    TOOLS_ASSIGN(result, binary(emitter, ANEURALNETWORKS_MINIMUM, result, *high));
  }
  return Tensors{result};
}

Result<Tensors> add_prelu(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  TOOLS_ASSIGN(const Tensor slope, call.input(1));
  if (!input.is_float()) return fail("NNAPI has no such function of " + describe(input));
  TOOLS_ASSIGN(const Dimensions shape, broadcast(input.dimensions, slope.dimensions));
  if (shape.size() != input.rank())
    return fail("its slope may not have more dimensions than the input, but is " + describe(slope));
  return one(call.emitter().operation(ANEURALNETWORKS_PRELU, {input, slope}, input.shaped(shape)));
}

Result<Tensors> add_is_nan(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(compare(call.emitter(), ANEURALNETWORKS_NOT_EQUAL, input, input));
}

Result<Tensors> add_is_inf(OperatorCall& call) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const int64_t negative, call.integer("detect_negative", 1));
  TOOLS_ASSIGN(const int64_t positive, call.integer("detect_positive", 1));
  TOOLS_ASSIGN(Tensor input, call.input(0));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (negative != 0 && positive != 0) {
    TOOLS_ASSIGN(input, unary(emitter, ANEURALNETWORKS_ABS, input));
  }
  if (negative == 0 && positive == 0) return fail("its attributes 'detect_negative' and 'detect_positive' may not both be 0");
  return one(compare(emitter, ANEURALNETWORKS_EQUAL, input, positive != 0 ? kInfinity : -kInfinity));
}

constexpr OperatorRow kRows[] = {
    {"", "Abs", add_unary<ANEURALNETWORKS_ABS>},
    {"", "Add", add_arithmetic<ANEURALNETWORKS_ADD>},
    {"", "And", add_variadic<ANEURALNETWORKS_LOGICAL_AND>},
    {"", "Cast", add_cast},
    {"", "CastLike", add_cast_like, 15},
    {"", "Clip", add_clip},
    {"", "Div", add_div},
    {"", "Equal", add_comparison<ANEURALNETWORKS_EQUAL>},
    {"", "Exp", add_unary<ANEURALNETWORKS_EXP>},
    {"", "Floor", add_unary<ANEURALNETWORKS_FLOOR>},
    {"", "Greater", add_comparison<ANEURALNETWORKS_GREATER>},
    {"", "GreaterOrEqual", add_comparison<ANEURALNETWORKS_GREATER_EQUAL>},
    {"", "IsInf", add_is_inf},
    {"", "IsNaN", add_is_nan},
    {"", "Less", add_comparison<ANEURALNETWORKS_LESS>},
    {"", "LessOrEqual", add_comparison<ANEURALNETWORKS_LESS_EQUAL>},
    {"", "Log", add_unary<ANEURALNETWORKS_LOG>},
    {"", "Max", add_variadic<ANEURALNETWORKS_MAXIMUM>},
    {"", "Mean", add_mean},
    {"", "Min", add_variadic<ANEURALNETWORKS_MINIMUM>},
    {"", "Mod", add_mod},
    {"", "Mul", add_arithmetic<ANEURALNETWORKS_MUL>},
    {"", "Neg", add_unary<ANEURALNETWORKS_NEG>},
    {"", "Not", add_unary<ANEURALNETWORKS_LOGICAL_NOT>},
    {"", "Or", add_variadic<ANEURALNETWORKS_LOGICAL_OR>},
    {"", "Pow", add_pow},
    {"", "PRelu", add_prelu},
    {"", "Relu", add_relu},
    {"", "Sigmoid", add_unary<ANEURALNETWORKS_LOGISTIC>},
    {"", "Sin", add_unary<ANEURALNETWORKS_SIN>},
    {"", "Sqrt", add_unary<ANEURALNETWORKS_SQRT>},
    {"", "Sub", add_arithmetic<ANEURALNETWORKS_SUB>},
    {"", "Sum", add_variadic<ANEURALNETWORKS_ADD>},
    {"", "Tanh", add_unary<ANEURALNETWORKS_TANH>},
    {"", R"(Where)", add_where},
    {"", "Xor", add_comparison<ANEURALNETWORKS_NOT_EQUAL>},
};

}  // namespace

std::span<const OperatorRow> elementwise_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
