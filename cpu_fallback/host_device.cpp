#include "cpu_fallback/host_device.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/deadline.h"
#include "cpu_fallback/ceilings.h"
#include "cpu_fallback/placement.h"

namespace nnvk::cpu {

unsigned default_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 8U); }

HostDevice::HostDevice(std::string name, std::string version, bool use_optimized, CostModel costs)
    : costs_(std::move(costs)),
      use_optimized_(use_optimized),
      workers_(std::make_shared<WorkerPool>(default_threads(), "nnvk cpu")) {
  info_.name = std::move(name);
  info_.version = std::move(version);
  info_.type = DeviceType::kCpu;
  info_.feature_level = 1000008;
  info_.kernels_version = kernels_version();
}

std::vector<Placement> HostDevice::place(const Plan& plan, Groundwork* /*groundwork*/) const {
  return place_nodes(plan, costs_, use_optimized_);
}

Result<std::unique_ptr<PreparedPlan>> HostDevice::prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
  if (has_passed(options.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the compilation deadline passed before the plan was prepared");
  }
  return make_plan(std::move(plan), options);
}

Result<Ceilings> HostDevice::measure_ceilings() { return measure_cpu_ceilings(threads()); }

}  // namespace nnvk::cpu
