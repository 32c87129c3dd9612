// A plan made ready on a Vulkan device: finds or builds the recording for the shapes of an execution and runs it.
#pragma once

#include <memory>

#include "core/plan/resolve.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"

namespace nnvk::vulkan {

class VulkanPreparedPlan final : public PreparedPlan {
 public:
  // `plan` is already rewritten and wholly supported. When all shapes are known the recording is built, its weights packed and
  // one warm-up run made before this returns, so that no execution pays for compilation. Blocks meanwhile.
  static Result<std::unique_ptr<PreparedPlan>> create(std::shared_ptr<Gpu> gpu, std::shared_ptr<const Plan> plan,
                                                      HostEvaluator evaluator, const PrepareOptions& options);
  ~VulkanPreparedPlan() override;

  Result<Submission> submit(const Request& request) override;
  // Its own device's memory, except where the host looks at values: operands that decide shapes, outputs whose size depends on
  // data.
  bool takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const override;
  Counters counters() const override;

  // Shared with running executions, which may outlive this object when it is destroyed by a completion callback.
  class State;

 private:
  explicit VulkanPreparedPlan(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace nnvk::vulkan
