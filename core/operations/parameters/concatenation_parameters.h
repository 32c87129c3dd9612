// The operands of CONCATENATION and PACK, which take any number of tensors, and the requantization of bytes that they copy.
#pragma once

#include <array>

#include "core/operations/operation_definition.h"

namespace nnvk {

namespace concatenation {
enum Output : size_t { kOutput };
}  // namespace concatenation

// The input numbers of the operands: CONCATENATION has its axis behind the tensors, PACK in front of them.
struct JoinedInputs {
  size_t first = 0;  // the tensors are inputs [first, end)
  size_t end = 0;
  size_t axis = 0;
};
JoinedInputs joined_inputs(const OperationView& operation);

// Returns the output's axis along which the operation joins its tensors; infer() must have accepted it. OP_FAILED while unknown.
Result<uint32_t> joined_axis(const OperationView& operation);

// Returns the output byte of each input byte, for a CONCATENATION of an 8-bit input whose scale or zero point differs from the
// output's. The rule is in the numerics of CONCATENATION (float32; multiply and add apart; half away from zero). Scales > 0.
std::array<uint8_t, 256> requantization_table(const OperandInfo& in, const OperandInfo& out);

}  // namespace nnvk
