// Operands, constants and operations.
#include "importers/onnx/emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tools/nnapi/half.h"

namespace nnvk::importers::onnx {
namespace {

std::span<const uint8_t> as_uint8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

// Returns the elements of an integer constant in 32 bits.
Result<std::vector<uint8_t>> narrowed(const Constant& constant) {
  TOOLS_ASSIGN(const auto values, integers_of(constant));
  std::vector<int32_t> narrow(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < std::numeric_limits<int32_t>::min() || values[i] > std::numeric_limits<int32_t>::max()) {
      return fail(fmt::format("the constant {} lies beyond 32 bits, which NNAPI does not have", values[i]));
    }
    narrow[i] = static_cast<int32_t>(values[i]);
  }
  const auto* first = reinterpret_cast<const uint8_t*>(narrow.data());
  return std::vector<uint8_t>(first, first + narrow.size() * sizeof(int32_t));
}

// Checks that the known dimensions of a tensor give an operand that NNAPI can hold.
Status check_size(const Tensor& tensor) {
  uint64_t elements = 1;
  for (const int64_t d : tensor.dimensions) {
    if (d < 0) continue;
    if (d == 0) return fail("a tensor " + describe(tensor) + " has no elements, which NNAPI does not allow");
    if (elements > std::numeric_limits<uint32_t>::max() / static_cast<uint64_t>(d)) {
      return fail("a tensor " + describe(tensor) + " has more than 2^32 elements");
    }
    elements *= static_cast<uint64_t>(d);
  }
  return {};
}

}  // namespace

bool Tensor::fixed() const {
  return std::ranges::none_of(dimensions, [](int64_t d) { return d < 0; });
}

OperandInfo Tensor::info() const {
  OperandInfo result{.type = type, .dimensions = {}, .scale = scale, .zero_point = zero_point};
  const Dimensions& shape = stored ? *stored : dimensions;
  for (const int64_t d : shape) result.dimensions.push_back(d < 0 ? 0 : static_cast<uint32_t>(d));
  if (shape.empty()) result.dimensions = {1};
  return result;
}

Tensor Tensor::shaped(Dimensions shape) const {
  return {.type = type,
          .dimensions = std::move(shape),
          .scale = scale,
          .zero_point = zero_point,
          .stored = {},
          .operand = {},
          .constant = {},
          .order = {}};
}

Tensor Tensor::typed(int32_t other) const {
  Tensor result = shaped(dimensions);
  result.type = other;
  result.scale = is_quant8(other) ? 1.0f : 0.0f;
  result.zero_point = 0;
  return result;
}

Tensor Tensor::as_stored() const {
  if (!stored) return *this;
  Tensor result = *this;
  result.dimensions = *stored;
  result.stored.reset();
  return result;
}

Tensor Tensor::viewed(Dimensions shape) const {
  Tensor result = *this;
  if (!result.stored) result.stored = dimensions;
  result.dimensions = std::move(shape);
  if (*result.stored == result.dimensions) result.stored.reset();
  return result;
}

int32_t nnapi_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat:
      return ANEURALNETWORKS_TENSOR_FLOAT32;
    case ElementType::kFloat16:
      return ANEURALNETWORKS_TENSOR_FLOAT16;
    case ElementType::kInt32:
    case ElementType::kInt64:
      return ANEURALNETWORKS_TENSOR_INT32;
    case ElementType::kBool:
      return ANEURALNETWORKS_TENSOR_BOOL8;
    case ElementType::kUint8:
      return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    case ElementType::kInt8:
      return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    default:
      return kNoType;
  }
}

ElementType element_type(int32_t type) {
  switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return ElementType::kFloat;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return ElementType::kFloat16;
    case ANEURALNETWORKS_TENSOR_BOOL8:
      return ElementType::kBool;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
      return ElementType::kUint8;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      return ElementType::kInt8;
    default:
      return ElementType::kInt32;
  }
}

std::string describe(const Tensor& tensor) {
  const auto type = tensor.constant ? type_name(tensor.constant->type) : tools::operand_type_name(tensor.type);
  return type + " " + shape_text(tensor.dimensions);
}

Tensor Emitter::constant(ConstantPointer constant) {
  Tensor tensor;
  tensor.type = nnapi_type(constant->type);
  tensor.dimensions = constant->dimensions;
  tensor.scale = is_quant8(tensor.type) ? 1.0f : 0.0f;
  tensor.constant = std::move(constant);
  return tensor;
}

Tensor Emitter::number(double value, const Tensor& like) {
  const ElementType type = like.constant ? like.constant->type : element_type(like.type);
  if (is_real(type)) return constant(real_constant(type, {}, {&value, 1}));
  const auto integer = static_cast<int64_t>(value);
  return constant(integer_constant(type, {}, {&integer, 1}));
}

Tensor Emitter::numbers(std::span<const double> values, const Tensor& like) {
  return constant(real_constant(element_type(like.type), {static_cast<int64_t>(values.size())}, values));
}

Tensor Emitter::int32s(std::span<const int64_t> values, Dimensions dimensions) {
  return constant(integer_constant(ElementType::kInt32, std::move(dimensions), values));
}

Result<Tensor> Emitter::zeros(Dimensions dimensions, const Tensor& like) {
  TOOLS_ASSIGN(const size_t elements, checked_count(dimensions));
  const ElementType type = element_type(like.type);
  const size_t bytes = elements * (element_bits(type) / 8);
  TOOLS_TRY(take_bytes(bytes, "zeros, " + shape_text(dimensions) + ","));
  return constant(raw_constant(type, std::move(dimensions), std::vector<std::byte>(bytes)));
}

Result<uint32_t> Emitter::operand(const Tensor& tensor) {
  if (!tensor.constant) {
    if (!tensor.operand) return fail("it reads a tensor that nothing has written");
    if (tensor.stored) return fail("NNAPI's operation takes at most 4 dimensions, but the tensor is " + describe(tensor));
    return *tensor.operand;
  }
  const Constant& constant = *tensor.constant;
  if (tensor.type == kNoType) return fail("a constant has type " + type_name(constant.type) + ", which NNAPI does not have");
  if (constant.elements() == 0) return fail("a constant " + describe(tensor) + " has no elements, which NNAPI does not allow");
  const OperandInfo info = tensor.info();
  const auto [first, last] = constants_.equal_range(&constant);
  for (auto it = first; it != last; ++it) {
    const Added& known = it->second;
    if (known.info.same_quantization(info) && known.info.dimensions == info.dimensions && known.order == tensor.order) {
      return known.operand;
    }
  }
  TOOLS_ASSIGN(const uint32_t added, builder_.add_operand(info));
  if (constant.type == ElementType::kInt64) {
    TOOLS_TRY(take_bytes(info.bytes(), "a constant, " + to_string(info) + ","));
    TOOLS_ASSIGN(auto bytes, narrowed(constant));
    TOOLS_TRY(builder_.set_owned_value(added, std::move(bytes)));
  } else {
    TOOLS_TRY(set_constant(added, tensor, info));
  }
  constants_.emplace(&constant, Added{info, tensor.order, added, tensor.constant});
  return added;
}

Tensor Emitter::repeated(ElementType type, std::byte value, Dimensions dimensions) {
  const size_t count = element_count(dimensions);
  auto& row = repeated_[value];
  if (!row || row->size() < count) row = std::make_shared<const std::vector<std::byte>>(count, value);
  return constant(std::make_shared<const Constant>(Constant{.type = type,
                                                            .dimensions = std::move(dimensions),
                                                            .bytes = std::span(*row).first(count),
                                                            .owner = row,
                                                            .is_uniform = true}));
}

Status Emitter::set_constant(uint32_t operand, const Tensor& tensor, const OperandInfo& info) {
  if (tensor.constant->owner) {
    TOOLS_TRY(take_bytes(info.bytes(), "a constant, " + to_string(info) + ","));
    kept_.push_back(tensor.constant->owner);
  }
  const auto bytes = as_uint8(tensor.constant->bytes);
  return tensor.order.empty() ? builder_.set_value_in_place(operand, bytes)
                              : builder_.set_transposed_value(operand, bytes, tensor.order);
}

Result<Tensor> Emitter::per_channel(const Tensor& tensor, uint32_t channel_dimension, std::span<const float> scales) {
  OperandInfo info = tensor.info();
  info.type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
  info.scale = 0;
  TOOLS_ASSIGN(const uint32_t added, builder_.add_per_channel_operand(info, channel_dimension, scales));
  TOOLS_TRY(set_constant(added, tensor, info));
  Tensor result = tensor.shaped(tensor.dimensions);
  result.type = info.type;
  result.scale = 0;
  result.operand = added;
  return result;
}

Result<Tensor> Emitter::input(Tensor described) {
  TOOLS_TRY(check_size(described));
  TOOLS_ASSIGN(const uint32_t added, builder_.add_operand(described.info()));
  described.operand = added;
  return described;
}

Result<uint32_t> Emitter::argument(const Argument& argument, int32_t first_type) {
  if (const auto* tensor = std::get_if<Tensor>(&argument)) return operand(*tensor);
  if (const auto* integer = std::get_if<int32_t>(&argument)) return builder_.add_int32(*integer);
  if (const auto* flag = std::get_if<bool>(&argument)) return builder_.add_bool(*flag);
  if (const auto* list = std::get_if<std::vector<int32_t>>(&argument)) return builder_.add_int32_tensor(*list);
  if (const auto* real = std::get_if<Real>(&argument)) {
    if (real->tensor_type != ANEURALNETWORKS_TENSOR_FLOAT16) return builder_.add_float32(real->value);
    TOOLS_ASSIGN(const uint32_t half, builder_.add_operand({.type = ANEURALNETWORKS_FLOAT16, .dimensions = {}}));
    const uint16_t bits = tools::float_to_half(real->value);
    TOOLS_TRY(builder_.set_owned_value(half, {static_cast<uint8_t>(bits & 0xff), static_cast<uint8_t>(bits >> 8)}));
    return half;
  }
  return builder_.add_omitted({.type = first_type, .dimensions = {0}});
}

Result<Tensors> Emitter::operations(int32_t code, std::span<const Argument> arguments, Tensors results) {
  TOOLS_TRY(budget_.take_operation());
  const auto* first = arguments.empty() ? nullptr : std::get_if<Tensor>(&arguments[0]);
  std::vector<uint32_t> inputs;
  for (const Argument& each : arguments) {
    TOOLS_ASSIGN(const uint32_t operand, argument(each, first ? first->type : ANEURALNETWORKS_TENSOR_FLOAT32));
    inputs.push_back(operand);
  }
  std::vector<uint32_t> outputs;
  for (Tensor& result : results) {
    TOOLS_TRY(check_size(result));
    const OperandInfo info = result.info();
    TOOLS_TRY(take_bytes(info.bytes(), "a result, " + to_string(info) + ","));
    TOOLS_ASSIGN(result.operand, builder_.add_operand(info));
    outputs.push_back(*result.operand);
  }
  if (const Status added = builder_.add_operation(code, inputs, outputs, where_); !added) {
    const std::string& text = added.error().message;  // begins with the node, which the caller adds to every reason
    return fail(text.starts_with(where_ + ": ") ? text.substr(where_.size() + 2) : text, added.error().code);
  }
  origins_.push_back(where_);
  return results;
}

Result<Tensor> Emitter::operation(int32_t code, std::span<const Argument> arguments, Tensor result) {
  TOOLS_ASSIGN(Tensors results, operations(code, arguments, {std::move(result)}));
  return std::move(results[0]);
}

Result<Tensor> Emitter::operation(int32_t code, std::initializer_list<Argument> arguments, Tensor result) {
  return operation(code, std::span(arguments.begin(), arguments.size()), std::move(result));
}

}  // namespace nnvk::importers::onnx
