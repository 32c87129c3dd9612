#include "vulkan/inspection/inspected_device.h"

#include <algorithm>
#include <charconv>

#include "vulkan/context/device_properties.h"
#include "vulkan/context/instance.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan {
namespace {

struct Found {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  PhysicalDevice device;
};

std::vector<Found> find_all(const Instance& instance) {
  std::vector<Found> all;
  for (const VkPhysicalDevice handle : instance.physical_devices()) {
    DeviceSnapshot snapshot = read_snapshot(handle, instance.functions());
    const auto plan = device_plan(snapshot);
    std::string name = free_name(device_name(snapshot), [&](const std::string& wanted) {
      return std::ranges::any_of(all, [&](const Found& other) { return other.device.name == wanted; });
    });
    all.push_back({handle, {std::move(name), std::move(snapshot), plan ? Status{} : Status(fail(plan.error()))}});
  }
  return all;
}

const Found* find(const std::vector<Found>& all, const std::string& name) {
  if (name.empty() || name == "vulkan") return all.empty() ? nullptr : &all.front();
  const std::string prefix = "vulkan:";
  if (name.starts_with(prefix)) {
    size_t index = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + prefix.size(), end, index);
    return read.ec == std::errc{} && read.ptr == end && index < all.size() ? &all[index] : nullptr;
  }
  const auto found = std::ranges::find_if(all, [&](const Found& one) { return one.device.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// Does the same as enumerate() of vulkan_forms.h, for structs whose type must be set before they are filled.
template <class T, class Query>
Result<std::vector<T>> enumerate_structs(VkStructureType type, const char* function, const Query& query) {
  uint32_t count = 0;
  NNVK_TRY(vulkan_status(query(&count, nullptr), function));
  std::vector<T> items(count, vulkan_struct<T>(type));
  NNVK_TRY(vulkan_status(query(&count, items.data()), function));
  items.resize(count);
  return items;
}

std::variant<bool, int64_t, uint64_t, double> value_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      return statistic.value.b32 == VK_TRUE;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return int64_t{statistic.value.i64};
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
      return statistic.value.f64;
    default:
      return uint64_t{statistic.value.u64};
  }
}

// Queries the driver's statistics and keeps their order. Needs a device with VK_KHR_pipeline_executable_properties and a pipeline
// made with CAPTURE_STATISTICS. If a pipeline has several executables, names from the second one on begin with the executable's
// name.
Result<std::vector<PipelineStatistic>> pipeline_statistics(const Context& context, VkPipeline pipeline) {
  const VolkDeviceTable& vk = context.vk();
  auto of_pipeline = vulkan_struct<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
  of_pipeline.pipeline = pipeline;
  NNVK_ASSIGN(const auto executables,
              enumerate_structs<VkPipelineExecutablePropertiesKHR>(
                  VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR, "vkGetPipelineExecutablePropertiesKHR",
                  [&](uint32_t* count, VkPipelineExecutablePropertiesKHR* items) {
                    return vk.vkGetPipelineExecutablePropertiesKHR(context.device(), &of_pipeline, count, items);
                  }));
  std::vector<PipelineStatistic> all;
  for (uint32_t e = 0; e < executables.size(); ++e) {
    auto of_executable = vulkan_struct<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
    of_executable.pipeline = pipeline;
    of_executable.executableIndex = e;
    NNVK_ASSIGN(const auto statistics,
                enumerate_structs<VkPipelineExecutableStatisticKHR>(
                    VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR, "vkGetPipelineExecutableStatisticsKHR",
                    [&](uint32_t* count, VkPipelineExecutableStatisticKHR* items) {
                      return vk.vkGetPipelineExecutableStatisticsKHR(context.device(), &of_executable, count, items);
                    }));
    const std::string prefix = e == 0 ? "" : std::string(executables[e].name) + ": ";
    for (const auto& statistic : statistics) all.push_back({prefix + statistic.name, value_of(statistic)});
  }
  return all;
}

}  // namespace

Result<std::vector<PhysicalDevice>> physical_devices() {
  std::vector<PhysicalDevice> devices;
  NNVK_ASSIGN(const auto instance, Instance::create());
  for (Found& found : find_all(*instance)) devices.push_back(std::move(found.device));
  return devices;
}

Result<std::shared_ptr<InspectedDevice>> InspectedDevice::open(const std::string& name, PlanOverrides overrides,
                                                               const KeptChoices& kept) {
  NNVK_ASSIGN(const std::shared_ptr<Instance> instance, Instance::create());
  const std::vector<Found> all = find_all(*instance);
  const Found* const found = find(all, name);
  if (found == nullptr) {
    std::string names;
    for (const Found& one : all) names += (names.empty() ? "" : ", ") + one.device.name;
    return fail(Code::kUnavailableDevice, (name.empty() ? "no physical device" : "no physical device " + name) +
                                              "; this machine's Vulkan has " + (names.empty() ? "none" : names));
  }
  overrides.slower = kept_slower_forms(found->device.name, found->device.snapshot, overrides, kept);
  overrides.compile_only = true;
  NNVK_ASSIGN(DevicePlan plan, device_plan(found->device.snapshot, overrides));
  std::shared_ptr<InspectedDevice> device(new InspectedDevice(found->device.name, found->device.snapshot, std::move(plan)));
  device->usable_ = found->device.usable.has_value();
  if (!device->plan_.pipeline_statistics) {
    device->without_statistics_ = "the driver has no VK_KHR_pipeline_executable_properties";
    return device;
  }
  NNVK_ASSIGN(device->context_, Context::create(instance, found->handle, device->snapshot_, device->plan_));
  device->library_ = std::make_unique<PipelineLibrary>(device->context_);
  return device;
}

Result<std::shared_ptr<InspectedDevice>> InspectedDevice::from_snapshot(DeviceSnapshot snapshot, PlanOverrides overrides) {
  overrides.compile_only = true;
  NNVK_ASSIGN(DevicePlan plan, device_plan(snapshot, overrides));
  const std::string name = device_name(snapshot);
  std::shared_ptr<InspectedDevice> device(new InspectedDevice(name, std::move(snapshot), std::move(plan)));
  device->without_statistics_ = "the device is a snapshot: no driver compiles for it";
  return device;
}

Result<std::vector<PipelineStatistic>> InspectedDevice::statistics(const PipelineKey& pipeline) {
  if (library_ == nullptr) return fail(Code::kBadState, without_statistics_);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(pipeline); known != known_.end()) return known->second;
  }
  Activity activity;
  NNVK_ASSIGN(const auto made, library_->get(std::span(&pipeline, 1), activity, std::nullopt));
  NNVK_ASSIGN(auto statistics, pipeline_statistics(*context_, made.front()->pipeline));
  const std::lock_guard lock(mutex_);
  return known_.emplace(pipeline, std::move(statistics)).first->second;
}

Result<std::shared_ptr<InspectedDevice>> InspectedDevices::get(const std::string& name, std::optional<KernelVariant> variant,
                                                               const KeptChoices& kept) {
  const std::lock_guard lock(mutex_);
  auto& opened = opened_[{name, variant}];
  if (opened == nullptr) {
    NNVK_ASSIGN(opened, InspectedDevice::open(name, {.variant = variant}, kept));
  }
  return opened;
}

}  // namespace nnvk::vulkan
