#include "core/operations/parameters/topk_parameters.h"

#include <cmath>
#include <cstring>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/rows/largest_elements.h"

namespace nnvk::cpu {
namespace {

class TopkKernel final : public OptimizedKernel {
 public:
  explicit TopkKernel(const OperationView& operation)
      : type_(operation.input(topk::kInput).type),
        width_(element_size(type_)),
        size_(operation.shape(topk::kInput).dims.back()),
        count_(operation.output(topk::kIndices).shape.dims.back()),
        rows_(static_cast<size_t>(operation.shape(topk::kInput).element_count()) / size_) {}

  size_t scratch_bytes() const override { return rows_ * count_ * sizeof(uint64_t); }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    auto* const indices = reinterpret_cast<int32_t*>(memory.outputs[topk::kIndices]);
    auto* const found = reinterpret_cast<uint64_t*>(memory.scratch);
    const auto count = static_cast<double>(count_);
    const double nanoseconds = 20 + 0.2 * static_cast<double>(size_) + 4 * count * std::log2(count + 1);
    threads.parallel_rows(rows_, nanoseconds, 1, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) {
        const std::byte* const values = memory.inputs[topk::kInput] + row * size_ * width_;
        const size_t at = row * count_;
        find_largest({type_, values, size_, count_, found + at, indices + at});
        std::byte* to = memory.outputs[topk::kValues] + at * width_;
        // Positions come from `found`, not from the client's memory.
        for (size_t i = 0; i < count_; ++i, to += width_) {
          std::memcpy(to, values + (found[at + i] & 0xFFFFFFFFU) * width_, width_);
        }
      }
    });
  }
  const char* name() const override { return "largest elements"; }

 private:
  const OperandType type_;
  const size_t width_;
  const size_t size_;
  const size_t count_;
  const size_t rows_;
};

std::unique_ptr<OptimizedKernel> largest_elements(const KernelNode& node) {
  const Shape& shape = node.operation.shape(topk::kInput);
  if (node.has_epilogue() || shape.rank() == 0 || shape.element_count() == 0) return nullptr;
  switch (node.operation.input(topk::kInput).type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
    case OperandType::kTensorInt32:
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorQuant8AsymmSigned:
      return std::make_unique<TopkKernel>(node.operation);
    default:
      return nullptr;
  }
}

constexpr OptimizedRow kRows[] = {{OperationCode::kTopkV2, largest_elements}};

}  // namespace

std::span<const OptimizedRow> optimized_topk_kernels() { return kRows; }

}  // namespace nnvk::cpu
