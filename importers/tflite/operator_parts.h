// Helpers that the translations of operators share, and declarations of translations that have their own files.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "importers/tflite/emitter.h"

namespace nnvk::importers::tflite {

// The operator's options. A file may leave them out if all have their defaults; an error for operators that need them.
template <class Options>
Result<const Options*> options(const Operator& op) {
  const auto* found = op.table->builtin_options_as<Options>();
  if (!found) return fail(op.where + ": its options are missing");
  return found;
}

inline int32_t padding_code(format::Padding padding) {
  return padding == format::Padding_SAME ? ANEURALNETWORKS_PADDING_SAME : ANEURALNETWORKS_PADDING_VALID;
}

// Appends INT32 scalars to a list of input operands.
inline Status append(Emitter& emitter, std::vector<uint32_t>& inputs, std::initializer_list<int32_t> scalars) {
  for (const int32_t value : scalars) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_int32(value));
    inputs.push_back(operand);
  }
  return {};
}

inline Status append_bools(Emitter& emitter, std::vector<uint32_t>& inputs, std::initializer_list<bool> scalars) {
  for (const bool value : scalars) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_bool(value));
    inputs.push_back(operand);
  }
  return {};
}

// Adds an operation that writes output 0, with the type and shape that the file declares.
inline Status emit_to_output(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs) {
  TOOLS_ASSIGN(const uint32_t output, emitter.output(op));
  return emitter.emit(op, code, inputs, std::span(&output, 1));
}

// UNIDIRECTIONAL_SEQUENCE_LSTM, in lstm_operator.cpp.
Status emit_unidirectional_lstm(Emitter& emitter, const Operator& op);

// Operators that become several NNAPI operations; index_operators.cpp translates them.
Status emit_pack(Emitter& emitter, const Operator& op);
Status emit_unpack(Emitter& emitter, const Operator& op);
Status emit_gather_nd(Emitter& emitter, const Operator& op);
Status emit_floor_div(Emitter& emitter, const Operator& op);
// Translates CONCATENATION of integers, which NNAPI has only for real numbers. `axis` counts from 0, as in NNAPI.
Status emit_integer_concatenation(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& inputs, int32_t axis);

// Translates operators that files identify by name instead of number (custom_operators.cpp).
Status emit_custom(Emitter& emitter, const Operator& op);

}  // namespace nnvk::importers::tflite
