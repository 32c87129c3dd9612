#include "cpu_fallback/optimized/half_floats.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/operations/operation_enumerators.h"
#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/arrays/array_conversions.h"

namespace nnvk::cpu {
namespace {

constexpr size_t kMostOperands = 64;

// Corrects the results of reductions. REDUCE_MAX of floats begins with the least finite float, REDUCE_MIN with the greatest: that
// is the result if all elements are infinite in that direction or NaN. This function replaces that float by the corresponding
// half.
void bring_start_into_halves(OperationCode code, float* values, size_t count) {
  constexpr float kFarthestHalf = 65504.0F;
  if (code == OperationCode::kReduceMax) {
    for (size_t i = 0; i < count; ++i) values[i] = std::max(values[i], -kFarthestHalf);
  } else if (code == OperationCode::kReduceMin) {
    for (size_t i = 0; i < count; ++i) values[i] = std::min(values[i], kFarthestHalf);
  }
}

// An operand of halves.
struct HalfOperand {
  size_t index = 0;
  size_t count = 0;
  size_t offset = 0;  // of its floats in the scratch memory
  AlignedBuffer<float> constant;
  bool is_constant = false;
};

class HalfKernel final : public OptimizedKernel {
 public:
  HalfKernel(OperationCode code, std::unique_ptr<OptimizedKernel> floats, std::vector<HalfOperand> inputs,
             std::vector<HalfOperand> outputs)
      : code_(code), floats_(std::move(floats)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
    bytes_ = padded_to_vectors(floats_->scratch_bytes());
    for (auto* operands : {&inputs_, &outputs_}) {
      for (HalfOperand& operand : *operands) {
        operand.offset = bytes_;
        if (!operand.is_constant) bytes_ += padded_to_vectors(operand.count * sizeof(float));
      }
    }
  }
  size_t scratch_bytes() const override { return bytes_; }
  const char* name() const override { return floats_->name(); }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    std::array<const std::byte*, kMostOperands> inputs{};
    std::array<std::byte*, kMostOperands> outputs{};
    std::ranges::copy(memory.inputs, inputs.begin());
    std::ranges::copy(memory.outputs, outputs.begin());
    for (const HalfOperand& operand : inputs_) {
      const auto* const halves = memory.input<uint16_t>(operand.index);
      auto* const floats = reinterpret_cast<float*>(memory.scratch + operand.offset);
      inputs[operand.index] = reinterpret_cast<const std::byte*>(operand.is_constant ? operand.constant.data() : floats);
      if (operand.is_constant) continue;
      threads.parallel_rows(operand.count, kNanoseconds, 64,
                            [&](size_t first, size_t end) { halves_to_floats(halves + first, floats + first, end - first); });
    }
    for (const HalfOperand& operand : outputs_) outputs[operand.index] = memory.scratch + operand.offset;
    KernelMemory of_floats = memory;
    of_floats.inputs = std::span(inputs).first(memory.inputs.size());
    of_floats.outputs = std::span(outputs).first(memory.outputs.size());
    floats_->run(of_floats, threads);
    for (const HalfOperand& operand : outputs_) {
      auto* const floats = reinterpret_cast<float*>(memory.scratch + operand.offset);
      auto* const halves = memory.output<uint16_t>(operand.index);
      threads.parallel_rows(operand.count, kNanoseconds, 64, [&](size_t first, size_t end) {
        bring_start_into_halves(code_, floats + first, end - first);
        floats_to_halves(floats + first, halves + first, end - first);
      });
    }
  }

 private:
  static constexpr double kNanoseconds = 0.15;

  const OperationCode code_;
  const std::unique_ptr<OptimizedKernel> floats_;
  std::vector<HalfOperand> inputs_;
  std::vector<HalfOperand> outputs_;
  size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<OptimizedKernel> make_half_kernel(const KernelNode& node,
                                                  std::unique_ptr<OptimizedKernel> (*make)(const KernelNode& node)) {
  const OperationView& operation = node.operation;
  if (node.node.residual != kNoTensor || operation.inputs.size() > kMostOperands || operation.outputs.size() > kMostOperands) {
    return nullptr;
  }
  std::vector<OperandInfo> infos;  // never reallocated: the views point to its elements
  infos.reserve(operation.inputs.size() + operation.outputs.size());
  const auto as_floats = [&](const OperandInfo& info) {
    infos.push_back(info);
    if (info.type == OperandType::kTensorFloat16) infos.back().type = OperandType::kTensorFloat32;
    return &infos.back();
  };
  std::vector<HalfOperand> inputs;
  std::vector<HalfOperand> outputs;
  std::vector<OperandView> input_views(operation.inputs.begin(), operation.inputs.end());
  for (size_t i = 0; i < input_views.size(); ++i) {
    OperandView& view = input_views[i];
    const bool is_half = view.info->type == OperandType::kTensorFloat16 && view.present;
    view.info = as_floats(*view.info);
    if (!is_half) continue;
    HalfOperand operand;
    operand.index = i;
    operand.count = view.info->shape.element_count();
    operand.is_constant = view.value.data() != nullptr;
    if (operand.is_constant) {
      operand.constant = AlignedBuffer<float>(operand.count);
      std::vector<uint16_t> halves(operand.count);  // constants may lie at odd addresses
      std::memcpy(halves.data(), view.value.data(), halves.size() * sizeof(uint16_t));
      halves_to_floats(halves.data(), operand.constant.data(), operand.count);
      view.value = {reinterpret_cast<const std::byte*>(operand.constant.data()), operand.count * sizeof(float)};
    }
    inputs.push_back(std::move(operand));
  }
  std::vector<const OperandInfo*> output_views;
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const OperandInfo& info = operation.output(i);
    output_views.push_back(as_floats(info));
    if (info.type != OperandType::kTensorFloat16) continue;
    HalfOperand operand;
    operand.index = i;
    operand.count = info.shape.element_count();
    outputs.push_back(std::move(operand));
  }
  if (inputs.empty() && outputs.empty()) return nullptr;
  const OperationView in_floats{operation.code, input_views, output_views};
  auto floats = make({node.node, CheckedOperation::derived(node.operation, in_floats), nullptr, node.only_asks});
  if (floats == nullptr) return nullptr;
  return std::make_unique<HalfKernel>(operation.code, std::move(floats), std::move(inputs), std::move(outputs));
}

}  // namespace nnvk::cpu
