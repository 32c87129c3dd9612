// SELECT: a mask selects each element from one of two tensors.
#include "core/operations/parameters/select_parameters.h"

#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/element_loop.h"
#include "cpu_fallback/optimized/families.h"

namespace nnvk::cpu {
namespace {

using namespace select;

class SelectKernel final : public DenseKernel<3> {
 public:
  explicit SelectKernel(const KernelNode& node)
      : DenseKernel(node, 0.2), width_(element_size(node.operation.output(kOutput).type)) {
    const OperandInfo& out = node.operation.output(kOutput);
    if (!is_quant8_asymm(out.type)) return;
    for (const size_t i : {kFirst, kSecond}) {
      const OperandInfo& in = node.operation.input(i);
      is_moved_[i] = in.scale != out.scale || in.zero_point != out.zero_point;
      tables_[i] = requantized_bytes(in, out);
    }
  }
  void compute(std::span<const ElementArray> operands, std::byte* out, size_t count) const override {
    // Bytes with another quantization are converted to the output's.
    alignas(64) std::byte moved[2][BroadcastBlocks::kBlockBytes];
    const auto operand = [&](size_t i, std::byte* buffer) {
      if (!is_moved_[i]) return operands[i].data;
      look_up_bytes(tables_[i].data(), operands[i].data, buffer, count);
      return static_cast<const std::byte*>(buffer);
    };
    select_elements({operands[kMask].data, operand(kFirst, moved[0]), operand(kSecond, moved[1]), out, width_}, count);
  }
  const char* name() const override { return "select"; }

 private:
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
