// A Vulkan device behind the seam of core: placement, preparation, self-description.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/recording/living_gpu.h"

namespace nnvk::vulkan {

// What a device with this plan says of itself.
DeviceInfo describe_device(std::string name, const DeviceSnapshot& snapshot, const DevicePlan& plan);

class VulkanDevice final : public Device {
 public:
  // Makes the same device once more, leaving out other forms of kernels.
  using Reopen = std::function<Result<std::unique_ptr<Device>>(KernelForms slower)>;
  // `reopen`: for measure_choices(), which without it finds nothing: an application's device is opened once.
  VulkanDevice(std::string name, std::shared_ptr<LivingGpu> gpu, HostEvaluator evaluator, Reopen reopen = nullptr);
  // Waits for the completion threads, which may be the last to hold parts of the device: no thread runs this library's code
  // after.
  ~VulkanDevice() override;

  const DeviceInfo& info() const override { return info_; }
  CostModel* costs() override { return &costs_; }
  Result<MeasuredChoices> measure_choices() override;
  std::unique_ptr<Groundwork> begin_groundwork() const override;
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork = nullptr) const override;
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override;
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override;
  Result<Ceilings> measure_ceilings() override;

 private:
  std::shared_ptr<LivingGpu> gpu_;
  const DevicePlan plan_;  // of all that are opened
  HostEvaluator evaluator_;
  const Reopen reopen_;
  CostModel costs_;
  DeviceInfo info_;
};

}  // namespace nnvk::vulkan
