// RESHAPE, SQUEEZE, EXPAND_DIMS, CONCATENATION, PACK, SPLIT, PAD, PAD_V2, MIRROR_PAD, TRANSPOSE, STRIDED_SLICE, SLICE, TILE,
// REVERSE, FILL and RANK: elements move, values do not change (CONCATENATION of differently quantized inputs is the exception).
// Nearly all are strided copies.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/rearrangement.h"
#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// RESHAPE, SQUEEZE and EXPAND_DIMS: the bytes as they are.
Status copy_bytes(KernelContext& context) {
  const auto bytes = context.operation.inputs[0].value;
  if (bytes.size() > context.outputs[0].data.size()) return fail(Code::kOpFailed, "the output has fewer elements than the input");
  std::copy(bytes.begin(), bytes.end(), context.outputs[0].data.begin());
  return {};
}

Status transpose(KernelContext& context) {
  NNVK_ASSIGN(const std::vector<uint32_t> permutation, transpose_permutation(context.operation));
  const Strides dense = dense_strides(context.operation.shape(0));
  CopyEnd source;
  for (const uint32_t from : permutation) source.strides.push_back(dense[from]);
  const Shape& out = context.outputs[0].info.shape;
  strided_copy(out, element_size(context.operation.input(0).type), input_bytes(context, 0), source,
               context.outputs[0].data.data(), dense_end(out));
  return {};
}

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

Status concatenation(KernelContext& context) {
  const size_t count = context.operation.inputs.size() - 1;
  const OperandInfo& out = context.outputs[0].info;
  const int32_t axis = context.operation.scalar<int32_t>(count).value_or(-1);
  if (axis < 0 || static_cast<size_t>(axis) >= out.shape.rank()) {
    return fail(Code::kOpFailed, "axis " + std::to_string(axis) + " is outside [0, rank)");
  }
  const size_t width = element_size(out.type);
  CopyEnd target = dense_end(out.shape);
  for (size_t i = 0; i < count; ++i) {
    const OperandInfo& in = context.operation.input(i);
    const auto copy = [&](const std::byte* bytes) {
      strided_copy(in.shape, width, bytes, dense_end(in.shape), context.outputs[0].data.data(), target);
    };
    if (is_quant8_asymm(out.type) && !same_quantization(in, out)) {
      const auto table = requantization_table(in, out);
      const auto bytes = context.input<uint8_t>(i);
      std::vector<uint8_t> requantized(bytes.size());
      std::transform(bytes.begin(), bytes.end(), requantized.begin(), [&](uint8_t byte) { return table[byte]; });
      copy(reinterpret_cast<const std::byte*>(requantized.data()));
    } else {
      copy(input_bytes(context, i));
    }
    target.offset += static_cast<ptrdiff_t>(in.shape[static_cast<size_t>(axis)]) * target.strides[static_cast<size_t>(axis)];
  }
  return {};
}

// TILE and REVERSE.
Status rearrange(KernelContext& context) {
  NNVK_ASSIGN(const Rearrangement walk, rearrangement(context.operation));
  copy_rearranged(walk, context.operation.input(0), input_bytes(context, 0), context.outputs[0].data.data());
  return {};
}

Status split(KernelContext& context) {
  for (size_t part = 0; part < context.outputs.size(); ++part) {
    NNVK_ASSIGN(const Rearrangement walk, split_part(context.operation, part));
    copy_rearranged(walk, context.operation.input(0), input_bytes(context, 0), context.outputs[part].data.data());
  }
  return {};
}

// Input 0 is the axis; the tensors follow.
Status pack(KernelContext& context) {
  const OperandInfo& in = context.operation.input(1);
  const auto axis = static_cast<ptrdiff_t>(context.operation.scalar<int32_t>(0).value_or(0));
  CopyEnd target = dense_end(context.outputs[0].info.shape);
  const ptrdiff_t step = target.strides[static_cast<size_t>(axis)];
  target.strides.erase(target.strides.begin() + axis);
  for (size_t i = 1; i < context.operation.inputs.size(); ++i, target.offset += step) {
    strided_copy(in.shape, element_size(in.type), input_bytes(context, i), dense_end(in.shape), context.outputs[0].data.data(),
                 target);
  }
  return {};
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

Status fill(KernelContext& context) {
  const std::span<std::byte> out = context.outputs[0].data;
  const size_t width = element_size(context.outputs[0].info.type);
  for (size_t at = 0; at + width <= out.size(); at += width) std::memcpy(out.data() + at, input_bytes(context, 1), width);
  return {};
}

Status rank(KernelContext& context) {
  context.output<int32_t>(0)[0] = static_cast<int32_t>(context.operation.shape(0).rank());
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kReshape, copy_bytes},
    {OperationCode::kSqueeze, copy_bytes},
    {OperationCode::kExpandDims, copy_bytes},
    {OperationCode::kConcatenation, concatenation},
    {OperationCode::kPack, pack},
    {OperationCode::kSplit, split},
    {OperationCode::kPad, pad},
    {OperationCode::kPadV2, pad_v2},
    {OperationCode::kMirrorPad, mirror_pad},
    {OperationCode::kTranspose, transpose},
    {OperationCode::kStridedSlice, slice},
    {OperationCode::kSlice, slice},
    {OperationCode::kTile, rearrange},
    {OperationCode::kReverse, rearrange},
    {OperationCode::kFill, fill},
    {OperationCode::kRank, rank},
};

}  // namespace

std::span<const KernelRow> data_movement_kernels() { return kRows; }

}  // namespace nnvk::cpu
