// The kernel of a recurrent layer in floats runs the layer's directions one after the other. LSTMs and RNNs differ only in the
// class of a direction.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/operations/rules/sequence_layout.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// The kernel of a recurrent layer. `Parameters`: the decoded operation, with its `directions`. `Direction`: the class of a
// prepared direction; its constructor takes (operation, parameters, direction) and keeps references to the last two.
template <class Parameters, class Direction>
class RecurrentKernel : public OptimizedKernel {
 public:
  RecurrentKernel(const OperationView& operation, Parameters parameters) : p_(std::move(parameters)) {
    for (const auto& d : p_.directions) directions_.emplace_back(operation, p_, d);
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    for (const Direction& direction : directions_) direction.run(memory, threads);
  }
  size_t scratch_bytes() const override {
    size_t most = 0;
    for (const Direction& direction : directions_) most = std::max(most, direction.scratch_floats());
    return most * sizeof(float);
  }
  const char* name() const override { return "float cells"; }

 protected:
  const Parameters p_;

 private:
  std::vector<Direction> directions_;
};

// Makes the kernel of a layer whose operation decodes to `parameters`. Returns null if the reference must compute it, because of
// types other than FLOAT32, a fused operation, or a direction that is not Direction::is_fast().
template <class Kernel, class Direction, class Parameters>
std::unique_ptr<OptimizedKernel> recurrent_kernel(const KernelNode& node, Result<Parameters> parameters) {
  const bool is_float = node.operation.input(kSequenceInput).type == OperandType::kTensorFloat32;
  if (!parameters || !is_float || node.has_epilogue()) return nullptr;
  for (const auto& d : parameters->directions) {
    if (!Direction::is_fast(node.operation, d)) return nullptr;
  }
  return std::make_unique<Kernel>(node.operation, *std::move(parameters));
}

}  // namespace nnvk::cpu
