// A device's answers about the nodes of a plan, for the choice between devices. Plain data.
#pragma once

#include <cstdint>
#include <string>

#include "core/operations/cost_model.h"

namespace nnvk {

enum class DeviceType : int32_t { kUnknown = 0, kOther = 1, kCpu = 2, kGpu = 3, kAccelerator = 4 };

// Whether a device runs one node, and its predicted time.
struct Placement {
  bool supported = false;
  std::string reason;  // why not; empty when supported
  double predicted_seconds = 0.0;
  KernelKind kernel = KernelKind::kOwn;  // the kind of kernel whose time is predicted
  // The device could not answer, for `reason`: later it may accept the node.
  bool is_unanswered = false;
};

}  // namespace nnvk
