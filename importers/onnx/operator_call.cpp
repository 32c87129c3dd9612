// Access to a node's inputs and attributes.
#include "importers/onnx/operator_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "importers/onnx/lowering.h"
#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {
namespace {

tl::unexpected<Error> not_constant(std::string_view what) {
  return fail(fmt::format("{} must be constant, but the model computes or receives it", what));
}

template <class T>
Result<T> attribute_value(const Attribute* attribute, T missing, const char* kind) {
  if (!attribute) return missing;
  if (const auto* value = std::get_if<T>(&attribute->value)) return *value;
  return fail(fmt::format("its attribute '{}' must be {}", attribute->name, kind));
}

}  // namespace

Emitter& OperatorCall::emitter() { return lowering_.emitter(); }

Result<Tensor> OperatorCall::input(size_t position) {
  if (!has(position)) return fail(fmt::format("its input {} is missing", position));
  return lowering_.tensor(node_.inputs[position]);
}

Result<Tensors> OperatorCall::inputs() {
  Tensors tensors;
  for (size_t i = 0; i < input_count(); ++i) {
    TOOLS_ASSIGN(Tensor tensor, input(i));
    tensors.push_back(std::move(tensor));
  }
  if (tensors.empty()) return fail("it has no inputs");
  return tensors;
}

Result<ConstantPointer> OperatorCall::constant(size_t position, std::string_view what) {
  TOOLS_ASSIGN(const Tensor tensor, input(position));
  if (tensor.constant) return tensor.constant;
  return not_constant(what);
}

bool OperatorCall::is_constant(size_t position) const {
  return has(position) && lowering_.constant(node_.inputs[position]) != nullptr;
}

Result<std::vector<int64_t>> OperatorCall::integers(size_t position, std::string_view what) {
  TOOLS_ASSIGN(const auto found, constant(position, what));
  return integers_of(*found);
}

Result<std::vector<double>> OperatorCall::reals(size_t position, std::string_view what) {
  TOOLS_ASSIGN(const auto found, constant(position, what));
  return reals_of(*found);
}

ElementType OperatorCall::output_type(size_t output) const {
  return wants(output) ? lowering_.value(node_.outputs[output]).type : ElementType::kUndefined;
}

std::optional<Dimensions> OperatorCall::declared_shape(size_t output) const {
  if (!wants(output)) return std::nullopt;
  const Value& value = lowering_.value(node_.outputs[output]);
  const bool open = std::ranges::any_of(value.dimensions, [](int64_t d) { return d < 1; });
  if (!value.has_rank || open || value.dimensions.size() > kMostDimensions) return std::nullopt;
  return value.dimensions;
}

const Attribute* OperatorCall::attribute(std::string_view name) const {
  for (const Attribute& attribute : node_.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

Result<int64_t> OperatorCall::integer(std::string_view name, int64_t missing) const {
  return attribute_value(attribute(name), missing, "an integer");
}

Result<float> OperatorCall::real(std::string_view name, float missing) const {
  return attribute_value(attribute(name), missing, "a number");
}

Result<std::string> OperatorCall::text(std::string_view name, std::string missing) const {
  return attribute_value(attribute(name), std::move(missing), "a text");
}

Result<std::vector<int64_t>> OperatorCall::integer_list(std::string_view name) const {
  return attribute_value(attribute(name), std::vector<int64_t>{}, "a list of integers");
}

Result<std::vector<float>> OperatorCall::real_list(std::string_view name) const {
  return attribute_value(attribute(name), std::vector<float>{}, "a list of numbers");
}

Result<std::vector<std::string>> OperatorCall::text_list(std::string_view name) const {
  return attribute_value(attribute(name), std::vector<std::string>{}, "a list of texts");
}

Result<std::optional<std::vector<int64_t>>> OperatorCall::list_or_input(std::string_view name, size_t position) const {
  if (attribute(name)) {
    TOOLS_ASSIGN(auto list, integer_list(name));
    return list;
  }
  if (!has(position)) return std::nullopt;
  const auto tensor = lowering_.constant(node_.inputs[position]);
  if (!tensor) return not_constant(name);
  TOOLS_ASSIGN(auto list, integers_of(*tensor));
  return list;
}

Result<int64_t> OperatorCall::axis(int64_t missing, size_t rank, std::string_view name) const {
  TOOLS_ASSIGN(const int64_t given, integer(name, missing));
  return checked_axis(given, rank);
}

std::optional<Quantized> OperatorCall::quantized(size_t position) const {
  if (!has(position)) return std::nullopt;
  const Quantized* found = lowering_.deferred(node_.inputs[position]);
  return found ? std::optional(*found) : std::nullopt;
}

std::optional<Requantization> OperatorCall::requantization() const { return lowering_.requantization_of(node_); }

void OperatorCall::absorb(const Requantization& requantization, Tensor result) {
  lowering_.absorb(requantization, std::move(result));
}

void OperatorCall::defer(Quantized quantized) {
  if (wants(0)) lowering_.defer(node_.outputs[0], std::move(quantized));
}

Status OperatorCall::expect_fixed(const Tensor& tensor, std::string_view why) {
  if (tensor.fixed()) return {};
  return fail(fmt::format("{} needs a known shape, but the tensor is {}", why, describe(tensor)));
}

}  // namespace nnvk::importers::onnx
