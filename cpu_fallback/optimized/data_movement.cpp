#include "core/operations/parameters/data_movement_parameters.h"

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/moves/move_kernels.h"

namespace nnvk::cpu {
namespace {
using namespace data_movement;

std::unique_ptr<OptimizedKernel> copy_bytes(const KernelNode& node) {
  const Rearrangement walk{{{static_cast<uint32_t>(node.operation.shape(kInput).element_count()), 1}}, 0};
  return rearranging_kernel(node, walk);
}

std::unique_ptr<OptimizedKernel> split(const KernelNode& node) {
  const size_t width = element_size(node.operation.input(kInput).type);
  std::vector<PlacedMove> moves;
  for (size_t part = 0; part < node.operation.outputs.size(); ++part) {
    const auto walk = split_part(node.operation, part);
    if (!walk) return nullptr;
    moves.push_back({kInput, part, rearranging_move(*walk, width)});
  }
  return move_kernel(node, std::move(moves));
}

std::unique_ptr<OptimizedKernel> fill(const KernelNode& node) {
  const auto element = fill_element(node.operation);
  const OperandInfo& out = node.operation.output(kOutput);
  if (!element || node.has_epilogue()) return nullptr;
  const size_t width = element_size(out.type);
  const size_t count = static_cast<size_t>(out.byte_size().value_or(0)) / width;
  const FillPattern pattern(&*element, width);
  return function_kernel("fill", [pattern, width, count](const KernelMemory& memory, ThreadPool& threads) {
    constexpr size_t kStep = 16;  // elements: no part begins in the middle of one
    threads.parallel_rows(count, 0.05 * static_cast<double>(width), kStep, [&](size_t first, size_t end) {
      fill_runs(pattern, {memory.outputs[kOutput] + first * width, 0}, (end - first) * width, 1);
    });
  });
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kReshape, copy_bytes}, {OperationCode::kSqueeze, copy_bytes},  {OperationCode::kExpandDims, copy_bytes},
    {OperationCode::kSplit, split},        {OperationCode::kTranspose, rearrange}, {OperationCode::kTile, rearrange},
    {OperationCode::kReverse, rearrange},  {OperationCode::kFill, fill},
};

}  // namespace

std::span<const OptimizedRow> optimized_data_movement_kernels() { return kRows; }

}  // namespace nnvk::cpu
