// RESHAPE, SQUEEZE, EXPAND_DIMS, SPLIT, TRANSPOSE, TILE, REVERSE, FILL and RANK: elements move, values do not change. Nearly all
// are strided copies.
#include <algorithm>
#include <cstring>

#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/parameters/rearrangement.h"
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
    {OperationCode::kReshape, copy_bytes}, {OperationCode::kSqueeze, copy_bytes},  {OperationCode::kExpandDims, copy_bytes},
    {OperationCode::kSplit, split},        {OperationCode::kTranspose, transpose}, {OperationCode::kTile, rearrange},
    {OperationCode::kReverse, rearrange},  {OperationCode::kFill, fill},           {OperationCode::kRank, rank},
};

}  // namespace

std::span<const KernelRow> data_movement_kernels() { return kRows; }

}  // namespace nnvk::cpu
