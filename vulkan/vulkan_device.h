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
  // `info` and `plan` describe the devices that `gpu` opens. Without `reopen`, measure_choices() finds nothing.
  VulkanDevice(DeviceInfo info, const DevicePlan& plan, std::shared_ptr<LivingGpu> gpu, HostEvaluator evaluator,
               Reopen reopen = nullptr);
  // Takes an open device, which `open_again` replaces when it is lost (living_gpu.h).
  VulkanDevice(std::string name, const std::shared_ptr<Gpu>& gpu, HostEvaluator evaluator, LivingGpu::Open open_again = nullptr);
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

  const DeviceInfo info_;
  const DevicePlan plan_;
  std::shared_ptr<LivingGpu> gpu_;
  HostEvaluator evaluator_;
  const Reopen reopen_;
  const std::unique_ptr<Predictions> predictions_;
};

}  // namespace nnvk::vulkan
