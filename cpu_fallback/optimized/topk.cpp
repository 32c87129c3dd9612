#include "core/operations/parameters/topk_parameters.h"

#include <cmath>
#include <cstring>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/rows/largest_elements.h"

namespace nnvk::cpu {
namespace {

std::unique_ptr<OptimizedKernel> topk_kernel(const OperationView& operation) {
  const OperandType type = operation.input(topk::kInput).type;
  const size_t width = element_size(type);
  const size_t size = operation.shape(topk::kInput).dims.back();
  const size_t count = operation.output(topk::kIndices).shape.dims.back();
  const size_t rows = static_cast<size_t>(operation.shape(topk::kInput).element_count()) / size;
  const auto run = [=](const KernelMemory& memory, ThreadPool& threads) {
    auto* const indices = memory.output<int32_t>(topk::kIndices);
    auto* const found = reinterpret_cast<uint64_t*>(memory.scratch);
    const auto many = static_cast<double>(count);
    const double nanoseconds = 20 + 0.2 * static_cast<double>(size) + 4 * many * std::log2(many + 1);
    threads.parallel_rows(rows, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        const std::byte* const values = memory.inputs[topk::kInput] + row * size * width;
        const size_t at = row * count;
        find_largest({type, values, size, count, found + at, indices + at});
        std::byte* to = memory.outputs[topk::kValues] + at * width;
        // Positions come from `found`, not from the client's memory.
        for (size_t i = 0; i < count; ++i, to += width) {
          std::memcpy(to, values + (found[at + i] & 0xFFFFFFFFU) * width, width);
        }
      }
    });
  };
  return function_kernel("largest elements", run, rows * count * sizeof(uint64_t));
}

std::unique_ptr<OptimizedKernel> largest_elements(const KernelNode& node) {
  const Shape& shape = node.operation.shape(topk::kInput);
  if (node.has_epilogue() || shape.rank() == 0 || shape.element_count() == 0) return nullptr;
  switch (node.operation.input(topk::kInput).type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
    case OperandType::kTensorInt32:
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
      return topk_kernel(node.operation);
    default:
      return nullptr;
  }
}

constexpr OptimizedRow kRows[] = {{OperationCode::kTopkV2, largest_elements}};

}  // namespace

std::span<const OptimizedRow> optimized_topk_kernels() { return kRows; }

}  // namespace nnvk::cpu
