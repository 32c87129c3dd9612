#include "cpu_fallback/optimized/moves/move_kernels.h"

#include <algorithm>

#include "cpu_fallback/optimized/function_kernel.h"

namespace nnvk::cpu {
std::unique_ptr<OptimizedKernel> move_kernel(const KernelNode& node, std::vector<PlacedMove> moves) {
  const bool all_possible = std::ranges::all_of(moves, [](const PlacedMove& placed) { return placed.move.is_possible(); });
  if (!all_possible || node.has_epilogue()) return nullptr;
  return function_kernel("strided copies", [moves = std::move(moves)](const KernelMemory& memory, ThreadPool& threads) {
    for (const PlacedMove& placed : moves) placed.move.run(memory.inputs[placed.input], memory.outputs[placed.output], threads);
  });
}

StridedMove rearranging_move(const Rearrangement& walk, size_t width) {
  std::vector<MovedAxis> axes(walk.axes.size());
  ptrdiff_t step = 1;
  for (size_t d = axes.size(); d-- > 0;) {
    axes[d] = {walk.axes[d].size, walk.axes[d].stride, step};
    step *= walk.axes[d].size;
  }
  return {std::move(axes), {walk.first, 0}, width};
}

StridedMove placing_move(const Shape& shape, const std::vector<int64_t>& target, int64_t start, size_t width) {
  const std::vector<int64_t> dense = row_major_strides(shape);
  std::vector<MovedAxis> axes(shape.rank());
  for (size_t d = 0; d < axes.size(); ++d) axes[d] = {shape[d], dense[d], target[d]};
  return {std::move(axes), {0, start}, width};
}

std::unique_ptr<OptimizedKernel> rearranging_kernel(const KernelNode& node, const Result<Rearrangement>& walk) {
  if (!walk) return nullptr;
  std::vector<PlacedMove> moves;
  const size_t width = element_size(node.operation.output(kFirstOutput).type);
  moves.push_back({kFirstInput, kFirstOutput, rearranging_move(*walk, width)});
  return move_kernel(node, std::move(moves));
}

std::unique_ptr<OptimizedKernel> rearrange(const KernelNode& node) {
  return rearranging_kernel(node, rearrangement(node.operation));
}

}  // namespace nnvk::cpu
