#include "core/operations/parameters/softmax_parameters.h"

#include "core/base/quantized_softmax.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/rows/softmax_rows.h"

namespace nnvk::cpu {
namespace {

using namespace softmax;

constexpr size_t kColumns = 64;  // that are worked on together: their rows are whole cache lines

std::unique_ptr<OptimizedKernel> float_softmax_kernel(const SoftmaxParameters& p, bool is_logarithm) {
  return function_kernel("float softmax", [p, is_logarithm](const KernelMemory& memory, ThreadPool& threads) {
    const AxisSplit& split = p.split;
    const FloatSoftmax call{memory.input<float>(kInput), memory.output<float>(kOutput), p.beta, is_logarithm, split};
    const double slice = static_cast<double>(split.size) + 10;
    if (split.inner == 1) {
      threads.parallel_rows(split.outer, slice, 1, [&](size_t first, size_t end) { softmax_slices(call, first, end); });
      return;
    }
    threads.parallel_blocks(split.outer, split.inner, kColumns, slice * kColumns,
                            [&](size_t outer, size_t first, size_t end) { softmax_columns(call, outer, first, end); });
  });
}

// Copies slices along any axis but the last into a contiguous row, and copies their results back.
class Quant8SoftmaxKernel final : public OptimizedKernel {
 public:
  static constexpr size_t kLongestCopy = 4096;

  Quant8SoftmaxKernel(const AxisSplit& split, const SoftmaxTable& exponentials, bool is_signed)
      : split_(split), exponentials_(exponentials), is_signed_(is_signed) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const Quant8Softmax call{memory.inputs[kInput], memory.outputs[kOutput], exponentials_.data(), split_.size, is_signed_};
    const double slice = static_cast<double>(split_.size) * 2 + 20;
    threads.parallel_rows(split_.slices(), slice, 1, [&](size_t first, size_t end) {
      if (split_.inner == 1) return softmax_bytes(call, first, end);
      for (; first < end; ++first) run_copied(call, split_.first_of(first));
    });
  }
  const char* name() const override { return "8-bit softmax"; }

 private:
  void run_copied(const Quant8Softmax& call, size_t first) const {
    std::byte row[kLongestCopy];
    for (size_t i = 0; i < split_.size; ++i) row[i] = call.in[first + i * split_.inner];
    Quant8Softmax in_row = call;
    in_row.in = in_row.out = row;
    softmax_bytes(in_row, 0, 1);
    for (size_t i = 0; i < split_.size; ++i) call.out[first + i * split_.inner] = row[i];
  }

  const AxisSplit split_;
  const SoftmaxTable exponentials_;
  const bool is_signed_;
};

std::unique_ptr<OptimizedKernel> softmax_kernel(const KernelNode& node) {
  const auto p = softmax_parameters(node.operation);
  if (!p || node.has_epilogue()) return nullptr;
  const OperandInfo& in = node.operation.input(kInput);
  if (in.type == OperandType::kTensorFloat32) return float_softmax_kernel(*p, false);
  if (!is_quant8_asymm(in.type) || (p->split.inner > 1 && p->split.size > Quant8SoftmaxKernel::kLongestCopy)) return nullptr;
  const auto table = quantized_softmax_table(in.scale, p->beta);
  if (!table) return nullptr;
  return std::make_unique<Quant8SoftmaxKernel>(p->split, *table, in.type == OperandType::kTensorQuant8AsymmSigned);
}

std::unique_ptr<OptimizedKernel> log_softmax_kernel(const KernelNode& node) {
  const auto p = softmax_parameters(node.operation);
  // Without a positive beta sums may be infinite.
  if (!p || !(p->beta > 0.0F) || node.has_epilogue()) return nullptr;
  const bool is_float = node.operation.input(kInput).type == OperandType::kTensorFloat32;
  return is_float ? float_softmax_kernel(*p, true) : nullptr;
}

constexpr auto kRows =
    rounding_halves_once({{OperationCode::kSoftmax, softmax_kernel}, {OperationCode::kLogSoftmax, log_softmax_kernel}});

}  // namespace

std::span<const OptimizedRow> optimized_softmax_kernels() { return kRows; }

}  // namespace nnvk::cpu
