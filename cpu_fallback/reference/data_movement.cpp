// RESHAPE, SQUEEZE, EXPAND_DIMS, SPLIT, TRANSPOSE, TILE, REVERSE, FILL and RANK. Nearly all are strided copies.
#include <algorithm>

#include "core/operations/parameters/data_movement_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/strided_copy.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace data_movement;

// Computes RESHAPE, SQUEEZE and EXPAND_DIMS, which copy the bytes as they are.
Status copy_bytes(KernelContext& context) {
  const auto bytes = context.operation.inputs[kInput].value;
  if (bytes.size() > context.outputs[kOutput].data.size())
    return fail(Code::kOpFailed, "the output has fewer elements than the input");
  std::copy(bytes.begin(), bytes.end(), context.outputs[kOutput].data.begin());
  return {};
}

Status split(KernelContext& context) {
  for (size_t part = 0; part < context.outputs.size(); ++part) {
    NNVK_ASSIGN(const Rearrangement walk, split_part(context.operation, part));
    write_rearranged(walk, input_bytes(context, kInput), context.outputs[part]);
  }
  return {};
}

Status fill(KernelContext& context) {
  NNVK_ASSIGN(const int32_t element, fill_element(context.operation));
  fill_elements(element, element_size(context.outputs[kOutput].info.type), context.outputs[kOutput].data);
  return {};
}

Status rank(KernelContext& context) {
  context.output<int32_t>(kOutput)[0] = static_cast<int32_t>(context.operation.shape(kInput).rank());
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kReshape, copy_bytes}, {OperationCode::kSqueeze, copy_bytes},  {OperationCode::kExpandDims, copy_bytes},
    {OperationCode::kSplit, split},        {OperationCode::kTranspose, rearrange}, {OperationCode::kTile, rearrange},
    {OperationCode::kReverse, rearrange},  {OperationCode::kFill, fill},           {OperationCode::kRank, rank},
};

}  // namespace

std::span<const KernelRow> data_movement_kernels() { return kRows; }

}  // namespace nnvk::cpu
