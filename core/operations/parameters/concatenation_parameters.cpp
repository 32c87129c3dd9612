// Decodes the axis of CONCATENATION and PACK; makes the tables that requantize bytes.
#include "core/operations/parameters/concatenation_parameters.h"

#include <algorithm>
#include <cmath>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

JoinedInputs joined_inputs(const OperationView& operation) {
  const size_t count = operation.inputs.size();
  if (operation.code == OperationCode::kPack) return {.first = 1, .end = count, .axis = 0};
  return {.first = 0, .end = count - 1, .axis = count - 1};
}

Result<uint32_t> joined_axis(const OperationView& operation) {
  NNVK_ASSIGN(const int32_t axis, int_parameter(operation, joined_inputs(operation).axis));
  return static_cast<uint32_t>(axis);
}

std::array<uint8_t, 256> requantization_table(const OperandInfo& in, const OperandInfo& out) {
  // Computes signed values as unsigned ones: values and zero points move by 128.
  const int32_t offset = in.type == OperandType::kTensorQuant8AsymmSigned ? 128 : 0;
  const float scale = in.scale * (1.0F / out.scale);
  const float bias = -static_cast<float>(in.zero_point + offset) * scale;
  std::array<uint8_t, 256> table{};
  for (int32_t byte = 0; byte < 256; ++byte) {
    const int32_t value = offset != 0 ? static_cast<int8_t>(byte) + offset : byte;
    const float scaled = static_cast<float>(value) * scale;
    const float steps = std::round(scaled + bias);
    // If the quotient of the scales is infinite, some bytes give NaN: these become the lowest value.
    const float result = std::isnan(steps) ? 0.0F : std::clamp(steps + static_cast<float>(out.zero_point + offset), 0.0F, 255.0F);
    table[static_cast<size_t>(byte)] = static_cast<uint8_t>(static_cast<int32_t>(result) - offset);
  }
  return table;
}

}  // namespace nnvk
