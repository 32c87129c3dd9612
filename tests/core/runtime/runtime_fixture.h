// A runtime with one fake GPU and a fake CPU device, and a finished model with one RELU of two floats.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "core/model/model.h"
#include "core/runtime/compilation.h"
#include "core/runtime/event.h"
#include "core/runtime/execution.h"
#include "core/runtime/runtime.h"
#include "tests/support/bindings.h"
#include "tests/support/fake_device.h"

namespace nnvk::test {

// A compilation that has finished: for all devices, or for those that the client chose.
struct Finished : Compilation {
  Finished(const Model& model, Runtime& runtime) : Compilation(model, runtime) { EXPECT_TRUE(finish()); }
  Finished(const Model& model, Runtime& runtime, std::vector<Device*> devices) : Compilation(model, runtime, std::move(devices)) {
    EXPECT_TRUE(finish());
  }
};

class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest()
      : runtime_(make_gpu(), {.fallback = nullptr, .reference = make_cpu()}, HostEvaluator()), model_(runtime_.extensions()) {
    build_relu(model_, {2}, {2});
  }

  // y = RELU(x) with these NNAPI dimensions (0: unknown).
  static void build_relu(Model& model, std::vector<uint32_t> x, std::vector<uint32_t> y) {
    const auto type = [](const std::vector<uint32_t>& dims) {
      return OperandTypeDescription{3, dims.empty() ? nullptr : dims.data(), static_cast<uint32_t>(dims.size()), 0.0F, 0};
    };
    ASSERT_TRUE(model.add_operand(type(x)));
    ASSERT_TRUE(model.add_operand(type(y)));
    const uint32_t in = 0;
    const uint32_t out = 1;
    ASSERT_TRUE(model.add_operation(19, {&in, 1}, {&out, 1}));
    ASSERT_TRUE(model.identify_inputs_and_outputs({&in, 1}, {&out, 1}));
    ASSERT_TRUE(model.finish());
  }

  std::vector<std::unique_ptr<Device>> make_gpu() {
    auto device = make_device("fake-gpu", DeviceType::kGpu, 1.0);
    gpu_ = device.get();
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::move(device));
    return devices;
  }
  std::unique_ptr<Device> make_cpu() {
    auto device = make_device(kReferenceDeviceName, DeviceType::kCpu, 10.0);
    cpu_ = device.get();
    return device;
  }
  // Adds one to its input, in submit().
  static std::unique_ptr<FakeDevice> make_device(const char* name, DeviceType type, double predicted_seconds) {
    auto device = std::make_unique<FakeDevice>(name, type, adding_one());
    device->behaviour.predicted_seconds = predicted_seconds;
    device->behaviour.at_once = true;
    device->behaviour.has_memory = false;
    return device;
  }

  // An execution with x bound to input_ and y to output_.
  std::shared_ptr<Execution> bound(const Compilation& compilation) {
    auto execution = Execution::create(compilation);
    EXPECT_TRUE(execution->set(true, 0, {.data = input_.data(), .length = sizeof input_}));
    EXPECT_TRUE(execution->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
    return execution;
  }

  FakeDevice* gpu_ = nullptr;
  FakeDevice* cpu_ = nullptr;
  Runtime runtime_;
  Model model_;
  std::array<float, 2> input_{1.0F, 2.0F};
  std::array<float, 2> output_{};
};

}  // namespace nnvk::test
