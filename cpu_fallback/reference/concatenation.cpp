// CONCATENATION and PACK: tensors joined along an axis, requantized where an 8-bit input is quantized in another way.
#include <algorithm>

#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

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

constexpr KernelRow kRows[] = {
    {OperationCode::kConcatenation, concatenation},
    {OperationCode::kPack, pack},
};

}  // namespace

std::span<const KernelRow> concatenation_kernels() { return kRows; }

}  // namespace nnvk::cpu
