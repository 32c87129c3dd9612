// Runs a plan that no device can run in one submission. The host advances from step to step, takes the branches of IF, repeats
// the bodies of WHILE and passes on results whose sizes depend on data. The devices do all other work.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/plan/resolve.h"
#include "core/plan/rewrites.h"
#include "core/runtime/compilation_cache.h"
#include "core/runtime/deployment.h"
#include "core/runtime/device.h"
#include "core/runtime/launch_queue.h"

namespace nnvk {

struct Preparation {
  std::span<Device* const> devices = {};  // the devices that Deployment::device_of indexes
  Device* rescue = nullptr;               // runs steps that failed on their device again; null: none
  PrepareOptions options = {};
  const HostEvaluator& evaluator;
  LaunchQueue& launches;  // continues executions from step to step
  // Returns the cache of a step or of a whole plan, or null. Empty: nothing is cached, or options.cache caches everything.
  std::function<std::unique_ptr<CompilationCache>(const Device& device, const Plan& plan, bool is_whole)> cache_for = {};
  // True if loops with known sizes check their time after every condition, also after the last
  // (docs/nnapi/control_flow.md#loop-timeout).
  bool times_every_condition = true;
  Groundworks* groundworks = nullptr;  // of the deployment; null: there are none
};

struct PlanPart {
  Device* device = nullptr;                // null: control flow whose models run on several devices
  std::vector<uint32_t> operations;        // operations of the model computed here; rewrites may have removed others
  const PreparedPlan* prepared = nullptr;  // owned by the runner; null for control flow
  Partition partition;                     // the decision, with its predictions
};

struct PreparedDeployment {
  std::unique_ptr<PreparedPlan> runner;  // runs everything
  std::vector<PlanPart> parts;           // in running order; one for a plan that stays whole
  std::vector<Device*> devices;          // that do some of the work, referenced models included; each once
};
// Prepares every part of the deployment. Returns the errors of Device::prepare, with the device that failed and, for parts of
// control flow, the operation's place.
Result<PreparedDeployment> prepare_deployment(const Deployment& deployment, const Preparation& preparation);

}  // namespace nnvk
