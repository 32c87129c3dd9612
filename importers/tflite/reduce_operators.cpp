// Operators that reduce dimensions to one number each.
#include <fmt/format.h>

#include <array>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// The type of the flag that keeps reduced dimensions. MEAN has it as an integer.
enum class Flag { kInteger, kBool };

template <int32_t kCode, Flag kFlag = Flag::kBool>
Status emit_reduction(Emitter& emitter, const Operator& op) {
  const bool keep = options_or_defaults<ReduceOptions>(op).keep_dims;
  TOOLS_ASSIGN(const uint32_t data, emitter.input(op, 0));
  TOOLS_ASSIGN(const uint32_t axes, emitter.input(op, 1));
  std::vector<uint32_t> inputs{data, axes};
  if constexpr (kFlag == Flag::kInteger) {
    TOOLS_TRY(append(emitter, inputs, {keep ? 1 : 0}));
  } else {
    TOOLS_TRY(append_bools(emitter, inputs, {keep}));
  }
  const int32_t type = emitter.builder().operand(data).type;
  const bool sums = kCode == ANEURALNETWORKS_REDUCE_SUM || kCode == ANEURALNETWORKS_REDUCE_PROD;
  if (type == ANEURALNETWORKS_TENSOR_INT32) return fail(op.where + ": NNAPI cannot reduce integers");
  if (sums && is_quant8(type)) return emitter.emit_in_float(op, kCode, std::move(inputs), 1);  // NNAPI has no 8-bit form
  return emitter.emit_same_quantization(op, kCode, std::move(inputs));
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_MEAN, emit_reduction<ANEURALNETWORKS_MEAN, Flag::kInteger>, 2},
    {format::BuiltinOperator_SUM, emit_reduction<ANEURALNETWORKS_REDUCE_SUM>, 2},
    {format::BuiltinOperator_REDUCE_PROD, emit_reduction<ANEURALNETWORKS_REDUCE_PROD>, 2},
    {format::BuiltinOperator_REDUCE_MAX, emit_reduction<ANEURALNETWORKS_REDUCE_MAX>, 2},
    {format::BuiltinOperator_REDUCE_MIN, emit_reduction<ANEURALNETWORKS_REDUCE_MIN>, 2},
    {format::BuiltinOperator_REDUCE_ANY, emit_reduction<ANEURALNETWORKS_REDUCE_ANY>, 2},
    {format::BuiltinOperator_REDUCE_ALL, emit_reduction<ANEURALNETWORKS_REDUCE_ALL>, 2},
});

}  // namespace

std::span<const Row> reduce_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
