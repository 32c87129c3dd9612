// CONCATENATION and PACK. A table of bytes converts inputs whose quantization differs from the output's.
#include "core/operations/parameters/concatenation_parameters.h"

#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/moves/move_kernels.h"

namespace nnvk::cpu {
namespace {
using namespace concatenation;

// An input whose quantization differs from the output's: `rows` rows of `bytes` bytes, which `table` converts. In the output the
// first row begins at byte `start`, and each further row `step` bytes later.
struct RequantizedRows {
  size_t input = 0;
  std::array<uint8_t, 256> table;
  size_t rows = 0;
  size_t bytes = 0;
  size_t start = 0;
  size_t step = 0;
};

std::unique_ptr<OptimizedKernel> concatenate(const KernelNode& node) {
  const OperandInfo& out = node.operation.output(kOutput);
  const JoinedInputs tensors = joined_inputs(node.operation);
  const auto axis = joined_axis(node.operation);
  if (!axis) return nullptr;
  const std::vector<int64_t> target = row_major_strides(out.shape);
  const size_t step = static_cast<size_t>(target[*axis]) * out.shape[*axis];  // from one row to the next, in bytes
  std::vector<PlacedMove> moves;
  std::vector<RequantizedRows> requantized;
  int64_t start = 0;
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    const OperandInfo& in = node.operation.input(i);
    const int64_t length = target[*axis] * in.shape[*axis];
    if (is_quant8_asymm(out.type) && !same_quantization(in, out)) {
      const size_t bytes = static_cast<size_t>(length);
      const size_t rows = bytes == 0 ? 0 : static_cast<size_t>(in.shape.element_count()) / bytes;
      requantized.push_back({i, requantization_table(in, out), rows, bytes, static_cast<size_t>(start), step});
    } else {
      moves.push_back({i, kOutput, placing_move(in.shape, target, start, element_size(out.type))});
    }
    start += length;
  }
  auto copies = move_kernel(node, std::move(moves));
  if (copies == nullptr || requantized.empty()) return copies;
  auto run = [copies = std::move(copies), requantized = std::move(requantized)](const KernelMemory& memory, ThreadPool& threads) {
    copies->run(memory, threads);
    for (const RequantizedRows& part : requantized) {
      const std::byte* const from = memory.inputs[part.input];
      std::byte* const to = memory.outputs[kOutput] + part.start;
      threads.parallel_rows(part.rows, 5 + 0.1 * static_cast<double>(part.bytes), 1, [&](size_t first, size_t end) {
        for (size_t row = first; row < end; ++row) {
          look_up_bytes(part.table.data(), from + row * part.bytes, to + row * part.step, part.bytes);
        }
      });
    }
  };
  return function_kernel("strided copies, requantized", std::move(run));
}

std::unique_ptr<OptimizedKernel> pack(const KernelNode& node) {
  const OperandInfo& out = node.operation.output(kOutput);
  const JoinedInputs tensors = joined_inputs(node.operation);
  const auto axis = joined_axis(node.operation);
  if (!axis) return nullptr;
  std::vector<int64_t> target = row_major_strides(out.shape);
  const int64_t step = target[*axis];
  target.erase(target.begin() + *axis);
  std::vector<PlacedMove> moves;
  for (size_t i = tensors.first; i < tensors.end; ++i) {
    const int64_t start = static_cast<int64_t>(i - tensors.first) * step;
    moves.push_back({i, kOutput, placing_move(node.operation.shape(i), target, start, element_size(out.type))});
  }
  return move_kernel(node, std::move(moves));
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kConcatenation, concatenate},
    {OperationCode::kPack, pack},
};

}  // namespace

std::span<const OptimizedRow> optimized_concatenation_kernels() { return kRows; }

}  // namespace nnvk::cpu
