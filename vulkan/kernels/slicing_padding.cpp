// SLICE, STRIDED_SLICE, PAD, PAD_V2 and MIRROR_PAD. Elements are moved by their width, whatever their type.
#include "core/operations/parameters/data_movement_parameters.h"
#include "shaders/data_movement_params.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/move_dispatch.h"

namespace nnvk::vulkan {
namespace {

Status emit_slice(const EmitContext& context, DispatchList& dispatches) {
  if (element_count(context.output(0)) == 0) return {};
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<SliceAxis> slices, slice_axes(view.view()));
  const std::vector<int64_t> strides = row_major_strides(context.input(0).shape);
  std::vector<MoveAxis> axes;
  int64_t first = 0;
  for (size_t d = 0; d < slices.size(); ++d) {
    first += slices[d].begin * strides[d];
    // A dimension of length 1 is never stepped through; its stride could be larger than 32 bits.
    const int64_t stride = slices[d].length == 1 ? 0 : slices[d].stride * strides[d];
    axes.push_back({slices[d].length, stride, 0, slices[d].length});
  }
  return emit_moved(context, std::move(axes), first, 0, dispatches);
}

// The element that PAD or PAD_V2 adds, as a raw integer of the element's width.
int32_t padding_element(const EmitContext& context) {
  const OperandType type = context.input(0).type;
  if (context.node.code == OperationCode::kPad) return is_quant8_asymm(type) ? context.input(0).zero_point : 0;
  if (type == OperandType::kTensorFloat16) return context.scalar<int16_t>(2, 0);
  return context.scalar<int32_t>(2, 0);  // bits of a FLOAT32, or an 8-bit element in the low byte
}

Status emit_pad(const EmitContext& context, DispatchList& dispatches) {
  const Shape& input = context.input(0).shape;
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<PaddingPair> pairs, padding_pairs(view.view(), 1, input.rank()));
  const std::vector<int64_t> strides = row_major_strides(input);
  std::vector<MoveAxis> axes;
  for (size_t d = 0; d < input.rank(); ++d) {
    axes.push_back({pairs[d].before + input[d] + pairs[d].after, strides[d], pairs[d].before, input[d]});
  }
  return emit_moved(context, std::move(axes), 0, padding_element(context), dispatches);
}

// A copy whose borders mirror; dimensions that stay as they are merge with their neighbours.
Status emit_mirror_pad(const EmitContext& context, DispatchList& dispatches) {
  NNVK_TRY(check_addressable(context.input(0)));
  NNVK_TRY(check_addressable(context.output(0)));
  const Shape& input = context.input(0).shape;
  const Shape& output = context.output(0).shape;
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const std::vector<PaddingPair> pairs, padding_pairs(view.view(), 1, input.rank()));
  const int32_t border = context.scalar<int32_t>(2, 0) == 0 ? kBorderReflect : kBorderSymmetric;
  const std::vector<int64_t> strides = row_major_strides(input);
  Move ends{context.input_id(0), context.output_id(0), context.output(0).type, {}, 0, 0};
  std::vector<TableAxis> axes;
  for (size_t d = input.rank(); d-- > 0;) {
    const MoveAxis axis{output[d], strides[d], pairs[d].before, input[d]};
    ends.axes.push_back(axis);
    const bool plain = axis.size == axis.inside;
    if (plain && !axes.empty() && axes.back().axis.size == axes.back().axis.inside) {
      axes.back().axis.size *= axis.size;
      axes.back().axis.inside *= axis.size;
    } else {
      axes.push_back({axis, border});
    }
  }
  return emit_table_move(context, ends, axes, dispatches);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kSlice, nullptr, emit_slice},
    {OperationCode::kStridedSlice, nullptr, emit_slice},
    {OperationCode::kPad, nullptr, emit_pad},
    {OperationCode::kPadV2, nullptr, emit_pad},
    {OperationCode::kMirrorPad, nullptr, emit_mirror_pad},
};

}  // namespace

std::span<const KernelEmitter> slicing_padding_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
