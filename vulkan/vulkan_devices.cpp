// Discovery: instance, physical devices, plans, names.
#include "vulkan/vulkan_devices.h"

#include <algorithm>

#include "core/base/config.h"
#include "core/base/log.h"
#include "core/base/trace.h"
#include "vulkan/context/device_properties.h"
#include "vulkan/context/instance.h"
#include "vulkan/vulkan_device.h"

namespace nnvk::vulkan {
namespace {

// NNVK_VULKAN_VARIANT: the name of a variant.
std::optional<KernelVariant> variant_of_environment() {
  const auto wanted = read_setting("NNVK_VULKAN_VARIANT", nullptr);
  if (!wanted) return std::nullopt;
  for (const KernelVariant variant : kKernelVariants) {
    if (name_of(variant) == *wanted) return variant;
  }
  log_line(LogLevel::kWarning, "Vulkan", "NNVK_VULKAN_VARIANT names no variant of kernels and is ignored: " + *wanted);
  return std::nullopt;
}

// NNVK_VULKAN_KERNELS: names of forms.
KernelForms forms_of_environment() {
  const auto wanted = read_setting("NNVK_VULKAN_KERNELS", nullptr);
  if (!wanted) return {};
  if (const auto forms = kernel_forms_of(*wanted)) return *forms;
  log_line(LogLevel::kWarning, "Vulkan",
           "NNVK_VULKAN_KERNELS names something else than forms of kernels and is ignored: " + *wanted);
  return {};
}

Result<std::shared_ptr<LivingGpu>> open_gpu(const std::shared_ptr<Instance>& instance, VkPhysicalDevice physical_device,
                                            const PlanOverrides& overrides) {
  DeviceSnapshot snapshot = read_snapshot(physical_device, instance->functions());
  NNVK_ASSIGN(DevicePlan plan, device_plan(snapshot, overrides));
  // Whenever it is opened, it is used in the same way: what was decided for it stays right.
  const auto open = [instance, physical_device, snapshot = std::move(snapshot),
                     plan = std::move(plan)]() -> Result<std::shared_ptr<Gpu>> {
    NNVK_ASSIGN(auto context, Context::create(instance, physical_device, snapshot, plan));
    return Gpu::create(std::move(context));
  };
  NNVK_ASSIGN(auto first, open());
  return std::make_shared<LivingGpu>(std::move(first), open);
}

std::string unique_name(const std::string& base, const std::vector<std::unique_ptr<Device>>& devices) {
  std::string name = base;
  for (int number = 2; std::any_of(devices.begin(), devices.end(), [&](const auto& d) { return d->info().name == name; });
       ++number) {
    name = base + "-" + std::to_string(number);
  }
  return name;
}

}  // namespace

std::vector<std::unique_ptr<Device>> discover_devices(const HostEvaluator& evaluator, PlanOverrides overrides) {
  const trace::Section section("[NN_LD_PI]discover");
  if (!overrides.variant) overrides.variant = variant_of_environment();
  if (!overrides.longest_standstill) overrides.longest_standstill = read_vulkan_timeout();
  if (overrides.forms == KernelForms{}) overrides.forms = forms_of_environment();
  std::vector<std::unique_ptr<Device>> devices;
  auto instance = Instance::create();
  if (!instance) {
    log_line(LogLevel::kWarning, "Vulkan", "no Vulkan devices, models run on the CPU: " + instance.error().text());
    return devices;
  }
  for (const VkPhysicalDevice physical_device : (*instance)->physical_devices()) {
    auto gpu = open_gpu(*instance, physical_device, overrides);
    if (!gpu) {
      log_line(LogLevel::kWarning, "Vulkan", "device left out: " + gpu.error().text());
      continue;
    }
    const std::string name = unique_name(device_name((*gpu)->current()->context->snapshot()), devices);
    devices.push_back(std::make_unique<VulkanDevice>(name, std::move(*gpu), evaluator));
  }
  return devices;
}

}  // namespace nnvk::vulkan
