// SELECT: a mask selects each element from one of two tensors.
#include "core/operations/parameters/select_parameters.h"

#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/families.h"

namespace nnvk::cpu {
namespace {

using namespace select;

class SelectKernel final : public OptimizedKernel {
 public:
  explicit SelectKernel(const KernelNode& node)
      : count_(node.operation.output(kOutput).shape.element_count()), width_(element_size(node.operation.output(kOutput).type)) {
    const OperandInfo& out = node.operation.output(kOutput);
    if (!is_quant8_asymm(out.type)) return;
    for (const size_t i : {kFirst, kSecond}) {
      const OperandInfo& in = node.operation.input(i);
      is_moved_[i] = in.scale != out.scale || in.zero_point != out.zero_point;
      tables_[i] = requantized_bytes(in, out);
    }
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    threads.parallel_rows(count_, 0.2, 64, [&](size_t first, size_t end) {
      for (; first < end; first += kBlock) run_block(memory, first, std::min(kBlock, end - first));
    });
  }
  const char* name() const override { return "select"; }

 private:
  static constexpr size_t kBlock = 4096;

  void run_block(const KernelMemory& memory, size_t first, size_t count) const {
    // Bytes with another quantization are converted to the output's.
    alignas(64) std::byte moved[2][kBlock];
    Selection selection{memory.inputs[kMask] + first, {}, {}, memory.outputs[kOutput] + first * width_, width_};
    const auto operand = [&](size_t i, std::byte* buffer) {
      const std::byte* const from = memory.inputs[i] + first * width_;
      if (!is_moved_[i]) return from;
      look_up_bytes(tables_[i].data(), from, buffer, count);
      return static_cast<const std::byte*>(buffer);
    };
    selection.first = operand(kFirst, moved[0]);
    selection.second = operand(kSecond, moved[1]);
    select_elements(selection, count);
  }

  const size_t count_;
  const size_t width_;
  bool is_moved_[kSecond + 1] = {};
  ByteTable tables_[kSecond + 1] = {};
};

std::unique_ptr<OptimizedKernel> select_kernel(const KernelNode& node) {
  return node.has_epilogue() ? nullptr : std::make_unique<SelectKernel>(node);
}

constexpr OptimizedRow kRows[] = {{OperationCode::kSelect, select_kernel}};

}  // namespace

std::span<const OptimizedRow> optimized_select_kernels() { return kRows; }

}  // namespace nnvk::cpu
