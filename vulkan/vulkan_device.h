// A Vulkan device behind the seam of core: placement, preparation, self-description.
#pragma once

#include <memory>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/recording/living_gpu.h"

namespace nnvk::vulkan {

class VulkanDevice final : public Device {
 public:
  VulkanDevice(std::string name, std::shared_ptr<LivingGpu> gpu, HostEvaluator evaluator);
  // Waits for the completion threads, which may be the last to hold parts of the device: no thread runs this library's code
  // after.
  ~VulkanDevice() override;

  const DeviceInfo& info() const override { return info_; }
  CostModel* costs() override { return &costs_; }
  std::unique_ptr<Groundwork> begin_groundwork() const override;
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork = nullptr) const override;
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override;
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override;
  Result<Ceilings> measure_ceilings() override;

 private:
  std::shared_ptr<LivingGpu> gpu_;
  const DevicePlan plan_;  // of all that are opened
  HostEvaluator evaluator_;
  CostModel costs_;
  DeviceInfo info_;
};

}  // namespace nnvk::vulkan
