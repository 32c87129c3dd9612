// An InspectedDevice shows kernels but never runs them. It is a real device, a driver's "null" device without hardware, or one
// that a snapshot invents. The API offers no InspectedDevice.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/device_plan.h"
#include "vulkan/context/device_snapshot.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/slower_forms.h"

namespace nnvk::vulkan {

// A number about a pipeline (VK_KHR_pipeline_executable_properties), in the driver's own words: "VGPRs", "Subgroups per SIMD",
// ...
struct PipelineStatistic {
  std::string name;
  std::variant<bool, int64_t, uint64_t, double> value;
};

// A physical device of this machine's Vulkan drivers.
struct PhysicalDevice {
  std::string name;  // as in the API's list of devices, if it is in that list
  DeviceSnapshot snapshot;
  Status usable;  // success if the API offers it, else the reason why not
};

// Returns devices in Vulkan's order. UNAVAILABLE_DEVICE says why Vulkan does not work: no loader, no driver, or no driver starts.
Result<std::vector<PhysicalDevice>> physical_devices();

class InspectedDevice {
 public:
  // Opens a physical device by its name, "vulkan" or "" (the first), or "vulkan:N" (the N-th, from 0). UNAVAILABLE_DEVICE lists
  // the known names if none matches, or if the device misses nnvk's minimum in more than its memory. `kept` (may be null):
  // results of calibrations of API devices.
  static Result<std::shared_ptr<InspectedDevice>> open(const std::string& name, PlanOverrides overrides,
                                                       const KeptChoices& kept = nullptr);
  // Makes a device from a snapshot, without a driver: statistics() is unavailable.
  static Result<std::shared_ptr<InspectedDevice>> from_snapshot(DeviceSnapshot snapshot, PlanOverrides overrides);

  const DeviceSnapshot& snapshot() const { return snapshot_; }
  const DevicePlan& plan() const { return plan_; }
  const std::string& name() const { return name_; }
  bool is_usable() const { return usable_; }
  // Returns the reason why statistics() is unavailable; empty if it is available.
  const std::string& without_statistics() const { return without_statistics_; }
  // Compiles each pipeline once and returns the driver's statistics. Thread-safe.
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

// Opens each physical device once and keeps it open as long as this object lives.
class InspectedDevices {
 public:
  // Returns the device, which the first call opens. `name`, `kept` and errors are those of InspectedDevice::open(). `variant`:
  // the variant of kernels, as in PlanOverrides.
  Result<std::shared_ptr<InspectedDevice>> get(const std::string& name, std::optional<KernelVariant> variant,
                                               const KeptChoices& kept = nullptr);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::optional<KernelVariant>>, std::shared_ptr<InspectedDevice>> opened_;
};

}  // namespace nnvk::vulkan
