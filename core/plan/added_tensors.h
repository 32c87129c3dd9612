// Tensors and nodes that code adds to a plan: rewrites, and nnvk's own small plans. Also the padding of convolutions, which
// consists of constants.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/operations/parameters/window_parameters.h"
#include "core/plan/plan.h"

namespace nnvk {

// Describes a tensor or scalar that is not of an extension and has no channel scales.
OperandInfo operand_info(OperandType type, Shape shape, float scale = 0.0F, int32_t zero_point = 0);
// Adds a tensor that is no constant. Inputs and outputs become the last ones of the plan.
TensorId add_tensor(Plan& plan, OperandInfo info, TensorRole role = TensorRole::kTemporary);
// Adds a tensor or scalar with these bytes, which the plan then owns.
TensorId add_constant(Plan& plan, OperandInfo info, std::vector<std::byte> bytes);
// Adds a TENSOR_INT32 with these values, or an INT32 if the shape is that of a scalar.
TensorId add_int_constant(Plan& plan, Shape shape, std::span<const int32_t> values);

// Adds a node behind all others. Its errors name the operation `source_operation` of the model.
void add_node(Plan& plan, OperationCode code, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
              uint32_t source_operation = 0);

// The inputs of a conversion besides its tensor.
struct ConversionInputs {
  std::span<const int32_t> integers;  // constants
  std::span<const float> reals;
  Shape table = {};  // of a TENSOR_INT32 that executions give; a scalar's shape: there is none
};
// Returns the plan of one operation that turns `from` into `to`.
std::shared_ptr<const Plan> conversion_plan(OperationCode code, const OperandInfo& from, const ConversionInputs& inputs,
                                            const OperandInfo& to);

// A padding in the order of the signature with explicit padding: left, right, top, bottom. Each number is in elements.
using Padding = std::array<int32_t, 4>;

// Gives the convolution `node` of `plan` this padding. `at` holds the operands of its signature, which may be the implicit one.
void set_explicit_padding(Plan& plan, PlanNode& node, const WindowOperands& at, const Padding& padding);

}  // namespace nnvk
