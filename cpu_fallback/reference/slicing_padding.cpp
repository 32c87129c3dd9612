// SLICE, STRIDED_SLICE, PAD, PAD_V2 and MIRROR_PAD: strided copies out of or into the middle of a tensor.
#include <array>
#include <bit>
#include <cstring>

#include "core/operations/parameters/data_movement_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// SLICE and STRIDED_SLICE. A shrunk dimension contributes its first index only.
Status slice(KernelContext& context) {
  NNVK_ASSIGN(const std::vector<SliceAxis> axes, slice_axes(context.operation));
  const Strides dense = dense_strides(context.operation.shape(0));
  CopyEnd source;
  Shape kept;
  for (size_t d = 0; d < axes.size(); ++d) {
    source.offset += static_cast<ptrdiff_t>(axes[d].begin) * dense[d];
    if (axes[d].shrunk) continue;
    source.strides.push_back(static_cast<ptrdiff_t>(axes[d].stride) * dense[d]);
    kept.dims.push_back(axes[d].length);
  }
  strided_copy(kept, element_size(context.operation.input(0).type), input_bytes(context, 0), source,
               context.outputs[0].data.data(), dense_end(kept));
  return {};
}

// Fills the output with one element, then copies the input into its middle.
Status pad_with(KernelContext& context, const std::byte* element) {
  const Shape& in = context.operation.shape(0);
  const Shape& out = context.outputs[0].info.shape;
  NNVK_ASSIGN(const std::vector<PaddingPair> paddings, padding_pairs(context.operation, 1, in.rank()));
  const size_t width = element_size(context.operation.input(0).type);
  std::byte* bytes = context.outputs[0].data.data();
  for (uint64_t i = 0; i < out.element_count(); ++i) std::memcpy(bytes + i * width, element, width);
  CopyEnd target = dense_end(out);
  for (size_t d = 0; d < in.rank(); ++d) target.offset += static_cast<ptrdiff_t>(paddings[d].before) * target.strides[d];
  strided_copy(in, width, input_bytes(context, 0), dense_end(in), bytes, target);
  return {};
}

Status pad(KernelContext& context) {
  std::array<std::byte, 4> zero{};
  const OperandInfo& in = context.operation.input(0);
  if (is_quant8_asymm(in.type)) zero[0] = static_cast<std::byte>(in.zero_point & 0xFF);
  return pad_with(context, zero.data());
}

// A quantized pad value comes as an INT32 whose low byte is the raw element; the machine is little-endian (see below).
Status pad_v2(KernelContext& context) {
  static_assert(std::endian::native == std::endian::little);
  return pad_with(context, input_bytes(context, 2));
}

Status mirror_pad(KernelContext& context) {
  const OperandInfo& in = context.operation.input(0);
  const Shape& out = context.outputs[0].info.shape;
  NNVK_ASSIGN(const std::vector<PaddingPair> paddings, padding_pairs(context.operation, 1, in.shape.rank()));
  const int64_t edge = context.operation.scalar<int32_t>(2).value_or(0) == 0 ? 1 : 0;
  const Strides strides = dense_strides(in.shape);
  const size_t width = element_size(in.type);
  for (uint64_t i = 0; i < out.element_count(); ++i) {
    uint64_t rest = i;
    int64_t source = 0;
    for (size_t d = out.rank(); d-- > 0; rest /= out[d]) {
      const int64_t position = static_cast<int64_t>(rest % out[d]) - paddings[d].before;
      source += mirrored_position(position, in.shape[d], edge) * strides[d];
    }
    const std::byte* const element = input_bytes(context, 0) + source * static_cast<int64_t>(width);
    std::memcpy(context.outputs[0].data.data() + i * width, element, width);
  }
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kPad, pad},
    {OperationCode::kPadV2, pad_v2},
    {OperationCode::kMirrorPad, mirror_pad},
    {OperationCode::kStridedSlice, slice},
    {OperationCode::kSlice, slice},
};

}  // namespace

std::span<const KernelRow> slicing_padding_kernels() { return kRows; }

}  // namespace nnvk::cpu
