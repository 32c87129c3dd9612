// A device whose kernels are looked at and never run: one that is there, one without hardware behind it ("null" devices of
// drivers), or one that only a snapshot tells of. None of them is a device of the API.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"
#include "vulkan/inspection/pipeline_statistics.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/slower_forms.h"

namespace nnvk::vulkan {

// A physical device of this machine's Vulkan drivers.
struct PhysicalDevice {
  std::string name;  // as in the API's list of devices, where it is one
  DeviceSnapshot snapshot;
  Status usable;  // whether it is a device of the API, or why not
};

// In Vulkan's order. UNAVAILABLE_DEVICE says why Vulkan cannot be used at all: no loader, no driver, one that does not start.
Result<std::vector<PhysicalDevice>> physical_devices();

class InspectedDevice {
 public:
  // A physical device by its name, "vulkan" or "" (the first), or "vulkan:N" (the N-th, from 0). UNAVAILABLE_DEVICE with the
  // names there are when it is none of them, or when it is below nnvk's floor in more than its memory.
  // `kept`: what calibrations of devices of the API have found; may be null.
  static Result<std::shared_ptr<InspectedDevice>> open(const std::string& name, PlanOverrides overrides,
                                                       const KeptChoices& kept = nullptr);
  // Nobody compiles for it.
  static Result<std::shared_ptr<InspectedDevice>> from_snapshot(DeviceSnapshot snapshot, PlanOverrides overrides);

  const DeviceSnapshot& snapshot() const { return snapshot_; }
  const DevicePlan& plan() const { return plan_; }
  const std::string& name() const { return name_; }
  bool is_usable() const { return usable_; }
  // Why statistics() has nothing to say; empty: it has.
  const std::string& without_statistics() const { return without_statistics_; }
  // What the driver makes of the pipeline. Thread-safe; each pipeline is compiled once.
  Result<std::vector<PipelineStatistic>> statistics(const PipelineKey& pipeline);

 private:
  InspectedDevice(std::string name, DeviceSnapshot snapshot, DevicePlan plan)
      : name_(std::move(name)), snapshot_(std::move(snapshot)), plan_(std::move(plan)) {}

  std::string name_;
  DeviceSnapshot snapshot_;
  DevicePlan plan_;
  bool usable_ = false;
  std::string without_statistics_;
  std::shared_ptr<Context> context_;          // null without statistics
  std::unique_ptr<PipelineLibrary> library_;  // the same
  std::mutex mutex_;
  std::map<PipelineKey, std::vector<PipelineStatistic>> known_;
};

// The physical devices that were opened so far, for as long as it lives.
class InspectedDevices {
 public:
  // `name`, `kept`, errors: as for InspectedDevice::open(). `variant`: of kernels, as in PlanOverrides.
  Result<std::shared_ptr<InspectedDevice>> get(const std::string& name, std::optional<KernelVariant> variant,
                                               const KeptChoices& kept = nullptr);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::optional<KernelVariant>>, std::shared_ptr<InspectedDevice>> opened_;
};

}  // namespace nnvk::vulkan
