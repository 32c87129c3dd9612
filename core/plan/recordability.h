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

struct Recordability {
  // The first operation of the model, in the order of addOperation, that keeps the plan from being recorded; none: it can be.
  std::optional<RecordingObstacle> obstacle;
  // Whether all shapes are known without an execution. Where they are not, each execution has a recording of its own shapes.
  bool shapes_known = true;
};

// `plan` is simplified, as devices prepare it. `elsewhere`: the operations that another device runs than the one that records,
// with that device's name. Fails when the shapes of the plan contradict each other.
Result<Recordability> find_recordability(const Plan& plan, const std::map<uint32_t, std::string>& elsewhere,
                                         const HostEvaluator& evaluator);

}  // namespace nnvk
