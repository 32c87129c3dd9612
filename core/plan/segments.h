// Cuts a plan into steps that run one after the other: between devices, and before nodes for which the host must look at data (at
// IF and WHILE, and after operations whose output sizes depend on data). Pure.
#pragma once

#include "core/plan/plan.h"

namespace nnvk {

// Nodes that one device runs in one submission.
struct Step {
  size_t device = 0;            // index into the candidates
  std::vector<uint32_t> nodes;  // indexes into the nodes of the plan, in running order; IF and WHILE have their own steps
};

// Returns the nodes in steps, each as large as possible, in running order (docs/nnapi/devices.md#steps). `device_of`: the device
// of each node; empty: all on device 0.
std::vector<Step> order_into_steps(const Plan& plan, std::span<const size_t> device_of);

// One step of a cut plan. Tensor ids are those of the whole plan.
struct Segment {
  enum class Kind : uint8_t {
    kStraight,  // `plan` runs on a device
    kIf,        // `first` if the condition holds, else `second`
    kWhile,     // `second` as long as `first` gives true
  };
  Kind kind = Kind::kStraight;
  size_t device = 0;                   // as in the step
  std::vector<TensorId> inputs;        // kStraight: of `plan`; kIf, kWhile: the inputs of the referenced models
  std::vector<TensorId> outputs;       // of `plan`, or of the control flow operation
  std::shared_ptr<const Plan> plan;    // kStraight
  TensorId condition = kNoTensor;      // kIf
  std::shared_ptr<const Plan> first;   // kIf: then; kWhile: condition model
  std::shared_ptr<const Plan> second;  // kIf: else; kWhile: body
  uint32_t node = 0;                   // kIf, kWhile: index into the nodes of the whole plan
};

// Returns these nodes as a straight segment of device 0, whose plan shares constants with `plan`. Its inputs are inputs of the
// whole plan, then temporaries, then outputs of the whole plan; its outputs are outputs of the whole plan, then temporaries that
// nodes outside need. `plan` must have no views yet: the rewrites that make views run after the cut.
Segment extract_step(const Plan& plan, std::span<const uint32_t> nodes);

// Returns true if a device needs several segments: the plan has control flow, or reads a result whose size depends on data.
bool needs_segments(const Plan& plan);
bool is_control_flow(OperationCode code);

// Returns the inputs of the segment (or of its condition) whose values the host reads.
std::vector<TensorId> tensors_read_by_host(const Segment& segment);
// Returns, per input of the plan, whether the host reads its values (conditions, parameters), here or in referenced models. All
// other inputs may stay on the device between the parts of a model.
std::vector<bool> inputs_read_by_host(const Plan& plan);

// Returns the steps of order_into_steps() as plans of their own, in running order, which share constants with `plan`.
std::vector<Segment> cut_into_segments(const Plan& plan, std::span<const size_t> device_of = {});

}  // namespace nnvk
