// Rules that the shape functions of many operations share: axes, broadcasting, ranks, quantization.
// Pure; every function copes with unknown dimensions (kUnknownDimension), unknown ranks and hostile numbers.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

inline bool is_known(uint32_t dimension) { return dimension != kUnknownDimension; }

// BOOL scalar i (of layouts: NCHW): false when the signature has no such input, nullopt when its value is unknown.
std::optional<bool> optional_flag(const OperationView& operation, size_t i);

// Positions of the dimensions of a four-dimensional tensor.
struct LayoutAxes {
  size_t height, width, channels;
};
inline LayoutAxes layout_axes(bool nchw) { return nchw ? LayoutAxes{2, 3, 1} : LayoutAxes{1, 2, 3}; }

// True when both dimensions are known and differ.
inline bool contradict(uint32_t a, uint32_t b) { return is_known(a) && is_known(b) && a != b; }

// The value of a, or of b while a is unknown.
inline uint32_t either(uint32_t a, uint32_t b) { return is_known(a) ? a : b; }

// A shape of `rank` unknown dimensions.
Shape unknown_dimensions(size_t rank);

// "input 2": how messages name operands.
std::string input_name(size_t i);

// The shape whose dimensions are the values of a one-dimensional tensor of shape `vector`, when those values are unknown.
Shape unknown_dimensions_of_length(const Shape& vector);

// The rank of a present input when it is known; nullopt when omitted or unknown.
std::optional<size_t> known_rank(const OperationView& operation, size_t i);

// Fails with `code` when the rank of input i is known and outside [min, max]. Omitted inputs pass.
Status check_rank(const OperationView& operation, size_t i, size_t min, size_t max, Code code);

// BAD_DATA when the first input has a known rank above 4. Most operations of feature levels 1 and 2 check this.
Status check_rank4(const OperationView& operation);

// The same for a shape that is not an input ("output 0").
Status check_shape_rank(const Shape& shape, const std::string& what, size_t min, size_t max, Code code);

// Whether scale and zero point of two operands are equal, bit for bit; ignores types.
bool same_quantization(const OperandInfo& a, const OperandInfo& b);
// Fails when both are quantized differently; `what` names them in the message ("input 0 and output 0").
Status check_same_quantization(const OperandInfo& a, const OperandInfo& b, const std::string& what, Code code);
// Fails unless the operand has this scale and zero point.
Status check_quantization(const OperandInfo& operand, float scale, int32_t zero_point, const std::string& what, Code code);

// OP_FAILED when an 8-bit input `i` and an output of its type differ in scale or zero point: the operation moves or keeps stored
// values.
Status check_outputs_keep_quantization(const OperationView& operation, size_t i = 0);

// BAD_DATA when the first output has another rank than the first input or, being 8-bit, another scale or zero point.
Status check_output_repeats_input(const OperationView& operation);

// Whether the zero point of the first input is 0: before level 3, the value that padding writes was only defined for such inputs.
bool has_zero_point_0(const OperationView& operation);

// Axis in [-rank, rank) as an index into the dimensions; anything else fails with `code`.
Result<uint32_t> normalize_axis(int32_t axis, size_t rank, Code code);

// NNAPI's broadcasting: aligned at the last dimension, 1 stretches, 0 pairs with 0 or 1. Fails with OP_FAILED when incompatible.
// An unknown dimension next to n > 1 or 0 gives n (nothing else fits); next to 1 it stays unknown.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

// The one shape of all inputs [first, end), as far as dimensions are known. OP_FAILED when two contradict each other.
Result<Shape> common_shape(const OperationView& operation, size_t first, size_t end);

// A computed dimension as uint32: fails with `code` when negative or above 2^31-1 (NNAPI dimensions fit in int32).
Result<uint32_t> checked_dimension(int64_t value, const std::string& what, Code code);

// a * b when both are known (unknown otherwise; 0 wins over unknown); saturates below kUnknownDimension.
uint32_t multiply_dimensions(uint32_t a, uint32_t b);

// A shape function for element-wise operations: one output with the shape of the first input.
Result<std::vector<Shape>> infer_same_as_input(const OperationView& operation);

// The same, with at most 4 dimensions. OP_FAILED for more.
Result<std::vector<Shape>> infer_same_as_rank4_input(const OperationView& operation);

// A shape function for operations that broadcast their first two inputs against each other.
Result<std::vector<Shape>> infer_broadcast(const OperationView& operation);

}  // namespace nnvk
