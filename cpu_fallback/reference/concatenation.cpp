// CONCATENATION and PACK: tensors joined along an axis, requantized if an 8-bit input is quantized in another way.
#include <algorithm>

#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

Status concatenation(KernelContext& context) {
  const OperandInfo& out = context.outputs[concatenation::kOutput].info;
  const std::span<std::byte> out_bytes = context.outputs[concatenation::kOutput].data;
  const JoinedInputs tensors = joined_inputs(context.operation);
  NNVK_ASSIGN(const uint32_t axis, joined_axis(context.operation));
  const size_t width = element_size(out.type);
  CopyEnd target = dense_end(out.shape);
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    const OperandInfo& in = context.operation.input(i);
    const auto copy = [&](const std::byte* bytes) {
      strided_copy({in.shape, width}, bytes, dense_end(in.shape), out_bytes.data(), target);
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
    target.offset += static_cast<ptrdiff_t>(in.shape[axis]) * target.strides[axis];
  }
  return {};
}

Status pack(KernelContext& context) {
  const OutputTensor& out = context.outputs[concatenation::kOutput];
  const JoinedInputs tensors = joined_inputs(context.operation);
  NNVK_ASSIGN(const uint32_t axis, joined_axis(context.operation));
  CopyEnd target = dense_end(out.info.shape);
  const ptrdiff_t step = target.strides[axis];
  target.strides.erase(target.strides.begin() + axis);
  for (size_t i = tensors.first; i < tensors.end; ++i, target.offset += step) {
    const Shape& shape = context.operation.shape(i);
    strided_copy({shape, element_size(out.info.type)}, input_bytes(context, i), dense_end(shape), out.data.data(), target);
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
