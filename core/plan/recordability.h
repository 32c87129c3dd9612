// Decides whether a device can record a plan into an application's command buffer: the host must look at no values. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/plan/resolve.h"

namespace nnvk {

// An operation of the model that prevents recording, and the reason.
struct RecordingObstacle {
  uint32_t operation = 0;  // in the order of addOperation
  std::string reason;
};

struct Recordability {
  // The first obstacle, in the order of addOperation; nullopt if the plan can be recorded.
  std::optional<RecordingObstacle> obstacle;
  // True if all shapes are known without an execution. If not, each execution needs a recording for its own shapes.
  bool shapes_known = true;
};

// Returns whether the plan can be recorded. `plan` is simplified, as devices prepare it. `elsewhere` has the operations that run
// on another device than the one that records, each with that device's name. Fails if the shapes of the plan contradict each
// other.
Result<Recordability> find_recordability(const Plan& plan, const std::map<uint32_t, std::string>& elsewhere,
                                         const HostEvaluator& evaluator);

}  // namespace nnvk
