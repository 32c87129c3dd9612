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

std::optional<KernelVariant> variant_of_environment() {
  const auto wanted = read_setting("NNVK_VULKAN_VARIANT", nullptr);
  if (!wanted) return std::nullopt;
  for (const KernelVariant variant : kKernelVariants) {
    if (name_of(variant) == *wanted) return variant;
  }
  log_line(LogLevel::kWarning, "Vulkan", "NNVK_VULKAN_VARIANT names no variant of kernels and is ignored: " + *wanted);
  return std::nullopt;
}

KernelForms forms_of_environment() {
  const auto wanted = read_setting("NNVK_VULKAN_KERNELS", nullptr);
  if (!wanted) return {};
  if (const auto forms = kernel_forms_of(*wanted)) return *forms;
  log_line(LogLevel::kWarning, "Vulkan",
           "NNVK_VULKAN_KERNELS names something else than forms of kernels and is ignored: " + *wanted);
  return {};
}

struct Opening {
  std::shared_ptr<Instance> instance;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  DeviceSnapshot snapshot;
  PlanOverrides overrides;
  HostEvaluator evaluator;
  void (*opened)() = nullptr;
};

Result<std::unique_ptr<Device>> make_device(const std::string& name, const Opening& opening) {
  NNVK_ASSIGN(const DevicePlan plan, device_plan(opening.snapshot, opening.overrides));
  // `open` uses the same DevicePlan in every call, so decisions based on it stay valid. `reopen` below makes a new plan.
  const auto open = [opening, plan]() -> Result<std::shared_ptr<Gpu>> {
    NNVK_ASSIGN(auto context, Context::create(opening.instance, opening.physical_device, opening.snapshot, plan));
    NNVK_ASSIGN(auto gpu, Gpu::create(std::move(context)));
    if (opening.opened != nullptr) opening.opened();
    return gpu;
  };
  const auto reopen = [name, opening](KernelForms slower) {
    Opening other = opening;
    other.overrides.slower = slower;
    return make_device(name, other);
  };
  return std::make_unique<VulkanDevice>(describe_device(name, opening.snapshot, plan), plan, std::make_shared<LivingGpu>(open),
                                        opening.evaluator, reopen);
}

}  // namespace

KernelForms kept_slower_forms(const std::string& name, const DeviceSnapshot& snapshot, const PlanOverrides& overrides,
                              const KeptChoices& kept) {
  if (kept == nullptr) return {};
  const auto plan = device_plan(snapshot, overrides);
  return plan ? kept_forms(kept(describe_device(name, snapshot, *plan))) : KernelForms();
}

std::vector<std::unique_ptr<Device>> discover_devices(const HostEvaluator& evaluator, PlanOverrides overrides,
                                                      const KeptChoices& kept, void (*opened)()) {
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
    Opening opening{*instance, physical_device, read_snapshot(physical_device, (*instance)->functions()),
                    overrides, evaluator,       opened};
    const std::string name = free_name(device_name(opening.snapshot), [&](const std::string& wanted) {
      return std::ranges::any_of(devices, [&](const auto& device) { return device->info().name == wanted; });
    });
    if (overrides.slower == KernelForms{}) {
      opening.overrides.slower = kept_slower_forms(name, opening.snapshot, overrides, kept);
    }
    auto device = make_device(name, opening);
    if (!device) {
      log_line(LogLevel::kWarning, "Vulkan", "device left out: " + device.error().text());
      continue;
    }
    devices.push_back(*std::move(device));
  }
  return devices;
}

}  // namespace nnvk::vulkan
