// Whether a plan can be written into somebody else's command buffer: as work that a device does from its first dispatch to its
// last without anybody looking at values in between. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/plan/resolve.h"

namespace nnvk {

// An operation of the model that stands in the way, and why.
struct RecordingObstacle {
  uint32_t operation = 0;  // in the order of addOperation
  std::string reason;
};

// The first operation of the model (in the order of addOperation) that keeps `plan` from being recorded; none: it can be. `plan`
// is simplified, as devices prepare it. `elsewhere`: the operations that another device runs than the one that records, with that
// device's name. Fails when the shapes of the plan contradict each other.
Result<std::optional<RecordingObstacle>> find_recording_obstacle(const Plan& plan,
                                                                 const std::map<uint32_t, std::string>& elsewhere,
                                                                 const HostEvaluator& evaluator);

}  // namespace nnvk
