// What executions of small plans take on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"

namespace nnvk {

// Where inputs and outputs of samples are. A device without memory takes those of the host.
enum class SamplePlace : uint8_t { kDevice, kHost };

// Seconds of the shortest execution of each plan, made ready beforehand. Runs each some dozen times in several rounds, and
// blocks.
Result<std::vector<double>> shortest_executions(Device& device, const std::vector<std::shared_ptr<const Plan>>& plans,
                                                SamplePlace place = SamplePlace::kDevice);

}  // namespace nnvk
