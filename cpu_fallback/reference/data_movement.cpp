// RESHAPE, SQUEEZE, CONCATENATION, PAD, PAD_V2, TRANSPOSE, STRIDED_SLICE and SLICE: elements move, values do not change
// (CONCATENATION of differently quantized inputs is the exception). All but the first two are one strided copy.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/operations/data_movement_parameters.h"
#include "core/operations/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// One end of a strided copy: where element [0, 0, ...] lies and how far neighbours are apart, in elements.
struct CopyEnd {
  ptrdiff_t offset = 0;
  Strides strides;
};

CopyEnd dense_end(const Shape& shape) { return {0, dense_strides(shape)}; }

// Copies a block of `shape` elements of `width` bytes. The caller guarantees that both ends lie inside their tensors.
void strided_copy(const Shape& shape, size_t width, const std::byte* from, const CopyEnd& source, std::byte* to,
                  const CopyEnd& target) {
  const size_t row = shape.rank() == 0 ? 1 : shape.dims.back();
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(width);
  const ptrdiff_t from_step = shape.rank() == 0 ? 0 : source.strides.back();
  const ptrdiff_t to_step = shape.rank() == 0 ? 0 : target.strides.back();
  for_each_row<2>(shape, {&source.strides, &target.strides}, [&](const std::array<ptrdiff_t, 2>& offsets) {
    const std::byte* read = from + (source.offset + offsets[0]) * bytes;
    std::byte* write = to + (target.offset + offsets[1]) * bytes;
    if (from_step == 1 && to_step == 1) {
      std::memcpy(write, read, row * width);
      return;
    }
    for (size_t i = 0; i < row; ++i, read += from_step * bytes, write += to_step * bytes) std::memcpy(write, read, width);
  });
}

const std::byte* input_bytes(const KernelContext& context, size_t i) { return context.operation.inputs[i].value.data(); }

// RESHAPE and SQUEEZE: the bytes as they are.
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

constexpr KernelRow kRows[] = {
    {OperationCode::kReshape, copy_bytes},
    {OperationCode::kSqueeze, copy_bytes},
    {OperationCode::kConcatenation, concatenation},
    {OperationCode::kPad, pad},
    {OperationCode::kPadV2, pad_v2},
    {OperationCode::kTranspose, transpose},
    {OperationCode::kStridedSlice, slice},
    {OperationCode::kSlice, slice},
};

}  // namespace

std::span<const KernelRow> data_movement_kernels() { return kRows; }

}  // namespace nnvk::cpu
