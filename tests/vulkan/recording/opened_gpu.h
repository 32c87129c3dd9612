// The first Vulkan device of this machine, opened so that tests can replace its functions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/vulkan/memory/open_context.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

// Prepares the plan on a device that is not reopened after a loss.
inline Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<Gpu> gpu, std::shared_ptr<const Plan> plan,
                                                          HostEvaluator evaluator, const PrepareOptions& options) {
  return prepare_plan(std::make_shared<LivingGpu>(std::move(gpu)), std::move(plan), std::move(evaluator), options, nullptr);
}

class OpenedGpu : public testing::Test {
 protected:
  // Closes at once, as a device does. Otherwise the completion thread, the last owner, might still close it at process exit.
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
