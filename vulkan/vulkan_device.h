// A Vulkan device behind core's Device interface: placement, preparation, description.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/recording/living_gpu.h"

namespace nnvk::vulkan {

DeviceInfo describe_device(std::string name, const DeviceSnapshot& snapshot, const DevicePlan& plan);

class VulkanDevice final : public Device {
 public:
  // Opens the same device once more, without the forms `slower`.
  using Reopen = std::function<Result<std::unique_ptr<Device>>(KernelForms slower)>;
  // measure_choices() needs `reopen`, else it finds nothing. It is null for an application's device, which is opened only once.
  VulkanDevice(std::string name, std::shared_ptr<LivingGpu> gpu, HostEvaluator evaluator, Reopen reopen = nullptr);
  // Waits for the completion threads, which may release the last parts of the device: afterwards no thread runs nnvk's code.
  ~VulkanDevice() override;

  const DeviceInfo& info() const override { return info_; }
  CostModel* costs() override { return &predictions_->costs; }
  Result<MeasuredChoices> measure_choices() override;
  std::unique_ptr<Groundwork> begin_groundwork() const override;
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork = nullptr) const override;
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override;
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override;
  Result<Ceilings> measure_ceilings() override;

 private:
  // The traits and costs from which the device predicts times.
  struct Predictions {
    DeviceTraits traits;
    CostModel costs;
    std::once_flag is_ready;  // after the probe, if the device needs one
  };
  // Lets a GPU measure its speed at the first call, unless a calibration has measured its costs. Thread-safe; the completion
  // thread must not call it.
  const Predictions& predictions() const;

  std::shared_ptr<LivingGpu> gpu_;
  const DevicePlan plan_;  // the same for all devices that gpu_ opens
  HostEvaluator evaluator_;
  const Reopen reopen_;
  const std::unique_ptr<Predictions> predictions_;
  DeviceInfo info_;
};

}  // namespace nnvk::vulkan
