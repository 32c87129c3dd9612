// Decodes the parameters of slicing and padding.
#include "core/operations/parameters/slicing_padding_parameters.h"

#include <algorithm>
#include <string>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {
namespace {

// Applies STRIDED_SLICE's rule for a begin or end value that is not masked (see the shape rule of the specification).
int64_t normalize_slice_bound(int64_t value, int64_t n, bool forward) {
  if (value >= n) return forward ? n : n - 1;
  if (value < -n) return forward ? 0 : -1;
  return value < 0 ? value + n : value;
}

Result<std::vector<SliceAxis>> plain_slice_axes(const OperationView& operation) {
  const Shape& input = operation.shape(slice::kInput);
  NNVK_ASSIGN(const auto begin, list_parameter(operation, slice::kBegin, input.rank()));
  NNVK_ASSIGN(const auto size, list_parameter(operation, slice::kSize, input.rank()));
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
  using namespace strided_slice;
  const Shape& input = operation.shape(kInput);
  NNVK_ASSIGN(const auto begin, list_parameter(operation, kBegin, input.rank()));
  NNVK_ASSIGN(const auto end, list_parameter(operation, kEnd, input.rank()));
  NNVK_ASSIGN(const auto strides, list_parameter(operation, kStrides, input.rank()));
  NNVK_ASSIGN(const auto begin_mask, int_parameter(operation, kBeginMask));
  NNVK_ASSIGN(const auto end_mask, int_parameter(operation, kEndMask));
  NNVK_ASSIGN(const auto shrink_mask, int_parameter(operation, kShrinkMask));
  const auto bit = [](int32_t mask, size_t i) { return i < 32 && ((static_cast<uint32_t>(mask) >> i) & 1U) != 0; };
  const auto unless = [](bool masked, int32_t bound) { return masked ? std::nullopt : std::optional(bound); };
  std::vector<SliceAxis> axes(input.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::string dimension = "dimension " + std::to_string(i);
    if (strides[i] == 0) return fail(Code::kOpFailed, dimension + ": the stride may not be 0");
    axes[i] = strided_slice_axis(input[i], unless(bit(begin_mask, i), begin[i]), unless(bit(end_mask, i), end[i]), strides[i]);
    if (!bit(shrink_mask, i)) continue;
    axes[i].shrunk = true;
    if (strides[i] < 0 || axes[i].length != 1) {
      return fail(Code::kOpFailed, dimension + " is to be removed, but its stride is " + std::to_string(strides[i]) +
                                       " and its length " + std::to_string(axes[i].length) + " instead of 1");
    }
  }
  return axes;
}

}  // namespace

SliceAxis strided_slice_axis(uint32_t n, std::optional<int32_t> begin, std::optional<int32_t> end, int32_t stride) {
  const bool forward = stride > 0;
  const int64_t size = n;
  const int64_t first = begin ? normalize_slice_bound(*begin, size, forward) : (forward ? 0 : size - 1);
  const int64_t stop = end ? normalize_slice_bound(*end, size, forward) : (forward ? size : -1);
  const int64_t step = stride;
  const int64_t distance = forward ? stop - first : first - stop;
  const int64_t magnitude = forward ? step : -step;
  const int64_t length = std::max<int64_t>(0, (distance + magnitude - 1) / magnitude);
  return {first, step, static_cast<uint32_t>(length), false};
}

Result<std::vector<SliceAxis>> slice_axes(const OperationView& operation) {
  if (!operation.shape(slicing_padding::kInput).fully_known()) return fail(Code::kOpFailed, "the shape of input 0 is not known");
  return operation.code == OperationCode::kSlice ? plain_slice_axes(operation) : strided_slice_axes(operation);
}

Result<std::vector<PaddingPair>> padding_list(const OperationView& operation, size_t input, size_t dimensions) {
  NNVK_ASSIGN(const auto values, list_parameter(operation, input, 2 * dimensions));
  std::vector<PaddingPair> pairs(dimensions);
  for (size_t d = 0; d < dimensions; ++d) {
    const int32_t before = values[2 * d];
    const int32_t after = values[2 * d + 1];
    if (before < 0 || after < 0) {
      return fail(Code::kOpFailed, "padding of dimension " + std::to_string(d) + " may not be negative, but is " +
                                       std::to_string(before) + ", " + std::to_string(after));
    }
    pairs[d] = {static_cast<uint32_t>(before), static_cast<uint32_t>(after)};
  }
  return pairs;
}

Result<std::vector<PaddingPair>> padding_pairs(const OperationView& operation) {
  return padding_list(operation, pad::kPaddings, operation.shape(pad::kInput).rank());
}

Shape padded_shape(Shape shape, std::span<const PaddingPair> paddings) {
  for (size_t d = 0; d < shape.rank(); ++d) shape.dims[d] += paddings[d].before + paddings[d].after;
  return shape;
}

int32_t zero_element(const OperandInfo& tensor) { return is_quant8_asymm(tensor.type) ? tensor.zero_point : 0; }

Result<int32_t> padding_element(const OperationView& operation) {
  if (operation.code == OperationCode::kPad) return zero_element(operation.input(pad::kInput));
  return element_parameter(operation, pad::kValue);
}

Result<bool> mirrors_without_border(const OperationView& operation) {
  NNVK_ASSIGN(const int32_t mode, int_parameter(operation, mirror_pad::kMode));
  return mode == 0;
}

}  // namespace nnvk
