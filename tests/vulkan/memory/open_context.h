// Opens the first Vulkan device of this machine with given overrides of its device plan.
#pragma once

#include <memory>
#include <utility>

#include "vulkan/context/context.h"

namespace nnvk::vulkan {

// Null when there is no device.
inline std::shared_ptr<Context> open_context(const PlanOverrides& overrides) {
  auto instance = Instance::create();
  if (!instance) return nullptr;
  for (const VkPhysicalDevice physical : (*instance)->physical_devices()) {
    DeviceSnapshot snapshot = read_snapshot(physical, (*instance)->functions());
    auto plan = device_plan(snapshot, overrides);
    if (!plan) continue;
    auto context = Context::create(*instance, physical, std::move(snapshot), std::move(*plan));
    if (context) return *context;
  }
  return nullptr;
}

}  // namespace nnvk::vulkan
