// Measures what nodes and transfers take on a device: what its cost model predicts from.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/operations/cost_model.h"
#include "core/runtime/device.h"

namespace nnvk {

struct Calibration {
  MeasuredCosts costs;
  size_t samples = 0;
  double median_error = 0;  // relative, of what the rates say of the samples
  double seconds = 0;       // that it took
  std::string choices;      // what the device will choose otherwise from now on, for people
};

// Prepares and runs some two hundred small plans; takes a few seconds and blocks. Other work on the machine makes the device look
// slower. Devices without a cost model: OP_FAILED.
Result<Calibration> calibrate(Device& device);

// Rates of reference kernels that `device` was not seen to use, from the reference itself.
void complete_with_reference(Calibration& device, const Calibration& reference);

}  // namespace nnvk
