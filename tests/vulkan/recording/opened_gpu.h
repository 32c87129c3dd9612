// The first Vulkan device of this machine, opened so that tests can replace its functions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/vulkan/memory/open_context.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

class OpenedGpu : public testing::Test {
 protected:
  // As a device does. Else the completion thread, as its last owner, might still be closing it when the process ends.
  ~OpenedGpu() override { close(); }
  void close() {
    if (gpu_ != nullptr) gpu_->completions->shut_down();
    gpu_ = nullptr;
  }
  // Null when there is none.
  static std::shared_ptr<Gpu> open(const PlanOverrides& overrides = {}) {
    const auto context = open_context(overrides);
    if (!context) return nullptr;
    auto gpu = Gpu::create(context);
    return gpu ? std::move(*gpu) : nullptr;
  }
  VolkDeviceTable& functions() { return gpu_->context->replaceable_functions(); }

  std::shared_ptr<Gpu> gpu_;
};

}  // namespace nnvk::vulkan
