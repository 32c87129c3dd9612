// Measures the times of nodes and transfers on a device, from which the device's cost model predicts times.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/operations/cost_model.h"
#include "core/runtime/device.h"

namespace nnvk {

struct Calibration {
  MeasuredCosts costs;
  size_t samples = 0;
  double median_error = 0;  // of |predicted / measured - 1| over the samples
  double seconds = 0;       // duration of the calibration
  std::string choices;      // text for people: the kernel choices that this calibration changes
};

// Measures the device's costs: prepares and runs some two hundred small plans, which takes a few seconds. The function blocks.
// Other work on the machine makes the device seem slower. OP_FAILED for devices without a cost model.
Result<Calibration> calibrate(Device& device);

// Copies from `reference` those rates of reference kernels that `device` lacks.
void complete_with_reference(Calibration& device, const Calibration& reference);

}  // namespace nnvk
