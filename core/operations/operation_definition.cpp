// Looks up operations and applies the rules that they share: counts, types, feature levels, required operands, declared shapes.
#include "core/operations/operation_definition.h"

#include <algorithm>
#include <array>

#include "core/operations/families/families.h"
#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/picture_conversion.h"
#include "core/operations/parameters/pixel_conversion.h"
#include "core/operations/parameters/pixel_gathering.h"

namespace nnvk {
namespace {

using OperationTable = std::array<const OperationDefinition*, kOperationCount>;

OperationTable build_table() {
  OperationTable table{};
#define NNVK_ROWS(family) family##_operations(),
  const std::span<const OperationDefinition> families[] = {NNVK_FAMILIES(NNVK_ROWS)};
#undef NNVK_ROWS
  for (const auto& family : families) {
    for (const OperationDefinition& definition : family) table[static_cast<size_t>(definition.code)] = &definition;
  }
  return table;
}

bool count_matches(const OperationDefinition& definition, const Signature& signature, size_t inputs, size_t outputs) {
  if (signature.output_count == 0 ? outputs == 0 : outputs != signature.output_count) return false;
  if (definition.variadic_from < 0) {
    return std::find(signature.input_counts.begin(), signature.input_counts.end(), inputs) != signature.input_counts.end();
  }
  if (signature.type_rules.empty()) return inputs >= static_cast<size_t>(definition.variadic_from);
  return inputs >= signature.type_rules.front().inputs.size();
}

// Returns the entry of the rule that input i of `count` inputs must match (OperationRules::variadic_from).
size_t rule_entry(const OperationDefinition& definition, const TypeRule& rule, size_t i, size_t count) {
  if (definition.variadic_from < 0) return i;
  const auto repeated = static_cast<size_t>(definition.variadic_from);
  const size_t trailing = rule.inputs.size() - repeated - 1;
  if (i < repeated) return i;
  return i + trailing < count ? repeated : rule.inputs.size() - (count - i);
}

bool types_match(const OperationDefinition& definition, const TypeRule& rule, const OperationView& operation) {
  const size_t count = operation.inputs.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = rule_entry(definition, rule, i, count);
    if (entry >= rule.inputs.size() || rule.inputs[entry] != operation.input(i).type) return false;
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const size_t entry = std::min(i, rule.outputs.size() - 1);  // the counts have been compared; the last entry may repeat
    if (rule.outputs[entry] != operation.outputs[i]->type) return false;
  }
  return rule.applies == nullptr || rule.applies(operation);
}

// Returns the feature level that an operand needs on its own: for its type, and for an unknown rank.
int operand_level(const OperandInfo& info) {
  return std::max(operand_type_feature_level(info.type), info.shape.rank_known ? 1 : 3);
}

std::string describe_types(const OperationView& operation) {
  std::string text = "(";
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + operand_type_name(operation.input(i).type);
  }
  text += ") -> (";
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    text += (i == 0 ? "" : ", ") + operand_type_name(operation.outputs[i]->type);
  return text + ")";
}

// Returns the lowest level at which the operands match a signature and a type rule, or the reason why they match none.
Result<int> match_signature(const OperationDefinition& definition, const OperationView& operation) {
  bool any_count = false;
  int level = 0;
  for (const Signature& signature : definition.signatures) {
    if (!count_matches(definition, signature, operation.inputs.size(), operation.outputs.size())) continue;
    any_count = true;
    const int own = std::max(definition.since, signature.since);
    if (signature.type_rules.empty()) return own;
    for (const TypeRule& rule : signature.type_rules) {
      if (!types_match(definition, rule, operation)) continue;
      const int needed = std::max(own, rule.since);
      level = level == 0 ? needed : std::min(level, needed);
    }
  }
  const std::string name = operation_name(definition.code);
  if (!any_count) {
    return fail(Code::kBadData, name + " has no signature with " + std::to_string(operation.inputs.size()) + " inputs and " +
                                    std::to_string(operation.outputs.size()) + " outputs");
  }
  if (level == 0) return fail(Code::kBadData, name + " does not take the operand types " + describe_types(operation));
  return level;
}

bool has_zero_dimension(const Shape& shape) { return std::find(shape.dims.begin(), shape.dims.end(), 0U) != shape.dims.end(); }

// Combines computed with declared shapes. Accepts a computed 0 for any declared non-zero dimension.
Result<Shape> agree_with_declared(const Shape& computed, const OperandInfo& declared, size_t output) {
  const auto contradiction = [&] {
    return fail(Code::kOpFailed, "output " + std::to_string(output) + " has shape " + computed.to_string() +
                                     " but is declared as " + declared.shape.to_string());
  };
  Shape result = computed;
  if (!computed.rank_known) {
    result = declared.shape;
  } else if (declared.shape.rank_known) {
    if (computed.rank() != declared.shape.rank()) return contradiction();
    for (size_t i = 0; i < computed.rank(); ++i) {
      const uint32_t wanted = declared.shape[i];
      if (computed[i] == kUnknownDimension) {
        result.dims[i] = wanted;
      } else if (computed[i] != 0 && wanted != kUnknownDimension && wanted != computed[i]) {
        return contradiction();
      }
    }
  }
  OperandInfo sized = declared;
  sized.shape = result;
  if (result.fully_known() && !sized.byte_size()) {
    return fail(Code::kOpFailed,
                "output " + std::to_string(output) + " of shape " + result.to_string() + " exceeds 2^32-1 bytes");
  }
  return result;
}

}  // namespace

const OperationDefinition* find_operation(OperationCode code) {
  static const OperationTable table = build_table();
  if (code == kPictureToTensor) return &picture_operations().front();
  if (code == kConvertPixels) return &pixels_operations().front();
  if (code == kGatherPixels) return &pixels_operations().back();
  const auto index = static_cast<int32_t>(code);
  return index >= 0 && index < kOperationCount ? table[static_cast<size_t>(index)] : nullptr;
}

Result<int> check_operation(const OperationView& operation) {
  const OperationDefinition* definition = find_operation(operation.code);
  if (definition == nullptr) return fail(Code::kBadData, operation_name(operation.code) + " is not a built-in operation");
  NNVK_ASSIGN(int level, match_signature(*definition, operation));
  if (definition->check != nullptr) {
    if (auto status = definition->check(operation); !status) return fail(status.error().at(operation_name(operation.code)));
  }
  if (definition->level != nullptr) level = std::max(level, definition->level(operation));
  for (const OperandView& input : operation.inputs) level = std::max(level, operand_level(*input.info));
  for (const OperandInfo* output : operation.outputs) level = std::max(level, operand_level(*output));
  return level;
}

Result<std::vector<Shape>> infer_output_shapes(const OperationView& operation) {
  const OperationDefinition* definition = find_operation(operation.code);
  if (definition == nullptr || definition->infer == nullptr) {
    return fail(Code::kBadData, operation_name(operation.code) + " has no shape function");
  }
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    if (!operation.inputs[i].present) {
      if (may_be_omitted(*definition, i)) continue;
      return fail(definition->bad_operand_code, "input " + std::to_string(i) + " is required but omitted");
    }
    if (!definition->accepts_empty_inputs && has_zero_dimension(operation.shape(i))) {
      return fail(definition->bad_operand_code, "input " + std::to_string(i) + " of shape " + operation.shape(i).to_string() +
                                                    " has no elements, which this operation does not accept");
    }
  }
  NNVK_ASSIGN(std::vector<Shape> shapes, definition->infer(operation));
  if (shapes.size() != operation.outputs.size()) {
    return fail(Code::kBadData, std::to_string(operation.outputs.size()) + " outputs are declared, the operation has " +
                                    std::to_string(shapes.size()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    NNVK_ASSIGN(shapes[i], agree_with_declared(shapes[i], *operation.outputs[i], i));
  }
  return shapes;
}

Result<std::vector<Shape>> bound_output_shapes(const OperationView& operation, const std::vector<Shape>& inferred) {
  const OperationDefinition* definition = find_operation(operation.code);
  if (definition == nullptr || definition->bound == nullptr) return inferred;
  return definition->bound(operation);
}

bool has_data_dependent_shapes(OperationCode code) {
  const OperationDefinition* definition = find_operation(code);
  return definition != nullptr && definition->bound != nullptr;
}

bool may_be_omitted(const OperationDefinition& definition, size_t i) { return (definition.optional_inputs & input_bit(i)) != 0; }

bool is_shape_only(const OperationDefinition& definition, size_t i) { return (definition.shape_only_inputs & input_bit(i)) != 0; }

bool is_parameter(const OperationDefinition& definition, const OperandInfo& input, size_t i) {
  return input.is_scalar() || (definition.parameter_tensors & input_bit(i)) != 0;
}

}  // namespace nnvk
