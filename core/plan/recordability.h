// Whether a device can record a plan into an application's command buffer: it must run from the first dispatch to the last
// without the host looking at values in between. Pure.
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
  // Whether all shapes are known without an execution. If not, each execution needs a recording for its own shapes.
  bool shapes_known = true;
};

// `plan` is simplified, as devices prepare it. `elsewhere`: operations that run on another device than the recording one, with
// that device's name. Fails when the shapes of the plan contradict each other.
Result<Recordability> find_recordability(const Plan& plan, const std::map<uint32_t, std::string>& elsewhere,
                                         const HostEvaluator& evaluator);

}  // namespace nnvk
