// The base of both CPU devices: descriptions, placements by the cost model, deadlines, ceilings, workers for executions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/operations/cost_model.h"
#include "core/plan/plan.h"
#include "core/runtime/device.h"
#include "core/runtime/worker_pool.h"

namespace nnvk::cpu {

// Returns the number of threads that pays off on this machine: one per core, at most eight.
unsigned default_threads();

// Returns one entry per node: the CPU devices run everything but control flow. Pure. `use_optimized`: the device has fast kernels
// besides the reference kernels.
std::vector<Placement> place_nodes(const Plan& plan, const CostModel& costs, bool use_optimized);

// Returns the version of the kernels, which changes with the sources of this folder. The build computes it.
const char* kernels_version();

class HostDevice : public Device {
 public:
  const DeviceInfo& info() const final { return info_; }
  CostModel* costs() final { return &costs_; }
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork) const final;
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) final;
  Result<Ceilings> measure_ceilings() final;
  // Returns how many threads share the work of one execution.
  virtual unsigned threads() const = 0;

 protected:
  // If `use_optimized`, the device has fast kernels besides the reference kernels.
  HostDevice(std::string name, std::string version, bool use_optimized, CostModel costs);
  // Makes the plan. prepare() calls it if its deadline has not passed.
  virtual Result<std::unique_ptr<PreparedPlan>> make_plan(std::shared_ptr<const Plan> plan, const PrepareOptions& options) = 0;

  DeviceInfo info_;
  CostModel costs_;
  const bool use_optimized_;
  const std::shared_ptr<WorkerPool> workers_;  // shared with plans, which may outlive the device
};

}  // namespace nnvk::cpu
