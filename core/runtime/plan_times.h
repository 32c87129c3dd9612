// Measures executions of small plans on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"

namespace nnvk {

// The place of the samples' inputs and outputs. A device without memory of its own uses host memory in both cases.
enum class SamplePlace : uint8_t { kDevice, kHost };

// Returns the seconds of each plan's shortest execution, without preparation. The function blocks. It runs the plans in five
// rounds, and in each round it repeats every plan for at least two executions and two milliseconds.
Result<std::vector<double>> shortest_executions(Device& device, const std::vector<std::shared_ptr<const Plan>>& plans,
                                                SamplePlace place = SamplePlace::kDevice);

}  // namespace nnvk
