// The proof that an operation's shapes were checked; every device makes kernels only from it. Shapes that a model declares are
// claims until the shape function has accepted them together with everything else that is known.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// An operation whose present inputs have sizes, and whose parameters have values. Its outputs have the shapes that the shape
// function computes from these (upper bounds if sizes depend on data). Points to the operands like any OperationView.
class CheckedOperation : public OperationView {
 public:
  // Accepts an operation whose outputs already have their final shapes. Returns the errors of infer_output_shapes(), and
  // OP_FAILED if a size or a parameter is unknown or an output has another shape.
  static Result<CheckedOperation> check(const OperationView& operation);
  // Gives the outputs their final shapes, then accepts the operation. `outputs` are the infos that operation.outputs point to.
  // `agreed` receives the result of infer_output_shapes(), with which a size that depends on data must agree.
  static Result<CheckedOperation> settle(const OperationView& operation, std::span<OperandInfo* const> outputs,
                                         std::vector<Shape>& agreed);
  // Accepts an operation on other tensors (floats instead of halves, a part of a filter) by which a kernel computes `whole`. That
  // kernel guarantees that the sizes of these tensors follow from those of `whole`.
  static CheckedOperation derived(const CheckedOperation& /*whole*/, const OperationView& operation) {
    return CheckedOperation(operation);
  }

 private:
  explicit CheckedOperation(const OperationView& operation) : OperationView(operation) {}
};

}  // namespace nnvk
