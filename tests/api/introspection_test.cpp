// The library's reports about its devices and its work: versions, supported operations, waiting, durations.
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/api/api_objects.h"

namespace nnvk::test {
namespace {

struct Identity {
  const char* name = nullptr;
  const char* version = nullptr;
  int32_t type = -1;
  int64_t level = -1;
  bool operator==(const Identity&) const = default;  // the strings are the same objects, not only equal
};

Identity identity_of(const ANeuralNetworksDevice* device) {
  Identity identity;
  EXPECT_EQ(ANeuralNetworksDevice_getName(device, &identity.name), kOk);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(device, &identity.version), kOk);
  EXPECT_EQ(ANeuralNetworksDevice_getType(device, &identity.type), kOk);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, &identity.level), kOk);
  return identity;
}

TEST(Introspection, WhatADeviceSaysOfItselfStaysTheSameFromEveryThread) {
  for (const ANeuralNetworksDevice* device : devices()) {
    const Identity before = identity_of(device);
    const std::string version = before.version;
    EXPECT_FALSE(version.empty());
    const ModelBuilder model = make_add({2});
    const CompilationPointer compilation = compiled_on(model.get(), device);
    Identity elsewhere;
    std::thread([&] { elsewhere = identity_of(device); }).join();
    EXPECT_EQ(identity_of(device), before);
    EXPECT_EQ(elsewhere, before);
    EXPECT_EQ(before.version, version);
  }
}

TEST(Introspection, WaitingForALiveDeviceReturnsAtOnceEvenWhileItIsBusy) {
  const EndlessLoop loop;
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(loop.get(), device);
    float x = 1;
    float y = 0;
    const ExecutionPointer e = make_execution(compilation, {x}, {y});
    EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(e.get(), 50'000'000), kOk);
    const EventPointer event = start(e);
    EXPECT_EQ(ANeuralNetworksDevice_wait(device), kOk);
    std::thread([&] { EXPECT_EQ(ANeuralNetworksDevice_wait(device), kOk); }).join();
    EXPECT_NE(wait(event), kOk);
    EXPECT_EQ(ANeuralNetworksDevice_wait(device), kOk);
  }
}

// if (condition) <code>(x) else RELU(x)
class Branches {
 public:
  explicit Branches(int32_t code) : then_model_(make_unary(code, kFloat, {2})) {
    const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    const uint32_t a = model.reference(then_model_);
    const uint32_t b = model.reference(else_model_);
    const uint32_t x = model.operand(kFloat, {2});
    const uint32_t taken = model.operand(kFloat, {2});
    const uint32_t y = model.operand(kFloat, {2});
    EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {taken}, {y}), kOk);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, a, b, x}, {taken}), kOk);
    model.finish({condition, x}, {y});
  }

 private:
  ModelBuilder then_model_;  // referenced by the model, so freed after it
  ModelBuilder else_model_ = make_unary(ANEURALNETWORKS_RELU, kFloat, {2});

 public:
  ModelBuilder model;
};

TEST(Introspection, ControlFlowIsOneOperationAndAsGoodAsItsModels) {
  const Branches good(ANEURALNETWORKS_TANH);
  const Branches vendor(ANEURALNETWORKS_OEM_OPERATION);
  const EndlessLoop loop;
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(supported(good.model.get(), {device}, 2), (std::vector<bool>{true, true}));
    EXPECT_EQ(supported(vendor.model.get(), {device}, 2), (std::vector<bool>{true, false}));
    EXPECT_EQ(supported(loop.get(), {device}, 1), (std::vector<bool>{true}));
  }
}

TEST(Introspection, WhatIsSupportedCompilesAndWhatIsNotDoesNot) {
  const Branches good(ANEURALNETWORKS_TANH);
  const Branches vendor(ANEURALNETWORKS_OEM_OPERATION);
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    finished(compile_for(good.model.get(), device));
    const CompilationPointer fails = compile_for(vendor.model.get(), device);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(fails.get()), kBadData);
  }
}

TEST(Introspection, SeveralDevicesSupportWhatAnyOfThemDoes) {
  // Three operations: a heatmap that is too large for the Vulkan device, a RELU for every device, and one that no device runs.
  ModelBuilder model;
  const uint32_t heatmap = model.operand(kFloat, {1, 900, 900, 1});
  const uint32_t boxes = model.operand(kFloat, {1, 4});
  const uint32_t nchw = model.constant<uint8_t>(ANEURALNETWORKS_BOOL, {}, {0});
  const uint32_t scores = model.operand(kFloat, {1, 1});
  const uint32_t points = model.operand(kFloat, {1, 1, 2});
  const uint32_t positive = model.operand(kFloat, {1, 1});
  const uint32_t y = model.operand(kFloat, {1, 1});
  EXPECT_EQ(model.operation(ANEURALNETWORKS_OEM_OPERATION, {positive}, {y}), kOk);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {scores}, {positive}), kOk);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, {heatmap, boxes, nchw}, {scores, points}), kOk);
  model.finish({heatmap, boxes}, {points, y});
  std::vector<const ANeuralNetworksDevice*> list = devices();
  EXPECT_EQ(supported(model.get(), {cpu_device()}, 3), (std::vector<bool>{false, true, true}));
  for (const ANeuralNetworksDevice* device : list) {
    int32_t type = 0;
    EXPECT_EQ(ANeuralNetworksDevice_getType(device, &type), kOk);
    EXPECT_EQ(supported(model.get(), {device}, 3), (std::vector<bool>{false, true, type == ANEURALNETWORKS_DEVICE_CPU}));
  }
  EXPECT_EQ(supported(model.get(), list, 3), (std::vector<bool>{false, true, true}));
  std::reverse(list.begin(), list.end());
  EXPECT_EQ(supported(model.get(), list, 3), (std::vector<bool>{false, true, true}));
}

using Durations = std::array<uint64_t, 4>;

Durations durations_of(const ExecutionPointer& execution, int expected) {
  Durations durations{};
  for (int32_t code = 0; code < 4; ++code) {
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution.get(), code, &durations[static_cast<size_t>(code)]), expected);
  }
  return durations;
}

constexpr Durations kNone{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

// Computes `execution` (reusable, measured) in both modes that wait, and checks its durations.
void expect_ordered_durations(const ANeuralNetworksDevice* device, const CompilationPointer& compilation,
                              const ExecutionPointer& execution) {
  const BurstPointer burst = make_burst(compilation);
  EXPECT_EQ(durations_of(execution, kBadState), kNone) << "not computed yet";
  for (const bool in_burst : {false, true}) {
    EXPECT_EQ(in_burst ? ANeuralNetworksExecution_burstCompute(execution.get(), burst.get())
                       : ANeuralNetworksExecution_compute(execution.get()),
              kOk);
    const auto [hardware, driver, fenced_hardware, fenced_driver] = durations_of(execution, kOk);
    EXPECT_EQ(fenced_hardware, hardware);
    EXPECT_EQ(fenced_driver, driver);
    if (device == cpu_device()) {
      EXPECT_EQ(hardware, UINT64_MAX);
      EXPECT_EQ(driver, UINT64_MAX);
    } else {
      EXPECT_NE(driver, UINT64_MAX);
      EXPECT_GT(driver, 0U);
      if (hardware != UINT64_MAX) {
        EXPECT_LE(hardware, driver);
      }
    }
  }
}

TEST(Durations, OfEveryModeAreOrderedAndTheCpuDeviceHasNone) {
  const ModelBuilder model = make_add({2});
  std::array<float, 2> values{};
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const ExecutionPointer e = make_execution(compilation, {values, values}, {values});
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(e.get(), true), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), true), kOk);
    expect_ordered_durations(device, compilation, e);
  }
}

TEST(Durations, OfModelsWithBranchesAreNoDifferent) {
  const Branches branches(ANEURALNETWORKS_TANH);
  const uint8_t yes = 1;
  std::array<float, 2> values{};
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(branches.model.get(), device);
    const ExecutionPointer e = make_execution(compilation, {yes, values}, {values});
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(e.get(), true), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), true), kOk);
    expect_ordered_durations(device, compilation, e);
  }
}

TEST(Durations, AreUnknownWithoutMeasuringAndAfterFailures) {
  const ModelBuilder model = make_add({0});
  const TypeOf two(kFloat, {2});
  std::array<float, 2> values{};
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const auto computed = [&](bool measure, size_t room, int expected) {
      const std::span<float> out = std::span(values).first(room);
      ExecutionPointer e = make_execution(compilation, {{values, two.get()}, {values, two.get()}}, {Output(out)});
      EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), true), kOk);
      EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(e.get(), measure), kOk);  // the last call counts
      EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), expected);
      return e;
    };
    durations_of(computed(true, 2, kOk), kOk);
    EXPECT_EQ(durations_of(computed(false, 2, kOk), kBadState), kNone);
    EXPECT_EQ(durations_of(computed(true, 1, kTooSmall), kBadState), kNone);
  }
}

}  // namespace
}  // namespace nnvk::test
