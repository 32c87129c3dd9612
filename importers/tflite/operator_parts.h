// Parts that the translations of operators share. Each family of operators has a file with one function per operator and a row
// for it.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "importers/tflite/emitter.h"

namespace nnvk::importers::tflite {

struct Row {
  format::BuiltinOperator code;
  Status (*emit)(Emitter&, const Operator&);
  size_t inputs = 1;       // how many leading inputs are required
  bool one_output = true;  // false: the function checks their number
};

std::span<const Row> arithmetic_operators();
std::span<const Row> comparison_operators();
std::span<const Row> unary_operators();
std::span<const Row> layer_operators();
std::span<const Row> picture_operators();
std::span<const Row> shape_operators();
std::span<const Row> slicing_operators();
std::span<const Row> joining_operators();
std::span<const Row> lookup_operators();
std::span<const Row> reduce_operators();
std::span<const Row> lstm_operators();
std::span<const Row> rnn_operators();
std::span<const Row> control_flow_operators();
// Returns the rows of operators that files identify by name instead of number.
std::span<const Row> custom_operators();

// Returns the operator's options. A file may leave them out if all have their defaults; an error for operators that need them.
template <class Options>
Result<const Options*> options(const Operator& op) {
  const auto* found = std::get_if<Options>(&op.options);
  if (!found) return fail(op.where + ": its options are missing");
  return found;
}

template <class Options>
Options options_or_defaults(const Operator& op) {
  const auto* found = std::get_if<Options>(&op.options);
  return found ? *found : Options{};
}

inline int32_t padding_code(format::Padding padding) {
  return padding == format::Padding_SAME ? ANEURALNETWORKS_PADDING_SAME : ANEURALNETWORKS_PADDING_VALID;
}

// Appends scalars to a list of input operands.
Status append(Emitter& emitter, std::vector<uint32_t>& inputs, std::initializer_list<int32_t> scalars);
Status append_bools(Emitter& emitter, std::vector<uint32_t>& inputs, std::initializer_list<bool> scalars);
// Appends real scalars in the type that accompanies data of `type`: FLOAT16 beside TENSOR_FLOAT16, else FLOAT32.
Status append_reals(Emitter& emitter, std::vector<uint32_t>& inputs, int32_t type, std::initializer_list<float> scalars);

// Adds an operation that writes output 0, with the type and shape that the file declares.
Status emit_to_output(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs);
// Does the same for an operator with a fused activation.
Status emit_activated(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs,
                      const Activated& activated);
// Writes output 0 for operations that only move elements of the first input: as Emitter::emit_same_quantization(), and for BOOL8,
// which NNAPI does not move, through 8-bit numbers.
Status emit_moved(Emitter& emitter, const Operator& op, int32_t code, std::vector<uint32_t> inputs);
// mask_as_numbers() converts a BOOL8 to 8-bit numbers 0 and 1, and numbers_as_mask() converts such numbers back. The results are
// temporaries.
Result<uint32_t> mask_as_numbers(Emitter& emitter, const Operator& op, uint32_t mask);
Result<uint32_t> numbers_as_mask(Emitter& emitter, const Operator& op, uint32_t numbers);
// Writes output 0 for operations whose 8-bit result has a fixed quantization in NNAPI (LOGISTIC, TANH, SOFTMAX,
// L2_NORMALIZATION); with another quantization, it computes them in float.
Status emit_fixed_output(Emitter& emitter, const Operator& op, int32_t code, const std::vector<uint32_t>& inputs);

// Converts `axis` of a tensor of `rank` dimensions to a number that counts from 0.
Result<uint32_t> checked_axis(const Operator& op, int32_t axis, size_t rank);
// Fails if a dimension is only known when the model runs (ImportOptions::open_dimensions), or does not fit in 31 bits.
Status check_closed(const Operator& op, const std::vector<uint32_t>& dimensions);
// Makes a constant of the dimensions, with -1 for an unknown one. Two unknown ones are an error.
Result<uint32_t> shape_constant(Emitter& emitter, const Operator& op, const std::vector<uint32_t>& dimensions);
// Reshapes `operand` to other dimensions.
Result<uint32_t> reshaped(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<uint32_t>& dimensions);
// Writes output `position` as a reshape of `operand`.
Status reshape_to_output(Emitter& emitter, const Operator& op, uint32_t operand, size_t position);
// Repeats `operand`, which is no BOOL8, along all dimensions of size 1 until it has `dimensions`.
Result<uint32_t> broadcast(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<uint32_t>& dimensions);
// Writes output 0: the elements at these positions of `operand`, counted over all its elements, for types whose own operation
// NNAPI does not have. The caller must have taken the positions from the budget.
Status emit_chosen(Emitter& emitter, const Operator& op, uint32_t operand, const std::vector<int32_t>& positions);
// Returns the dimensions without one of them; [1] if none is left.
std::vector<uint32_t> without(std::vector<uint32_t> dimensions, uint32_t axis);
// Returns `count` dimensions: ones in front of the given ones.
std::vector<uint32_t> padded_rank(std::vector<uint32_t> dimensions, size_t count);

inline constexpr size_t kMostPieces = 1024;  // the most pieces that one operator may be split into
// Cuts the operand into slices of size 1 along `axis`.
Result<std::vector<uint32_t>> pieces(Emitter& emitter, const Operator& op, uint32_t operand, uint32_t axis);

}  // namespace nnvk::importers::tflite
