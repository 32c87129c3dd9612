// The first Vulkan device of this machine, opened so that tests can replace its functions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "vulkan/context/instance.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

class OpenedGpu : public testing::Test {
 protected:
  // Null when there is none.
  static std::shared_ptr<Gpu> open(const PlanOverrides& overrides = {}) {
    auto instance = Instance::create();
    if (!instance) return nullptr;
    for (const VkPhysicalDevice physical : (*instance)->physical_devices()) {
      DeviceSnapshot snapshot = read_snapshot(physical);
      auto plan = device_plan(snapshot, overrides);
      if (!plan) continue;
      auto context = Context::create(*instance, physical, std::move(snapshot), std::move(*plan));
      if (!context) continue;
      auto gpu = Gpu::create(*context);
      return gpu ? std::move(*gpu) : nullptr;
    }
    return nullptr;
  }
  VolkDeviceTable& functions() { return gpu_->context->replaceable_functions(); }

  std::shared_ptr<Gpu> gpu_;
};

}  // namespace nnvk::vulkan
