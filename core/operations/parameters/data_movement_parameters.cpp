// Decodes the parameters of slicing, padding and transposition.
#include "core/operations/parameters/data_movement_parameters.h"

#include <algorithm>
#include <cmath>

#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

// STRIDED_SLICE's rule for a begin or end value that is not masked (see the shape rule of the specification).
int64_t normalize_slice_bound(int64_t value, int64_t n, bool forward) {
  if (value >= n) return forward ? n : n - 1;
  if (value < -n) return forward ? 0 : -1;
  return value < 0 ? value + n : value;
}

Result<std::vector<int32_t>> list_of_length(const OperationView& operation, size_t i, size_t length) {
  const auto values = operation.values<int32_t>(i);
  if (!values) return fail(Code::kOpFailed, "the value of " + input_name(i) + " is not known");
  if (values->size() != length) {
    return fail(Code::kOpFailed, input_name(i) + " has " + std::to_string(values->size()) +
                                     " entries, the input's rank asks for " + std::to_string(length));
  }
  return *values;
}

Result<std::vector<SliceAxis>> plain_slice_axes(const OperationView& operation) {
  const Shape& input = operation.shape(0);
  NNVK_ASSIGN(const auto begin, list_of_length(operation, 1, input.rank()));
  NNVK_ASSIGN(const auto size, list_of_length(operation, 2, input.rank()));
  std::vector<SliceAxis> axes(input.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t n = input[i];
    const int64_t length = size[i] == -1 ? n - begin[i] : size[i];
    if (begin[i] < 0 || length < 0 || begin[i] + length > n) {
      return fail(Code::kOpFailed, "dimension " + std::to_string(i) + ": begin " + std::to_string(begin[i]) + " and size " +
                                       std::to_string(size[i]) + " reach outside its " + std::to_string(n) + " elements");
    }
    axes[i] = {begin[i], 1, static_cast<uint32_t>(length), false};
  }
  return axes;
}

Result<std::vector<SliceAxis>> strided_slice_axes(const OperationView& operation) {
  const Shape& input = operation.shape(0);
  NNVK_ASSIGN(const auto begin, list_of_length(operation, 1, input.rank()));
  NNVK_ASSIGN(const auto end, list_of_length(operation, 2, input.rank()));
  NNVK_ASSIGN(const auto strides, list_of_length(operation, 3, input.rank()));
  const auto begin_mask = operation.scalar<int32_t>(4);
  const auto end_mask = operation.scalar<int32_t>(5);
  const auto shrink_mask = operation.scalar<int32_t>(6);
  if (!begin_mask || !end_mask || !shrink_mask) return fail(Code::kOpFailed, "the value of a mask is not known");
  const auto bit = [](int32_t mask, size_t i) { return i < 32 && ((static_cast<uint32_t>(mask) >> i) & 1U) != 0; };
  std::vector<SliceAxis> axes(input.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::string dimension = "dimension " + std::to_string(i);
    if (strides[i] == 0) return fail(Code::kOpFailed, dimension + ": the stride is 0");
    axes[i] = strided_slice_axis(input[i], begin[i], end[i], strides[i], bit(*begin_mask, i), bit(*end_mask, i));
    if (!bit(*shrink_mask, i)) continue;
    axes[i].shrunk = true;
    if (strides[i] < 0 || axes[i].length != 1) {
      return fail(Code::kOpFailed, dimension + " is to be removed, but its stride is " + std::to_string(strides[i]) +
                                       " and its length " + std::to_string(axes[i].length) + " instead of 1");
    }
  }
  return axes;
}

}  // namespace

SliceAxis strided_slice_axis(uint32_t n, int32_t begin, int32_t end, int32_t stride, bool begin_masked, bool end_masked) {
  const bool forward = stride > 0;
  const int64_t size = n;
  const int64_t first = begin_masked ? (forward ? 0 : size - 1) : normalize_slice_bound(begin, size, forward);
  const int64_t stop = end_masked ? (forward ? size : -1) : normalize_slice_bound(end, size, forward);
  const int64_t step = stride;
  const int64_t distance = forward ? stop - first : first - stop;
  const int64_t magnitude = forward ? step : -step;
  const int64_t length = std::max<int64_t>(0, (distance + magnitude - 1) / magnitude);
  return {first, step, static_cast<uint32_t>(length), false};
}

Result<std::vector<SliceAxis>> slice_axes(const OperationView& operation) {
  if (!operation.shape(0).fully_known()) return fail(Code::kOpFailed, "the shape of input 0 is not known");
  return operation.code == OperationCode::kSlice ? plain_slice_axes(operation) : strided_slice_axes(operation);
}

Result<std::vector<PaddingPair>> padding_pairs(const OperationView& operation, size_t i, size_t rank) {
  NNVK_ASSIGN(const auto values, list_of_length(operation, i, 2 * rank));
  std::vector<PaddingPair> pairs(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int32_t before = values[2 * d];
    const int32_t after = values[2 * d + 1];
    if (before < 0 || after < 0) {
      return fail(Code::kOpFailed, "padding of dimension " + std::to_string(d) + " is negative: " + std::to_string(before) +
                                       ", " + std::to_string(after));
    }
    pairs[d] = {static_cast<uint32_t>(before), static_cast<uint32_t>(after)};
  }
  return pairs;
}

Result<std::vector<uint32_t>> transpose_permutation(const OperationView& operation) {
  const size_t rank = operation.shape(0).rank();
  if (!operation.has(1)) {
    if (rank != 2) {
      return fail(Code::kOpFailed, "perm may only be omitted for a matrix, the input has rank " + std::to_string(rank));
    }
    return std::vector<uint32_t>{1, 0};
  }
  NNVK_ASSIGN(const auto perm, list_of_length(operation, 1, rank));
  std::vector<uint32_t> permutation(rank);
  std::vector<bool> seen(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int32_t axis = perm[i];
    if (axis < 0 || static_cast<size_t>(axis) >= rank || seen[static_cast<size_t>(axis)]) {
      return fail(Code::kOpFailed, "perm[" + std::to_string(i) + "] = " + std::to_string(axis) + " is repeated or outside [0, " +
                                       std::to_string(rank) + ")");
    }
    seen[static_cast<size_t>(axis)] = true;
    permutation[i] = static_cast<uint32_t>(axis);
  }
  return permutation;
}

std::array<uint8_t, 256> requantization_table(const OperandInfo& in, const OperandInfo& out) {
  // Signed values take the unsigned path with everything moved by 128.
  const int32_t offset = in.type == OperandType::kTensorQuant8AsymmSigned ? 128 : 0;
  const float scale = in.scale * (1.0F / out.scale);
  const float bias = -static_cast<float>(in.zero_point + offset) * scale;
  std::array<uint8_t, 256> table{};
  for (int32_t byte = 0; byte < 256; ++byte) {
    const int32_t value = offset != 0 ? static_cast<int8_t>(byte) + offset : byte;
    const float scaled = static_cast<float>(value) * scale;
    const float steps = std::round(scaled + bias);
    // Scales so far apart that their quotient is infinite give NaN for some bytes: those become the lowest value.
    const float result = std::isnan(steps) ? 0.0F : std::clamp(steps + static_cast<float>(out.zero_point + offset), 0.0F, 255.0F);
    table[static_cast<size_t>(byte)] = static_cast<uint8_t>(static_cast<int32_t>(result) - offset);
  }
  return table;
}

}  // namespace nnvk
