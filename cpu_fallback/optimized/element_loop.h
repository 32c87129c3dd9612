// Kernels that compute each element of their only output from the same elements of their inputs. The loop over dense arrays is
// separate from the walk over a tensor, so that a group of nodes can run several loops on one block (element_group.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"
#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// An operand of a loop: a dense array, or one element that is the partner of all elements.
struct ElementArray {
  const std::byte* data = nullptr;
  bool repeats = false;
};

class ElementLoop {
 public:
  static constexpr size_t kMostOperands = 3;

  virtual ~ElementLoop() = default;
  // Returns how many of the node's first inputs the loop reads: at most kMostOperands.
  virtual size_t operand_count() const = 0;
  // Returns whether one of the first two operands may repeat.
  virtual bool takes_repeats() const { return false; }
  // Returns about how long an element takes.
  virtual double nanoseconds() const = 0;
  // Computes `count` elements: so many that no array is longer than BroadcastBlocks::kBlockBytes.
  virtual void compute(std::span<const ElementArray> operands, std::byte* out, size_t count) const = 0;
};

// A kernel whose operands, the node's first kOperands inputs, have its output's shape.
template <size_t kOperands>
class DenseKernel : public OptimizedKernel, public ElementLoop {
 public:
  void run(const KernelMemory& memory, ThreadPool& threads) const final {
    threads.parallel_rows(count_, nanoseconds_, 64, [&](size_t first, size_t end) {
      for (; first < end; first += block_) {
        std::array<ElementArray, kOperands> arrays;
        for (size_t i = 0; i < kOperands; ++i) arrays[i].data = memory.inputs[i] + first * widths_[i];
        compute(arrays, memory.outputs[kFirstOutput] + first * out_width_, std::min(block_, end - first));
      }
    });
  }
  const ElementLoop* element_loop() const final { return this; }
  size_t operand_count() const final { return kOperands; }
  double nanoseconds() const final { return nanoseconds_; }

 protected:
  DenseKernel(const KernelNode& node, double nanoseconds)
      : count_(node.operation.output(kFirstOutput).shape.element_count()),
        out_width_(element_size(node.operation.output(kFirstOutput).type)),
        nanoseconds_(nanoseconds) {
    size_t widest = out_width_;
    for (size_t i = 0; i < kOperands; ++i) {
      widths_[i] = element_size(node.operation.input(i).type);
      widest = std::max(widest, widths_[i]);
    }
    block_ = BroadcastBlocks::kBlockBytes / widest;
  }

 private:
  const size_t count_;
  const size_t out_width_;
  const double nanoseconds_;
  size_t block_ = 0;  // elements
  std::array<size_t, kOperands> widths_{};
};

// A kernel that calls function(in, out, count) for arrays of its operand and its output.
template <class Function>
class ArrayKernel final : public DenseKernel<1> {
 public:
  ArrayKernel(const KernelNode& node, const char* name, double nanoseconds, const Function& function)
      : DenseKernel(node, nanoseconds), name_(name), function_(function) {}
  void compute(std::span<const ElementArray> operands, std::byte* out, size_t count) const override {
    function_(operands[kFirstInput].data, out, count);
  }
  const char* name() const override { return name_; }

 private:
  const char* const name_;
  const Function function_;
};

// Makes such a kernel. Returns null if an operation is fused into the node.
template <class Function>
std::unique_ptr<OptimizedKernel> array_kernel(const KernelNode& node, const char* name, double nanoseconds,
                                              const Function& function) {
  return node.has_epilogue() ? nullptr : std::make_unique<ArrayKernel<Function>>(node, name, nanoseconds, function);
}

}  // namespace nnvk::cpu
