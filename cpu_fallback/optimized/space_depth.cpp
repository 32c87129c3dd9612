#include "core/operations/parameters/space_depth_parameters.h"

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/moves/move_kernels.h"
#include "cpu_fallback/optimized/moves/padded_copy.h"

namespace nnvk::cpu {
namespace {
using namespace space_depth;

// Makes the kernel of SPACE_TO_BATCH_ND. It pads the image into scratch memory, then copies it to the output in another order.
std::unique_ptr<OptimizedKernel> space_to_batch(const KernelNode& node) {
  const auto blocks = known_blocks(node.operation);
  const auto walk = rearrangement(node.operation);
  if (!blocks || !walk || node.has_epilogue()) return nullptr;
  const OperandInfo& in = node.operation.input(kInput);
  const Shape padded = padded_shape(in.shape, blocks->paddings);
  if (padded == in.shape) return rearranging_kernel(node, walk);
  const size_t width = element_size(in.type);
  const StridedMove move = rearranging_move(*walk, width);
  if (!move.is_possible()) return nullptr;
  const PaddedCopy pad(in.shape, blocks->paddings, zero_element(in), width);
  const auto run = [pad, move](const KernelMemory& memory, ThreadPool& threads) {
    pad.run(memory.inputs[kInput], memory.scratch, threads);
    move.run(memory.scratch, memory.outputs[kOutput], threads);
  };
  return function_kernel("padded rows, strided copies", run, static_cast<size_t>(padded.element_count()) * width);
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kDepthToSpace, rearrange},   {OperationCode::kSpaceToDepth, rearrange},
    {OperationCode::kBatchToSpaceNd, rearrange}, {OperationCode::kSpaceToBatchNd, space_to_batch},
    {OperationCode::kChannelShuffle, rearrange},
};

}  // namespace

std::span<const OptimizedRow> optimized_space_depth_kernels() { return kRows; }

}  // namespace nnvk::cpu
