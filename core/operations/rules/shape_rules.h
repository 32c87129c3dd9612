// Rules that the shape functions of many operations share: axes, broadcasting, ranks, quantization. Pure. Every function accepts
// unknown dimensions (kUnknownDimension), unknown ranks and hostile numbers.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

inline bool is_known(uint32_t dimension) { return dimension != kUnknownDimension; }

// Returns BOOL scalar i (of layouts: NCHW): false if the signature has no such input, nullopt if its value is unknown.
std::optional<bool> optional_flag(const OperationView& operation, size_t i);

struct LayoutAxes {
  size_t height, width, channels;
};
inline LayoutAxes layout_axes(bool nchw) { return nchw ? LayoutAxes{2, 3, 1} : LayoutAxes{1, 2, 3}; }

inline bool contradict(uint32_t a, uint32_t b) { return is_known(a) && is_known(b) && a != b; }

inline uint32_t either(uint32_t a, uint32_t b) { return is_known(a) ? a : b; }

Shape unknown_dimensions(size_t rank);

// Returns "input 2": messages name operands like this.
std::string input_name(size_t i);

// Returns the shape whose dimensions are the unknown values of a one-dimensional tensor of shape `vector`.
Shape unknown_dimensions_of_length(const Shape& vector);

// Returns the rank of an input; nullopt if the input is omitted or its rank unknown.
std::optional<size_t> known_rank(const OperationView& operation, size_t i);

// Fails with `code` if the rank of input i is known and outside [min, max]. Accepts omitted inputs.
Status check_rank(const OperationView& operation, size_t i, size_t min, size_t max, Code code);

// Returns BAD_DATA if the first input has a known rank above 4. Most operations of feature levels 1 and 2 check this.
Status check_rank4(const OperationView& operation);

// Does the same as check_rank(), for a shape that is not an input; `what` names it ("output 0").
Status check_shape_rank(const Shape& shape, const std::string& what, size_t min, size_t max, Code code);

// Returns true if scale and zero point of two operands are equal, bit for bit; ignores types.
bool same_quantization(const OperandInfo& a, const OperandInfo& b);
// Fails if scale or zero point differ; `what` names both operands in the message ("input 0 and output 0").
Status check_same_quantization(const OperandInfo& a, const OperandInfo& b, const std::string& what, Code code);
// Returns OP_FAILED unless the operand has this scale and zero point.
Status check_quantization(const OperandInfo& operand, float scale, int32_t zero_point, const std::string& what);

// Returns OP_FAILED if 8-bit input `i` and an output of its type differ in scale or zero point: the operation moves stored
// values.
Status check_outputs_keep_quantization(const OperationView& operation, size_t i = 0);

// Returns BAD_DATA if the first output has another rank than the first input or, being 8-bit, another scale or zero point.
Status check_output_repeats_input(const OperationView& operation);

// Returns true if the first input has zero point 0: before level 3, only such inputs had a defined padding value.
bool has_zero_point_0(const OperationView& operation);

// Returns an axis in [-rank, rank) as an index into the dimensions; OP_FAILED for any other axis.
Result<uint32_t> normalize_axis(int32_t axis, size_t rank);

// Returns the shape by NNAPI's broadcasting: it aligns the last dimensions, 1 stretches, 0 pairs with 0 or 1. OP_FAILED if the
// shapes are incompatible. An unknown dimension beside n > 1 or 0 gives n (nothing else fits); beside 1 it stays unknown.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

// Returns the shape of all inputs [first, end), as far as dimensions are known. OP_FAILED if two inputs contradict each other.
Result<Shape> common_shape(const OperationView& operation, size_t first, size_t end);

// Returns a computed dimension as uint32; OP_FAILED if it is negative or above 2^31-1 (NNAPI dimensions fit in int32).
Result<uint32_t> checked_dimension(int64_t value, const std::string& what);

// Returns a * b, below kUnknownDimension, if both are known. If one of them is unknown, the product is unknown, but 0 times an
// unknown dimension is 0.
uint32_t multiply_dimensions(uint32_t a, uint32_t b);

// Serves as the shape function of element-wise operations: the one output has the shape of the first input.
Result<std::vector<Shape>> infer_same_as_input(const OperationView& operation);

// Does the same as infer_same_as_input(), but returns OP_FAILED for more than 4 dimensions.
Result<std::vector<Shape>> infer_same_as_rank4_input(const OperationView& operation);

// Serves as the shape function of operations that broadcast their first two inputs against each other.
Result<std::vector<Shape>> infer_broadcast(const OperationView& operation);

}  // namespace nnvk
