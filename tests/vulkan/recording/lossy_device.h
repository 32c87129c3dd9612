// A Vulkan device whose first VkDevice has faults (vulkan_faults.h), in a runtime with a model. Shared by the tests of lost and
// hanging devices.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/model.h"
#include "core/runtime/compilation.h"
#include "core/runtime/event.h"
#include "core/runtime/execution.h"
#include "core/runtime/runtime.h"
#include "network.h"
#include "tests/vulkan/memory/open_context.h"
#include "vulkan/recording/living_gpu.h"
#include "vulkan/vulkan_device.h"
#include "vulkan_faults.h"

namespace nnvk::vulkan {

using namespace test;

// Null if there is no device. Its first VkDevice has the `wanted` faults from the first call after its creation on. With
// `always`, the VkDevices that replace it have them too.
inline std::unique_ptr<VulkanDevice> open_with_faults(const PlanOverrides& overrides, const faults::Faults& wanted,
                                                      bool always = false) {
  const auto context = open_context(overrides);
  if (context == nullptr) return nullptr;
  faults::install(context->replaceable_functions(), wanted);
  auto gpu = Gpu::create(context);
  if (!gpu) return nullptr;
  const auto again = [overrides, wanted, always]() -> Result<std::shared_ptr<Gpu>> {
    const auto other = open_context(overrides);
    if (other == nullptr) return fail(Code::kUnavailableDevice, "there is no device any more");
    if (always) faults::install(other->replaceable_functions(), wanted);
    return Gpu::create(other);
  };
  return std::make_unique<VulkanDevice>("lossy", *gpu, cpu::reference_evaluator(), again);
}

// A runtime with such a device, and a model with weights to pack: y = tanh(x + logistic(1x1 convolution of x)).
class LossyRuntime {
 public:
  explicit LossyRuntime(std::unique_ptr<VulkanDevice> device)
      : device_(device.get()),
        runtime_(listed(std::move(device)), {.fallback = nullptr, .reference = cpu::make_reference_device()},
                 cpu::reference_evaluator()),
        model_(runtime_.extensions()) {
    build();
  }

  VulkanDevice& device() { return *device_; }
  // For this device alone, so that no execution falls back to the CPU.
  std::unique_ptr<Compilation> compilation() {
    return std::make_unique<Compilation>(model_, runtime_, std::vector<Device*>{device_});
  }
  // The expected y for the input of every BoundRun.
  const std::vector<float>& wanted();
  static constexpr size_t kElements = 1 * 5 * 7 * 4;

 private:
  static std::vector<std::unique_ptr<Device>> listed(std::unique_ptr<VulkanDevice> device) {
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::move(device));
    return devices;
  }

  uint32_t add(OperandType type, std::vector<uint32_t> dims) {
    EXPECT_TRUE(model_.add_operand(
        {static_cast<int32_t>(type), dims.empty() ? nullptr : dims.data(), static_cast<uint32_t>(dims.size()), 0.0F, 0}));
    return operands_++;
  }
  uint32_t scalar(int32_t value) {
    const uint32_t id = add(OperandType::kInt32, {});
    EXPECT_TRUE(model_.set_operand_value(id, &value, sizeof value));
    return id;
  }
  uint32_t constant(std::vector<uint32_t> dims, uint32_t count) {
    const std::vector<float>& values = constants_.emplace_back(random_floats(count, count));
    const uint32_t id = add(OperandType::kTensorFloat32, std::move(dims));
    EXPECT_TRUE(model_.set_operand_value(id, values.data(), count * sizeof(float)));
    return id;
  }
  uint32_t operation(OperationCode code, std::vector<uint32_t> inputs) {
    const uint32_t out = add(OperandType::kTensorFloat32, {1, 5, 7, 4});
    EXPECT_TRUE(model_.add_operation(static_cast<int32_t>(code), inputs, {&out, 1}));
    return out;
  }
  void build() {
    constants_.reserve(2);
    const uint32_t x = add(OperandType::kTensorFloat32, {1, 5, 7, 4});
    const uint32_t weights = constant({4, 1, 1, 4}, 16);
    const uint32_t bias = constant({4}, 4);
    const uint32_t valid = scalar(2);
    const uint32_t one = scalar(1);
    const uint32_t none = scalar(0);
    const uint32_t convolved = operation(OperationCode::kConv2d, {x, weights, bias, valid, one, one, none});
    const uint32_t squashed = operation(OperationCode::kLogistic, {convolved});
    const uint32_t sum = operation(OperationCode::kAdd, {squashed, x, none});
    const uint32_t y = operation(OperationCode::kTanh, {sum});
    EXPECT_TRUE(model_.identify_inputs_and_outputs({&x, 1}, {&y, 1}));
    EXPECT_TRUE(model_.finish());
  }

  VulkanDevice* device_;
  Runtime runtime_;
  Model model_;
  uint32_t operands_ = 0;
  std::vector<std::vector<float>> constants_;
  std::vector<float> wanted_;
};

// One execution and its memory.
struct BoundRun {
  explicit BoundRun(const Compilation& compilation)
      : in(random_floats(LossyRuntime::kElements, 1)), out(in.size(), -99.0F), execution(Execution::create(compilation)) {
    EXPECT_TRUE(execution->set(true, 0, {.data = in.data(), .length = in.size() * sizeof(float)}));
    EXPECT_TRUE(execution->set(false, 0, {.data = out.data(), .length = out.size() * sizeof(float)}));
  }
  std::vector<float> in;
  std::vector<float> out;
  std::shared_ptr<Execution> execution;
};

inline const std::vector<float>& LossyRuntime::wanted() {
  if (wanted_.empty()) {
    Compilation compilation(model_, runtime_, {&runtime_.reference()});
    EXPECT_TRUE(compilation.finish());
    BoundRun run(compilation);
    EXPECT_TRUE(run.execution->compute());
    wanted_ = run.out;
  }
  return wanted_;
}

}  // namespace nnvk::vulkan
