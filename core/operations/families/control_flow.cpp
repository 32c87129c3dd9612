// IF and WHILE: operations whose operands are models. Model building checks that the referenced models fit the operands
// (core/model/control_flow_rules.h); this file checks the operation's own operands.
#include "core/operations/control_flow_operands.h"
#include "core/operations/families/row_syntax.h"

namespace nnvk {
namespace {
using namespace row;

Status expect_model(const OperationView& operation, size_t i) {
  if (operation.input(i).type == kModel) return {};
  return fail(Code::kBadData, input_name(i) + " must be a MODEL, but is " + operand_type_name(operation.input(i).type));
}

Status check_if(const OperationView& operation) {
  const OperandInfo& condition = operation.input(if_operation::kCondition);
  if (condition.type != kTensorBool8 || condition.shape != Shape{1}) {
    return fail(Code::kBadData, "the condition must be a TENSOR_BOOL8 of shape [1], but is " + operand_type_name(condition.type) +
                                    " " + condition.shape.to_string());
  }
  NNVK_TRY(expect_model(operation, if_operation::kThenModel));
  return expect_model(operation, if_operation::kElseModel);
}

Status check_while(const OperationView& operation) {
  NNVK_TRY(expect_model(operation, while_operation::kConditionModel));
  NNVK_TRY(expect_model(operation, while_operation::kBodyModel));
  if (operation.inputs.size() > while_operation::kFirstValue) return {};
  return fail(Code::kBadData, "WHILE needs at least one initial value after its two models");
}

// Returns the declared shapes. Result shapes depend on the branch taken or on the number of iterations, so before an execution
// only the declared shapes count.
Shapes infer_from_declaration(const OperationView& operation) {
  return std::vector<Shape>(operation.outputs.size(), Shape::unknown_rank());
}

// Allows any number of inputs and outputs of any types.
constexpr Signature kAnyOperands[] = {{4, {}, 0, {}}};

// The rows accept omitted and empty inputs, because the operations of the referenced models decide whether they accept these.
constexpr auto kRows = rows<Cost::kOther, layout::fixed>({
    {.code = Op::kIf,
     .signatures = kAnyOperands,
     .optional_inputs = ~bits(if_operation::kCondition, if_operation::kThenModel, if_operation::kElseModel),
     .accepts_empty_inputs = true,
     .variadic_from = if_operation::kFirstValue,
     .check = check_if,
     .infer = infer_from_declaration},
    {.code = Op::kWhile,
     .signatures = kAnyOperands,
     .optional_inputs = ~bits(while_operation::kConditionModel, while_operation::kBodyModel),
     .accepts_empty_inputs = true,
     .variadic_from = while_operation::kFirstValue,
     .check = check_while,
     .infer = infer_from_declaration},
});

}  // namespace

std::span<const OperationDefinition> control_flow_operations() { return kRows; }

}  // namespace nnvk
