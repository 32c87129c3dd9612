// Rows of the operations that cut a part out of a tensor or add a border: SLICE, STRIDED_SLICE, PAD, PAD_V2, MIRROR_PAD.
#include "core/operations/families/row_syntax.h"
#include "core/operations/parameters/slicing_padding_parameters.h"

namespace nnvk {
namespace {
using namespace row;

constexpr size_t kMaxRank = 4;  // of all but SLICE and MIRROR_PAD

// Checks parameters with one entry per dimension of the input: one-dimensional, and of the right length if that is known.
Status check_lists(const OperationView& operation, std::initializer_list<size_t> inputs) {
  for (const size_t i : inputs) {
    NNVK_TRY(check_rank(operation, i, 1, 1, Code::kOpFailed));
    const Shape& list = operation.shape(i);
    const Shape& input = operation.shape(slicing_padding::kInput);
    if (list.rank_known && input.rank_known && is_known(list[0]) && list[0] != input.rank()) {
      return fail(Code::kOpFailed, input_name(i) + " has " + std::to_string(list[0]) + " entries, but the input has rank " +
                                       std::to_string(input.rank()));
    }
  }
  return {};
}

Shapes infer_slice(const OperationView& operation) {
  NNVK_TRY(check_lists(operation, {slice::kBegin, slice::kSize}));
  const Shape& input = operation.shape(slice::kInput);
  const auto begin = operation.values<int32_t>(slice::kBegin);
  const auto size = operation.values<int32_t>(slice::kSize);
  if (input.fully_known() && begin && size) {
    NNVK_ASSIGN(const auto axes, slice_axes(operation));
    Shape output;
    for (const SliceAxis& axis : axes) output.dims.push_back(axis.length);
    return one(std::move(output));
  }
  // If the input's dimensions are unknown, a size other than -1 still gives a dimension of the result.
  Shape output = input.rank_known
                     ? unknown_dimensions(input.rank())
                     : (size ? unknown_dimensions(size->size()) : unknown_dimensions_of_length(operation.shape(slice::kSize)));
  if (!size || !output.rank_known || size->size() != output.rank()) return one(std::move(output));
  for (size_t i = 0; i < output.rank(); ++i) {
    if ((*size)[i] < -1)
      return fail(Code::kOpFailed, "size[" + std::to_string(i) + "] must be -1 or more, but is " + std::to_string((*size)[i]));
    if ((*size)[i] >= 0) output.dims[i] = static_cast<uint32_t>((*size)[i]);
  }
  return one(std::move(output));
}

Shapes infer_strided_slice(const OperationView& operation) {
  using namespace strided_slice;
  NNVK_TRY(check_rank(operation, kInput, 1, kMaxRank, Code::kOpFailed));
  NNVK_TRY(check_lists(operation, {kBegin, kEnd, kStrides}));
  const Shape& input = operation.shape(kInput);
  const bool values_known = operation.values<int32_t>(kBegin) && operation.values<int32_t>(kEnd) &&
                            operation.values<int32_t>(kStrides) && operation.scalar<int32_t>(kBeginMask) &&
                            operation.scalar<int32_t>(kEndMask);
  const auto shrink_mask = operation.scalar<int32_t>(kShrinkMask);
  if (!input.rank_known || !shrink_mask) return one(Shape::unknown_rank());
  Shape output;
  if (input.fully_known() && values_known) {
    NNVK_ASSIGN(const auto axes, slice_axes(operation));
    for (const SliceAxis& axis : axes) {
      if (!axis.shrunk) output.dims.push_back(axis.length);
    }
  } else {
    for (size_t i = 0; i < input.rank(); ++i) {
      if (((static_cast<uint32_t>(*shrink_mask) >> i) & 1U) == 0) output.dims.push_back(kUnknownDimension);
    }
  }
  if (output.dims.empty()) output.dims.push_back(1);
  return one(std::move(output));
}

// Checks the shape of a paddings tensor: [rank of the input, 2].
Status check_paddings_shape(const OperationView& operation, Code code) {
  const Shape& paddings = operation.shape(pad::kPaddings);
  if (!operation.has(pad::kPaddings) || !paddings.rank_known) return {};  // an omitted operand may have any shape
  NNVK_TRY(check_shape_rank(paddings, input_name(pad::kPaddings), 2, 2, code));
  const auto rank = known_rank(operation, pad::kInput);
  if (contradict(paddings[1], 2) || (rank && contradict(paddings[0], static_cast<uint32_t>(*rank)))) {
    return fail(code, "the paddings must have shape [rank of the input, 2], but have " + paddings.to_string());
  }
  return {};
}

// Returns the shape after padding. `limit(size)` returns the largest padding on one side of a dimension of this size.
template <class Limit>
Shapes infer_padded(const OperationView& operation, Limit limit) {
  NNVK_TRY(check_paddings_shape(operation, Code::kOpFailed));
  NNVK_TRY(check_outputs_keep_quantization(operation));
  const Shape& input = operation.shape(pad::kInput);
  if (!input.rank_known) return one(Shape::unknown_rank());
  if (!operation.values<int32_t>(pad::kPaddings)) return one(unknown_dimensions(input.rank()));
  NNVK_ASSIGN(const auto pairs, padding_pairs(operation));
  Shape output = input;
  for (size_t i = 0; i < input.rank(); ++i) {
    if (!is_known(input[i])) continue;
    const int64_t largest = limit(input[i]);
    if (pairs[i].before > largest || pairs[i].after > largest) {
      return fail(Code::kOpFailed, "padding of dimension " + std::to_string(i) + " exceeds " + std::to_string(largest));
    }
    NNVK_ASSIGN(output.dims[i],
                checked_dimension(int64_t{input[i]} + pairs[i].before + pairs[i].after, "padded dimension " + std::to_string(i)));
  }
  return one(std::move(output));
}

Shapes infer_pad(const OperationView& operation) {
  NNVK_TRY(check_rank(operation, pad::kInput, 0, kMaxRank, Code::kOpFailed));
  return infer_padded(operation, [](uint32_t) { return int64_t{INT32_MAX}; });
}

Status check_mirror_pad(const OperationView& operation) {
  NNVK_TRY(check_paddings_shape(operation, Code::kBadData));
  return check_output_repeats_input(operation);
}

Shapes infer_mirror_pad(const OperationView& operation) {
  const auto mode = operation.scalar<int32_t>(mirror_pad::kMode);
  if (mode && *mode != 0 && *mode != 1) return fail(Code::kOpFailed, "mode " + std::to_string(*mode) + " is neither 0 nor 1");
  // REFLECT does not repeat the border element, so it can mirror one element less.
  const bool reflect = mode && *mode == 0;
  return infer_padded(operation, [reflect](uint32_t size) { return int64_t{size} - (reflect ? 1 : 0); });
}

constexpr auto kPadRules = rules<In<kT, kTensorInt32>, Out<kT>, RealsWhere<2, has_zero_point_0>>;
constexpr auto kPadV2Rules = rules<In<kT, kTensorInt32, kTElement>, Out<kT>, Reals<3>>;

constexpr auto kRows = rows<Cost::kMovement, layout::fixed>({
    {.code = Op::kSlice,
     .signatures = only<rules<In<kT, kTensorInt32, kTensorInt32>, Out<kT>, Numbers<3>>>,
     .parameter_tensors = bits(slice::kBegin, slice::kSize),
     .accepts_empty_inputs = true,
     .infer = infer_slice},
    {.code = Op::kStridedSlice,
     .signatures = only<rules<In<kT, kTensorInt32, kTensorInt32, kTensorInt32, kInt32, kInt32, kInt32>, Out<kT>, Reals<2>>>,
     .parameter_tensors = bits(strided_slice::kBegin, strided_slice::kEnd, strided_slice::kStrides),
     .check = check_rank4,
     .infer = infer_strided_slice},
    {.code = Op::kPad,
     .signatures = only<kPadRules>,
     .parameter_tensors = bits(pad::kPaddings),
     .bad_operand_code = Code::kBadData,
     .check = check_rank4,
     .infer = infer_pad},
    {.code = Op::kPadV2,
     .signatures = only<kPadV2Rules>,
     .parameter_tensors = bits(pad::kPaddings),
     .bad_operand_code = Code::kBadData,
     .check = check_rank4,
     .infer = infer_pad},
    {.code = Op::kMirrorPad,
     .signatures = only<rules<In<kT, kTensorInt32, kInt32>, Out<kT>, Numbers<7>>>,
     .parameter_tensors = bits(pad::kPaddings),
     .check = check_mirror_pad,
     .infer = infer_mirror_pad},
});

}  // namespace

std::span<const OperationDefinition> slicing_padding_operations() { return kRows; }

}  // namespace nnvk
