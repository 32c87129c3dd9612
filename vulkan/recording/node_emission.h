// What the emitter of one node adds to a recording, as plain data that may be used again for an equal node. No Vulkan here.
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

// A tensor that an emitter makes beside those of the plan.
struct MadeTensor {
  enum class Kind : uint8_t { kScratch, kTable, kPacked, kStatus };
  Kind kind = Kind::kScratch;
  uint64_t size = 0;                     // bytes
  std::string key = {};                  // kTable, kPacked: its name within the node
  std::vector<std::byte> contents = {};  // kTable
  TensorId source = kNoTensor;           // kPacked
  size_t before = 0;                     // kPacked: where among the dispatches its own stand
  std::vector<Dispatch> packing = {};    // kPacked
};

// Of an output whose size depends on data, and of a word that tells a failure: see DispatchList.
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
  std::vector<TensorId> operands;  // of the node it was emitted for: inputs, outputs, residual
  TensorId first_made = 0;         // ids from here on are those of `made`
  std::vector<MadeTensor> made;
  std::vector<Dispatch> dispatches;
  std::vector<SizeReport> sizes;
  std::vector<FailureReport> failures;
};

// All tensors that the node names, in the order of NodeEmission::operands.
std::vector<TensorId> operands_of(const PlanNode& node);

// The emitter's errors, without the node's place, and RESOURCE_EXHAUSTED_PERSISTENT where the device runs no variant of a kernel
// with tensors of these sizes, or fewer work groups. The operation must have an emitter.
Result<NodeEmission> emit_node(const ResolvedNode& node);

// The operand of `node` that stands where the emission's own node has the tensor `id`: an emission may have been made for an
// equal node of another plan, whose tensors have other numbers. Not for made tensors.
TensorId operand_for(TensorId id, const NodeEmission& emission, const PlanNode& node);

// What the dispatch, one of the emission, puts behind its bindings. The emission may be that of an equal node.
std::vector<BoundBytes> bound_bytes(const Dispatch& dispatch, const NodeEmission& emission, const ResolvedNode& node);

// Every node's emission, for as long as one compilation takes: whoever places or prepares a node equal to one that was emitted
// before, in whatever plan the node now stands, gets that emission.
class KeptEmissions final : public Groundwork {
 public:
  using Emission = std::shared_ptr<const Result<NodeEmission>>;
  // Emits where there is none. Nodes are equal when an emitter sees no difference between them.
  Emission of(const ResolvedNode& node);
  // Per source operation.
  const std::map<uint32_t, size_t>& counts() const { return counts_; }

 private:
  struct Entry;
  std::multimap<uint32_t, std::shared_ptr<const Entry>> entries_;  // by source operation
  std::map<uint32_t, size_t> counts_;
};

}  // namespace nnvk::vulkan
