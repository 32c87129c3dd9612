// The operands of SLICE, STRIDED_SLICE, PAD, PAD_V2 and MIRROR_PAD, and their meaning for each dimension.
#pragma once

#include "core/operations/operation_definition.h"

namespace nnvk {

// Common to all operations of the family.
namespace slicing_padding {
enum Input : size_t { kInput };
enum Output : size_t { kOutput };
}  // namespace slicing_padding

namespace slice {
enum Input : size_t { kInput, kBegin, kSize };
}  // namespace slice

namespace strided_slice {
enum Input : size_t { kInput, kBegin, kEnd, kStrides, kBeginMask, kEndMask, kShrinkMask };
}  // namespace strided_slice

// PAD has no `kValue`.
namespace pad {
enum Input : size_t { kInput, kPaddings, kValue };
}  // namespace pad

namespace mirror_pad {
enum Input : size_t { kInput, kPaddings = pad::kPaddings, kMode };
}  // namespace mirror_pad

// The `length` elements that a slice takes from one dimension of the input: begin, begin + stride, ...
struct SliceAxis {
  int64_t begin = 0;
  int64_t stride = 1;
  uint32_t length = 0;
  bool shrunk = false;  // the dimension (length 1) does not appear in the output
};

// Returns one dimension of STRIDED_SLICE of known size n > 0. `begin` and `end` are nullopt if masked; `stride` is not 0.
SliceAxis strided_slice_axis(uint32_t n, std::optional<int32_t> begin, std::optional<int32_t> end, int32_t stride);

// Returns all input dimensions of a SLICE or STRIDED_SLICE with known shape and parameters. OP_FAILED names the bad parameter.
Result<std::vector<SliceAxis>> slice_axes(const OperationView& operation);

// Elements added before and after one dimension.
struct PaddingPair {
  uint32_t before = 0;
  uint32_t after = 0;
};

// Returns the value of a [dimensions, 2] paddings tensor. OP_FAILED if a padding is negative or the number of paddings is wrong.
Result<std::vector<PaddingPair>> padding_list(const OperationView& operation, size_t input, size_t dimensions);
// Returns the paddings of a PAD, PAD_V2 or MIRROR_PAD whose input has a known rank.
Result<std::vector<PaddingPair>> padding_pairs(const OperationView& operation);

// Returns the shape after padding; `shape` is known, and has one pair per dimension.
Shape padded_shape(Shape shape, std::span<const PaddingPair> paddings);

// These functions return the bits of the padding element, in the low bytes.
int32_t zero_element(const OperandInfo& tensor);                  // the real number 0
Result<int32_t> padding_element(const OperationView& operation);  // of PAD and PAD_V2

// Returns true if MIRROR_PAD does not repeat the border (mode REFLECT, not SYMMETRIC). OP_FAILED while the mode is unknown.
Result<bool> mirrors_without_border(const OperationView& operation);

// Returns the input position of output position p in MIRROR_PAD; p counts from the first copied element. Inside [0, size) it is p
// itself, before that -1 + edge - p, behind it 2 * size - 1 - edge - p. `edge`: 1 for REFLECT, 0 for SYMMETRIC.
inline int64_t mirrored_position(int64_t p, int64_t size, int64_t edge) {
  if (p < 0) return -1 + edge - p;
  return p < size ? p : 2 * size - 1 - edge - p;
}

}  // namespace nnvk
