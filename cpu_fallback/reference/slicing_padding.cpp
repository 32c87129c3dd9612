// SLICE, STRIDED_SLICE, PAD, PAD_V2 and MIRROR_PAD: strided copies out of or into the middle of a tensor.
#include <cstring>

#include "core/operations/parameters/slicing_padding_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace slicing_padding;

// Computes PAD and PAD_V2: fills the output with one element, then copies the input into its middle.
Status pad(KernelContext& context) {
  const OperandInfo& in = context.operation.input(kInput);
  const OutputTensor& out = context.outputs[kOutput];
  NNVK_ASSIGN(const std::vector<PaddingPair> paddings, padding_pairs(context.operation));
  NNVK_ASSIGN(const int32_t element, padding_element(context.operation));
  const size_t width = element_size(in.type);
  fill_elements(element, width, out.data);
  strided_copy({in.shape, width}, input_bytes(context, kInput), dense_end(in.shape), out.data.data(),
               middle_of(out.info.shape, paddings));
  return {};
}

Status mirror_pad(KernelContext& context) {
  const OperandInfo& in = context.operation.input(kInput);
  const Shape& out = context.outputs[kOutput].info.shape;
  NNVK_ASSIGN(const std::vector<PaddingPair> paddings, padding_pairs(context.operation));
  NNVK_ASSIGN(const bool reflects, mirrors_without_border(context.operation));
  const int64_t edge = reflects ? 1 : 0;
  const Strides strides = row_major_strides(in.shape);
  const size_t width = element_size(in.type);
  for (uint64_t i = 0; i < out.element_count(); ++i) {
    uint64_t rest = i;
    int64_t source = 0;
    for (size_t d = out.rank(); d-- > 0; rest /= out[d]) {
      const int64_t position = static_cast<int64_t>(rest % out[d]) - paddings[d].before;
      source += mirrored_position(position, in.shape[d], edge) * strides[d];
    }
    const std::byte* const element = input_bytes(context, kInput) + source * static_cast<int64_t>(width);
    std::memcpy(context.outputs[kOutput].data.data() + i * width, element, width);
  }
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kPad, pad},
    {OperationCode::kPadV2, pad},
    {OperationCode::kMirrorPad, mirror_pad},
    {OperationCode::kStridedSlice, rearrange},
    {OperationCode::kSlice, rearrange},
};

}  // namespace

std::span<const KernelRow> slicing_padding_kernels() { return kRows; }

}  // namespace nnvk::cpu
