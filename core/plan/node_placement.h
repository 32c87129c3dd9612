// A device's answers about the nodes of a plan, for the choice between devices. Plain data.
#pragma once

#include <cstdint>
#include <string>

#include "core/operations/cost_model.h"

namespace nnvk {

enum class DeviceType : int32_t { kUnknown = 0, kOther = 1, kCpu = 2, kGpu = 3, kAccelerator = 4 };

// Tells whether a device runs one node, and in what predicted time.
struct Placement {
  bool supported = false;
  std::string reason;  // why not; empty when supported
  double predicted_seconds = 0.0;
  KernelKind kernel = KernelKind::kOwn;  // the kind of kernel whose time is predicted
  // True if the device could not answer, for `reason`; it may accept the node later.
  bool is_unanswered = false;
};

}  // namespace nnvk
