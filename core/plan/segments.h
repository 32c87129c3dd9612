// Cuts a plan where the host must look at data before it can go on: at IF and WHILE, and behind operations whose output sizes
// depend on data. What lies between is a plan of its own that a device runs in one go. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/plan/plan.h"

namespace nnvk {

// One step of a cut plan. Tensor ids are those of the whole plan.
struct Segment {
  enum class Kind : uint8_t {
    kStraight,  // `plan` runs on a device
    kIf,        // `first` if the condition holds, else `second`
    kWhile,     // `second` as long as `first` gives true
  };
  Kind kind = Kind::kStraight;
  std::vector<TensorId> inputs;             // kStraight: of `plan`; kIf, kWhile: what is handed to the referenced models
  std::vector<TensorId> outputs;            // of `plan`, or of the control flow operation
  std::shared_ptr<const Plan> plan;         // kStraight
  TensorId condition = kNoTensor;           // kIf
  std::shared_ptr<const Plan> first;        // kIf: then; kWhile: condition model
  std::shared_ptr<const Plan> second;       // kIf: else; kWhile: body
  uint32_t node = 0;                        // kIf, kWhile: index into the nodes of the whole plan
};

// Whether a device cannot run the plan in one go: it has control flow, or reads a result whose size depends on data.
bool needs_segments(const Plan& plan);

// Inputs of the segment (or its condition) whose values the host looks at.
std::vector<TensorId> tensors_read_by_host(const Segment& segment);
// Per input of the plan: whether the host looks at its values (conditions, parameters), in referenced models too. The others may
// stay on the device between the parts of a model.
std::vector<bool> inputs_read_by_host(const Plan& plan);

// The steps in running order. Their plans share constants with `plan`.
std::vector<Segment> cut_into_segments(const Plan& plan);

}  // namespace nnvk
