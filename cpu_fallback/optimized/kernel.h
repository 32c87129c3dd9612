// A fast kernel: one node prepared for known shapes, with packed weights; many executions may run it at once. families.h lists
// the operations that have fast kernels. Other operations, or cases of an operation, run on the reference kernels.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/operations/checked_operation.h"
#include "core/plan/plan.h"
#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

// Alignment of arenas, scratch memory and packed weights, in bytes: a cache line and the widest vector.
inline constexpr size_t kVectorAlignment = 64;

class ElementLoop;
class PackedConstants;

// A node whose shapes are all known and checked. It refers to the plan and its resolution, and is only valid while a kernel is
// made.
struct KernelNode {
  const PlanNode& node;
  CheckedOperation operation;         // `value` holds the bytes of constants
  PackedConstants* packed = nullptr;  // of this node, for kernels of other shapes as well (packed_constants.h); null: not shared
  bool only_asks = false;             // the kernel will not run: the caller only asks whether there is one

  // Returns whether rewrites fused a sum or an activation into the operation.
  bool has_epilogue() const { return node.residual != kNoTensor || node.fused_activation != FusedActivation::kNone; }
};

// The addresses of a node's tensors in one execution.
struct KernelMemory {
  std::span<const std::byte* const> inputs;  // null: omitted
  std::span<std::byte* const> outputs;
  const std::byte* residual = nullptr;  // PlanNode::residual
  std::byte* scratch = nullptr;         // scratch_bytes(), aligned

  // These functions return the elements of a tensor.
  template <class T>
  const T* input(size_t i) const {
    return reinterpret_cast<const T*>(inputs[i]);
  }
  template <class T>
  T* output(size_t i) const {
    return reinterpret_cast<T*>(outputs[i]);
  }
};

class OptimizedKernel {
 public:
  virtual ~OptimizedKernel() = default;
  // Runs the kernel. Reads and writes exactly the tensors' bytes. Allocates nothing, does not fail, and may run on many threads
  // at once.
  virtual void run(const KernelMemory& memory, ThreadPool& threads) const = 0;
  // Copies inputs that determine addresses, once, into the scratch memory, and checks the copies: clients may write to their
  // inputs meanwhile. Callers call it before run(), with the same memory. Error: OP_FAILED.
  virtual Status read_indices(const KernelMemory& /*memory*/) const { return {}; }
  // Returns how many bytes of scratch memory one run needs.
  virtual size_t scratch_bytes() const { return 0; }
  // Returns whether run() reads this input: not if it is a constant that the kernel has packed.
  virtual bool reads(size_t /*input*/) const { return true; }
  // Returns the loop of a kernel that computes element by element, for as long as the kernel lives; null for all other kernels.
  virtual const ElementLoop* element_loop() const { return nullptr; }
  // Returns the kernel's name in profiles: "float product, 16 lanes".
  virtual const char* name() const = 0;
};

// Makes the fast kernel of a node. Returns null if there is none for this case of the operation.
std::unique_ptr<OptimizedKernel> make_optimized_kernel(const KernelNode& node);

// Returns the processor features that kernels use, for `nnvk devices`.
std::string optimized_kernel_traits();

}  // namespace nnvk::cpu
