// Checks shape overrides and lengths of inputs and outputs.
#include "core/runtime/io_rules.h"

#include <algorithm>
#include <string>

namespace nnvk {
namespace {

// Checks that the override repeats each dimension that the model knows; it cannot make a dimension unknown again.
Status check_override(const Shape& model, const Shape& given) {
  if (!model.rank_known) return {};
  const auto fits = [](uint32_t of_model, uint32_t dim) { return of_model == kUnknownDimension || of_model == dim; };
  if (given.rank_known && std::ranges::equal(model.dims, given.dims, fits)) return {};
  return fail(Code::kBadData,
              "the type given is " + given.to_string() + ", which contradicts " + model.to_string() + " of the model");
}

}  // namespace

Result<OperandInfo> apply_type(const OperandInfo& model_operand, const OperandTypeDescription* type, bool must_be_known,
                               const ExtensionRegistry& extensions) {
  OperandInfo info = model_operand;
  if (type != nullptr) {
    NNVK_ASSIGN(const OperandInfo given, make_operand_info(*type, extensions));
    if (must_be_known && !is_fully_specified(given)) {
      return fail(Code::kBadData, "the type given is " + given.shape.to_string() + "; all dimensions of an input must be known");
    }
    if (model_operand.is_tensor()) {
      const Shape shape = type->dimension_count == 0 ? Shape::unknown_rank() : given.shape;
      NNVK_TRY(check_override(model_operand.shape, shape));
      info.shape = shape;
    }
  }
  if (must_be_known && !is_fully_specified(info)) {
    return fail(Code::kBadData,
                "the model leaves the shape open, " + info.shape.to_string() + "; pass a type with all dimensions for an input");
  }
  return info;
}

Status check_length(const OperandInfo& operand, size_t length, bool padding) {
  if (!is_fully_specified(operand) || operand.type == OperandType::kOemScalar) return {};
  const auto size = operand.byte_size();
  const bool fits = size && length >= *size && (length == *size || padding);
  if (fits) return {};
  const std::string name = operand_type_name(operand.type) + " " + operand.shape.to_string();
  // The check of the client's own type does not suffice, because the model's element type may be larger.
  if (!size) return fail(Code::kBadData, name + " has more than 4294967295 bytes");
  const std::string facts = name + " has " + std::to_string(*size) + " bytes, the buffer has " + std::to_string(length);
  if (length < *size) return fail(Code::kBadData, facts);
  return fail(Code::kBadData, facts + "; call ANeuralNetworksExecution_enableInputAndOutputPadding to allow more");
}

}  // namespace nnvk
