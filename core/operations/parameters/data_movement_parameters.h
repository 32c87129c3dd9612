// What the parameters of SLICE, STRIDED_SLICE, PAD and TRANSPOSE say about each dimension.
// Shared by shape functions, CPU kernels and GPU emitters, so that begin, stride and padding are decoded in one place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

// Elements taken from one dimension of the input: begin, begin + stride, ...; `length` of them.
struct SliceAxis {
  int64_t begin = 0;
  int64_t stride = 1;
  uint32_t length = 0;
  bool shrunk = false;  // the dimension (length 1) does not appear in the output
};

// One dimension of STRIDED_SLICE with size n (known, > 0). `stride` is not 0.
SliceAxis strided_slice_axis(uint32_t n, int32_t begin, int32_t end, int32_t stride, bool begin_masked, bool end_masked);

// All dimensions of the input of a SLICE or STRIDED_SLICE whose shape and parameters are known. OP_FAILED names the bad
// parameter.
Result<std::vector<SliceAxis>> slice_axes(const OperationView& operation);

// Elements added before and after one dimension.
struct PaddingPair {
  uint32_t before = 0;
  uint32_t after = 0;
};

// Value of the [rank, 2] paddings tensor in input i. OP_FAILED when negative or when the number of pairs is not `rank`.
Result<std::vector<PaddingPair>> padding_pairs(const OperationView& operation, size_t i, size_t rank);

// Which input dimension each output dimension of TRANSPOSE is; a missing `perm` reverses two dimensions.
// Needs the value of `perm` when it is present. OP_FAILED when it is no permutation of the input's rank.
Result<std::vector<uint32_t>> transpose_permutation(const OperationView& operation);

// CONCATENATION of an 8-bit input whose scale or zero point differs from the output's: the stored output byte of every stored
// input byte. Rule: numerics of CONCATENATION (float32; multiply and add apart; half away from zero). Scales > 0.
std::array<uint8_t, 256> requantization_table(const OperandInfo& in, const OperandInfo& out);

}  // namespace nnvk
