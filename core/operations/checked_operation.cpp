// Runs the shape function and compares the shapes that it computes with the outputs.
#include "core/operations/checked_operation.h"

#include <string>
#include <utility>

namespace nnvk {
namespace {

Status require_known_inputs(const OperationView& operation, const OperationDefinition& definition) {
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    const OperandView& input = operation.inputs[i];
    if (!input.present) continue;
    const auto size = input.info->byte_size();
    const std::string name = "input " + std::to_string(i);
    if (!size) return fail(Code::kOpFailed, name + " has shape " + input.info->shape.to_string() + ", whose size is not known");
    if (is_parameter(definition, *input.info, i) && input.value.size() < *size) {
      return fail(Code::kOpFailed, "the value of " + name + " is not known");
    }
  }
  return {};
}

// Returns the final shapes of the outputs, and in `agreed` the result of infer_output_shapes().
Result<std::vector<Shape>> final_shapes(const OperationView& operation, std::vector<Shape>& agreed) {
  NNVK_ASSIGN(agreed, infer_output_shapes(operation));  // fails for unknown operations
  NNVK_TRY(require_known_inputs(operation, *find_operation(operation.code)));
  NNVK_ASSIGN(std::vector<Shape> shapes, bound_output_shapes(operation, agreed));
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].fully_known()) return fail(Code::kOpFailed, "the shape of output " + std::to_string(i) + " cannot be known");
  }
  return shapes;
}

}  // namespace

Result<CheckedOperation> CheckedOperation::check(const OperationView& operation) {
  std::vector<Shape> agreed;
  NNVK_ASSIGN(const std::vector<Shape> shapes, final_shapes(operation, agreed));
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i] == operation.output(i).shape) continue;
    return fail(Code::kOpFailed, "output " + std::to_string(i) + " has shape " + operation.output(i).shape.to_string() +
                                     ", the operation computes " + shapes[i].to_string());
  }
  return CheckedOperation(operation);
}

Result<CheckedOperation> CheckedOperation::settle(const OperationView& operation, std::span<OperandInfo* const> outputs,
                                                  std::vector<Shape>& agreed) {
  NNVK_ASSIGN(std::vector<Shape> shapes, final_shapes(operation, agreed));
  for (size_t i = 0; i < shapes.size(); ++i) outputs[i]->shape = std::move(shapes[i]);
  return CheckedOperation(operation);
}

}  // namespace nnvk
