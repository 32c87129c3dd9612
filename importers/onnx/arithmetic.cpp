// Element-wise operations, conversions and reductions.
#include "importers/onnx/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "importers/onnx/folding.h"
#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

bool has_activation(int32_t code) {
  return code == ANEURALNETWORKS_ADD || code == ANEURALNETWORKS_SUB || code == ANEURALNETWORKS_MUL || code == ANEURALNETWORKS_DIV;
}

bool is_comparison(int32_t code) {
  return code == ANEURALNETWORKS_EQUAL || code == ANEURALNETWORKS_NOT_EQUAL || code == ANEURALNETWORKS_LESS ||
         code == ANEURALNETWORKS_LESS_EQUAL || code == ANEURALNETWORKS_GREATER || code == ANEURALNETWORKS_GREATER_EQUAL;
}

// Makes both tensors plain integers if they are 8-bit with different quantizations.
Status align(Emitter& emitter, Tensor& a, Tensor& b) {
  if (a.type != b.type)
    return fail(fmt::format("its inputs must have the same type, but are {} and {}", describe(a), describe(b)));
  if (!a.is_8bit() || a.info().same_quantization(b.info())) return {};
  TOOLS_ASSIGN(a, with_quantization(emitter, a, 1, 0));
  TOOLS_ASSIGN(b, with_quantization(emitter, b, 1, 0));
  return {};
}

Result<Tensor> combine(Emitter& emitter, int32_t code, Tensor a, Tensor b, int32_t type);

// Emits such an operation for more than four dimensions: neighbours that broadcast alike become one.
Result<Tensor> combine_merged(Emitter& emitter, int32_t code, const Tensor& a, const Tensor& b, int32_t type) {
  TOOLS_ASSIGN(const Dimensions shape, broadcast(a.dimensions, b.dimensions));
  if (!a.fixed() || !b.fixed())
    return fail("NNAPI computes with at most 4 dimensions, but the tensors are " + describe(a) + " and " + describe(b));
  const auto aligned = [&](const Tensor& tensor) {
    Dimensions longer(shape.size() - tensor.rank(), 1);
    longer.insert(longer.end(), tensor.dimensions.begin(), tensor.dimensions.end());
    return longer;
  };
  const Dimensions long_a = aligned(a);
  const Dimensions long_b = aligned(b);
  Dimensions merged_a, merged_b;
  std::pair<bool, bool> before{false, false};  // which of the two the last dimension repeats
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const std::pair<bool, bool> repeats{long_a[d] == 1, long_b[d] == 1};
    if (!merged_a.empty() && repeats == before) {
      merged_a.back() *= long_a[d];
      merged_b.back() *= long_b[d];
    } else {
      merged_a.push_back(long_a[d]);
      merged_b.push_back(long_b[d]);
    }
    before = repeats;
  }
  if (merged_a.size() > 4)
    return fail("NNAPI computes with at most 4 dimensions, but the tensors are " + describe(a) + " and " + describe(b));
  TOOLS_ASSIGN(const Tensor x, reshape(emitter, a, std::move(merged_a)));
  TOOLS_ASSIGN(const Tensor y, reshape(emitter, b, std::move(merged_b)));
  TOOLS_ASSIGN(const Tensor result, combine(emitter, code, x, y, type));
  return reshape(emitter, result, shape);
}

// Emits an operation of two tensors, whose result has `type`.
Result<Tensor> combine(Emitter& emitter, int32_t code, Tensor a, Tensor b, int32_t type) {
  TOOLS_TRY(align(emitter, a, b));
  TOOLS_ASSIGN(Dimensions shape, broadcast(a.dimensions, b.dimensions));
  if (a.constant && b.constant) {
    if (auto folded = folded_binary(code, *a.constant, *b.constant, shape)) return Emitter::constant(std::move(folded));
  }
  if (a.stored || b.stored) return combine_merged(emitter, code, a, b, type);
  std::vector<Argument> arguments{a, b};
  if (has_activation(code)) arguments.emplace_back(int32_t{ANEURALNETWORKS_FUSED_NONE});
  Tensor result = a.shaped(std::move(shape));
  if (type != a.type) result = result.typed(type);
  return emitter.operation(code, arguments, std::move(result));
}

// Emits arithmetic of plain 8-bit integers, which wraps around: in 32 bits, then reduced to 8.
Result<Tensor> combine_wrapping(Emitter& emitter, int32_t code, const Tensor& a, const Tensor& b) {
  constexpr int32_t kInt = ANEURALNETWORKS_TENSOR_INT32;
  TOOLS_ASSIGN(const Tensor x, cast(emitter, a, kInt));
  TOOLS_ASSIGN(const Tensor y, cast(emitter, b, kInt));
  TOOLS_ASSIGN(const Tensor wide, combine(emitter, code, x, y, kInt));
  const double lowest = a.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED ? -128 : 0;
  TOOLS_ASSIGN(const Tensor shifted, binary(emitter, ANEURALNETWORKS_SUB, wide, lowest));
  TOOLS_ASSIGN(const Tensor turns, binary(emitter, ANEURALNETWORKS_DIV, shifted, 256));  // rounds down
  TOOLS_ASSIGN(const Tensor excess, binary(emitter, ANEURALNETWORKS_MUL, turns, 256));
  TOOLS_ASSIGN(const Tensor result, binary(emitter, ANEURALNETWORKS_SUB, wide, excess));
  return cast(emitter, result, a.type);
}

Result<Tensor> cast_bool(Emitter& emitter, const Tensor& input, int32_t type) {
  const Tensor like = input.typed(type);
  return select(emitter, input, Emitter::number(1, like), Emitter::number(0, like));
}

}  // namespace

Result<Tensor> unary(Emitter& emitter, int32_t code, const Tensor& input) {
  if (input.constant) {
    if (auto folded = folded_unary(code, *input.constant)) return Emitter::constant(std::move(folded));
  }
  const Tensor plain = input.as_stored();
  TOOLS_ASSIGN(const Tensor result, emitter.operation(code, {plain}, plain.shaped(plain.dimensions)));
  return input.stored ? result.viewed(input.dimensions) : result;
}

Result<Tensor> binary(Emitter& emitter, int32_t code, const Tensor& a, const Tensor& b) {
  const bool extremum = code == ANEURALNETWORKS_MAXIMUM || code == ANEURALNETWORKS_MINIMUM;
  if (a.is_8bit() && !extremum && a.type == b.type) return combine_wrapping(emitter, code, a, b);
  return combine(emitter, code, a, b, a.type);
}

Result<Tensor> binary(Emitter& emitter, int32_t code, const Tensor& a, double b) {
  return binary(emitter, code, a, Emitter::number(b, a));
}

Result<Tensor> compare(Emitter& emitter, int32_t code, const Tensor& a, const Tensor& b) {
  if (!is_comparison(code)) return fail("the operation is no comparison");
  return combine(emitter, code, a, b, ANEURALNETWORKS_TENSOR_BOOL8);
}

Result<Tensor> compare(Emitter& emitter, int32_t code, const Tensor& a, double b) {
  return compare(emitter, code, a, Emitter::number(b, a));
}

Result<Tensor> select(Emitter& emitter, const Tensor& mask, const Tensor& first, const Tensor& second) {
  Tensor a = first;
  Tensor b = second;
  TOOLS_TRY(align(emitter, a, b));
  TOOLS_ASSIGN(Dimensions shape, broadcast(mask.dimensions, a.dimensions));
  TOOLS_ASSIGN(shape, broadcast(shape, b.dimensions));
  if (mask.constant && a.constant && b.constant) {
    if (auto folded = folded_select(*mask.constant, *a.constant, *b.constant, shape)) return Emitter::constant(std::move(folded));
  }
  if (a.is_bool()) {  // SELECT has no booleans: (mask and a) or (not mask and b)
    TOOLS_ASSIGN(const Tensor chosen, binary(emitter, ANEURALNETWORKS_LOGICAL_AND, mask, a));
    TOOLS_ASSIGN(const Tensor inverse, unary(emitter, ANEURALNETWORKS_LOGICAL_NOT, mask));
    TOOLS_ASSIGN(const Tensor other, binary(emitter, ANEURALNETWORKS_LOGICAL_AND, inverse, b));
    return binary(emitter, ANEURALNETWORKS_LOGICAL_OR, chosen, other);
  }
  TOOLS_ASSIGN(const Tensor whole_mask, expand(emitter, mask, shape));
  TOOLS_ASSIGN(const Tensor whole_a, expand(emitter, a, shape));
  TOOLS_ASSIGN(const Tensor whole_b, expand(emitter, b, shape));
  return emitter.operation(ANEURALNETWORKS_SELECT, {whole_mask, whole_a, whole_b}, a.shaped(std::move(shape)));
}

Result<Tensor> with_quantization(Emitter& emitter, const Tensor& input, float scale, int32_t zero_point) {
  if (input.scale == scale && input.zero_point == zero_point) return input;
  Tensor result = input;
  result.scale = scale;
  result.zero_point = zero_point;
  if (input.constant) return result;
  result.operand = {};
  return emitter.operation(ANEURALNETWORKS_CAST, {input}, result);  // CAST takes the stored integers as they are
}

Result<Tensor> cast(Emitter& emitter, const Tensor& given, int32_t type) {
  if (given.type == type) return given;
  if (type == kNoType) return fail("NNAPI does not have the type to convert to");
  if (given.constant && given.constant->elements() <= kMostFoldedElements) {
    TOOLS_ASSIGN(auto folded, folded_cast(*given.constant, element_type(type)));
    return Emitter::constant(std::move(folded));
  }
  if (given.stored) {
    TOOLS_ASSIGN(const Tensor result, cast(emitter, given.as_stored(), type));
    return result.viewed(given.dimensions);
  }
  if (given.is_bool()) return cast_bool(emitter, given, type);
  Tensor input = given;
  if (given.is_8bit()) {
    TOOLS_ASSIGN(input, with_quantization(emitter, given, 1, 0));
  }
  if (type == ANEURALNETWORKS_TENSOR_BOOL8) return compare(emitter, ANEURALNETWORKS_NOT_EQUAL, input, 0);
  constexpr int32_t kSigned = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  constexpr int32_t kUnsigned = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  // CAST does not know signed 8-bit integers; the quantization of scale 1 does.
  if (input.type == kSigned) {
    if (type == kUnsigned)
      return fail("NNAPI cannot convert INT8 to UINT8 as ONNX does: ONNX's numbers wrap around, NNAPI's saturate");
    TOOLS_ASSIGN(const Tensor real,
                 emitter.operation(ANEURALNETWORKS_DEQUANTIZE, {input}, input.typed(ANEURALNETWORKS_TENSOR_FLOAT32)));
    return cast(emitter, real, type);
  }
  if (type == kSigned) {
    if (input.type == kUnsigned)
      return fail("NNAPI cannot convert UINT8 to INT8 as ONNX does: ONNX's numbers wrap around, NNAPI's saturate");
    TOOLS_ASSIGN(const Tensor real, cast(emitter, input, ANEURALNETWORKS_TENSOR_FLOAT32));
    TOOLS_ASSIGN(const Tensor whole, input.is_float() ? truncate(emitter, real) : Result<Tensor>(real));
    return emitter.operation(ANEURALNETWORKS_QUANTIZE, {whole}, whole.typed(type));
  }
  return emitter.operation(ANEURALNETWORKS_CAST, {input}, input.typed(type));
}

Result<Tensor> reduce(Emitter& emitter, int32_t code, const Tensor& input, std::span<const int64_t> axes, bool keep) {
  if (axes.empty()) return input;
  Dimensions shape;
  for (size_t d = 0; d < input.rank(); ++d) {
    const bool reduced = std::ranges::find(axes, static_cast<int64_t>(d)) != axes.end();
    if (!reduced || keep) shape.push_back(reduced ? 1 : input.dimensions[d]);
  }
  if (input.constant) {
    if (const auto folded = folded_reduction(code, *input.constant, axes)) {
      return Emitter::constant(with_dimensions(folded, std::move(shape)));
    }
  }
  if (input.rank() > 4)
    return fail(fmt::format("NNAPI reduces at most 4 dimensions, but the tensor {} has rank {}", describe(input), input.rank()));
  const std::vector<int32_t> list(axes.begin(), axes.end());
  Argument keeps = keep;
  if (code == ANEURALNETWORKS_MEAN) keeps = int32_t{keep};
  return emitter.operation(code, {input, list, keeps}, input.shaped(std::move(shape)));
}

Result<Tensor> softmax(Emitter& emitter, int32_t code, const Tensor& input, int64_t axis) {
  if (input.rank() > 4)
    return fail(
        fmt::format("NNAPI has softmax up to 4 dimensions, but the tensor {} has rank {}", describe(input), input.rank()));
  const Real beta{1, input.type};
  return emitter.operation(code, {input, beta, static_cast<int32_t>(axis)}, input.shaped(input.dimensions));
}

Result<Tensor> truncate(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor magnitude, unary(emitter, ANEURALNETWORKS_ABS, input));
  TOOLS_ASSIGN(const Tensor whole, unary(emitter, ANEURALNETWORKS_FLOOR, magnitude));
  TOOLS_ASSIGN(const Tensor negative, unary(emitter, ANEURALNETWORKS_NEG, whole));
  TOOLS_ASSIGN(const Tensor below, compare(emitter, ANEURALNETWORKS_LESS, input, 0));
  return select(emitter, below, negative, whole);
}

Result<Tensor> round_to_even(Emitter& emitter, const Tensor& input) {
  TOOLS_ASSIGN(const Tensor low, unary(emitter, ANEURALNETWORKS_FLOOR, input));
  TOOLS_ASSIGN(const Tensor rest, binary(emitter, ANEURALNETWORKS_SUB, input, low));
  TOOLS_ASSIGN(const Tensor half, binary(emitter, ANEURALNETWORKS_MUL, low, 0.5));
  TOOLS_ASSIGN(const Tensor half_floor, unary(emitter, ANEURALNETWORKS_FLOOR, half));
  TOOLS_ASSIGN(const Tensor odd, compare(emitter, ANEURALNETWORKS_NOT_EQUAL, half, half_floor));
  TOOLS_ASSIGN(const Tensor tie, compare(emitter, ANEURALNETWORKS_EQUAL, rest, 0.5));
  TOOLS_ASSIGN(const Tensor odd_tie, binary(emitter, ANEURALNETWORKS_LOGICAL_AND, odd, tie));
  TOOLS_ASSIGN(const Tensor above, compare(emitter, ANEURALNETWORKS_GREATER, rest, 0.5));
  TOOLS_ASSIGN(const Tensor up, binary(emitter, ANEURALNETWORKS_LOGICAL_OR, above, odd_tie));
  TOOLS_ASSIGN(const Tensor high, binary(emitter, ANEURALNETWORKS_ADD, low, 1));
  return select(emitter, up, high, low);
}

Result<Tensor> integer_quotient(Emitter& emitter, const Tensor& a, const Tensor& b) {
  TOOLS_ASSIGN(const Tensor size_a, unary(emitter, ANEURALNETWORKS_ABS, a));
  TOOLS_ASSIGN(const Tensor size_b, unary(emitter, ANEURALNETWORKS_ABS, b));
  TOOLS_ASSIGN(const Tensor size, binary(emitter, ANEURALNETWORKS_DIV, size_a, size_b));
  TOOLS_ASSIGN(const Tensor negative, unary(emitter, ANEURALNETWORKS_NEG, size));
  TOOLS_ASSIGN(const Tensor a_below, compare(emitter, ANEURALNETWORKS_LESS, a, 0));
  TOOLS_ASSIGN(const Tensor b_below, compare(emitter, ANEURALNETWORKS_LESS, b, 0));
  TOOLS_ASSIGN(const Tensor differ, compare(emitter, ANEURALNETWORKS_NOT_EQUAL, a_below, b_below));
  return select(emitter, differ, negative, size);
}

}  // namespace nnvk::importers::onnx
