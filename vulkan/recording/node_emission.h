// The result of one node's emitter as plain data, reusable for an equal node. No Vulkan here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {

// A tensor that an emitter makes besides those of the plan.
struct MadeTensor {
  enum class Kind : uint8_t { kScratch, kTable, kPacked, kStatus };
  Kind kind = Kind::kScratch;
  uint64_t size = 0;                     // bytes
  std::string key = {};                  // kTable, kPacked: its name within the node
  std::vector<std::byte> contents = {};  // kTable
  TensorId source = kNoTensor;           // kPacked
  size_t before = 0;                     // kPacked: the position of its own dispatches among the others
  std::vector<Dispatch> packing = {};    // kPacked
};

// An output whose size depends on data, and a word that reports a failure: see DispatchList.
struct SizeReport {
  TensorId output = kNoTensor;
  uint32_t dimension = 0;
  TensorId status = kNoTensor;
  uint32_t word = 0;
};
struct FailureReport {
  TensorId status = kNoTensor;
  uint32_t word = 0;
  std::string message;
};

struct NodeEmission {
  std::vector<TensorId> operands;  // of the node that it was emitted for: inputs, outputs, residual
  TensorId first_made = 0;         // ids from here on belong to `made`
  std::vector<MadeTensor> made;
  std::vector<Dispatch> dispatches;
  std::vector<SizeReport> sizes;
  std::vector<FailureReport> failures;
};

// Returns all tensors that the node names, in the order of NodeEmission::operands.
std::vector<TensorId> operands_of(const PlanNode& node);

// Returns the emitter's errors, without the node's name. RESOURCE_EXHAUSTED_PERSISTENT if the device runs no variant of a kernel
// with tensors of these sizes, or supports fewer work groups. The operation must have an emitter.
Result<NodeEmission> emit_node(const ResolvedNode& node);

// Returns the operand of `node` that corresponds to tensor `id` of the node that was emitted: that may be an equal node of
// another plan, whose tensors have other numbers. Not for made tensors.
TensorId operand_for(TensorId id, const NodeEmission& emission, const PlanNode& node);

// Returns the data behind the bindings of one of the emission's dispatches. `node` may be an equal node, not the one that was
// emitted.
std::vector<BoundBytes> bound_bytes(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node);

// Keeps every node's emission during one compilation. A node that equals an earlier one, even of another plan, gets the same
// emission when it is placed or prepared.
class KeptEmissions final : public Groundwork {
 public:
  using Emission = std::shared_ptr<const Result<NodeEmission>>;
  // Emits the node unless an equal node has an emission. Nodes are equal if an emitter cannot distinguish them.
  Emission of(const ResolvedNode& node);
  // How often an emitter ran, per source operation.
  const std::map<uint32_t, size_t>& counts() const { return counts_; }

 private:
  struct Entry;
  std::multimap<uint32_t, std::shared_ptr<const Entry>> entries_;  // by source operation
  std::map<uint32_t, size_t> counts_;
};

}  // namespace nnvk::vulkan
