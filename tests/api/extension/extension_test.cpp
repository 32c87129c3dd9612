// Models with types and operations of an extension, from the client to the device and back.
#include <functional>

#include "tests/api/descriptions.h"
#include "tests/api/extension/extension_objects.h"

namespace nnvk::test {
namespace {

TEST(Extension, EveryModeRunsTypesAndOperationsBesideBuiltInOnes) {
  const ModelBuilder model = make_scaled_sum({4});
  const CompilationPointer compilation = compiled_on(model.get(), extension_device());
  ScaledSum synchronous;
  EXPECT_EQ(ANeuralNetworksExecution_compute(synchronous.bind(compilation).get()), kOk);
  EXPECT_EQ(synchronous.y, ScaledSum::kExpected);

  ScaledSum asynchronous;
  const ExecutionPointer started = asynchronous.bind(compilation);
  EXPECT_EQ(wait(start(started)), kOk);
  EXPECT_EQ(asynchronous.y, ScaledSum::kExpected);

  const BurstPointer burst = make_burst(compilation);
  ScaledSum in_burst;
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(in_burst.bind(compilation).get(), burst.get()), kOk);
  EXPECT_EQ(in_burst.y, ScaledSum::kExpected);

  ScaledSum fenced;
  const ExecutionPointer first = fenced.bind(compilation);
  EXPECT_EQ(wait(start_fenced(first)), kOk);
  EXPECT_EQ(fenced.y, ScaledSum::kExpected);

  ScaledSum again;
  const ExecutionPointer reusable = again.bind(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(reusable.get(), true), kOk);
  for (int i = 0; i < 3; ++i) {
    again.y = {};
    EXPECT_EQ(ANeuralNetworksExecution_compute(reusable.get()), kOk);
    EXPECT_EQ(again.y, ScaledSum::kExpected);
  }
}

TEST(Extension, DescriptionsNameOperationsByExtensionAndCodeAndListWhatDevicesHave) {
  const std::string to_fixed = std::string(kTestExtension) + ":" + std::to_string(kToFixed);
  const ModelBuilder model = make_scaled_sum({4});
  const auto names = [](const nlohmann::json& description) {
    std::vector<std::string> all;
    for (const auto& operation : description.at("operations")) all.push_back(operation.at("name").get<std::string>());
    return all;
  };
  const std::vector<std::string> explained = names(explain(model));
  EXPECT_EQ(explained[1], "ADD");
  EXPECT_EQ(explained[3], to_fixed);
  EXPECT_EQ(names(describe(compiled_on(model.get(), extension_device()))), explained);
  const nlohmann::json all = describe_devices();
  for (const auto& device : all.at("devices")) {
    if (device.at("name") == kExtensionDeviceName) {
      EXPECT_EQ(device.at("extensions")[0].at("name"), kTestExtension);
      EXPECT_EQ(device.at("extensions")[0].at("operations").size(), 3U);
      EXPECT_EQ(device.at("extensions")[0].at("operand_types").size(), 2U);
    }
    if (device.at("name") == "nnapi-reference") {
      EXPECT_TRUE(device.at("extensions").empty());
    }
  }
}

TEST(Extension, WithoutChosenDevicesTheModelGoesToTheDeviceThatListsIt) {
  const ModelBuilder model = make_scaled_sum({4});
  const CompilationPointer compilation = finished(compile_for_all(model.get()));
  ScaledSum sum;
  EXPECT_EQ(ANeuralNetworksExecution_compute(sum.bind(compilation).get()), kOk);
  EXPECT_EQ(sum.y, ScaledSum::kExpected);
}

TEST(Extension, DevicesThatDoNotListAnOperationAreNoPlaceForIt) {
  const ModelBuilder model = make_scaled_sum({4});
  for (const ANeuralNetworksDevice* device : devices()) {
    if (device == extension_device()) continue;
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compile_for(model.get(), device);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kBadData);
  }
}

TEST(Extension, OperandsOfAnOperationAreTheDevicesBusiness) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {2});
  const uint32_t y = model.operand(kFloat, {2});
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {x, x, x, x}, {y}), kOk);
  model.finish({x}, {y});
  const CompilationPointer chosen = compile_for(model.get(), extension_device());
  EXPECT_EQ(ANeuralNetworksCompilation_finish(chosen.get()), kBadData);
  const CompilationPointer anywhere = compile_for_all(model.get());
  EXPECT_EQ(ANeuralNetworksCompilation_finish(anywhere.get()), kBadData);
}

// x times a factor that is an input, as FIXED16 in and out.
Compiled scale_by_input(const std::vector<uint32_t>& dims, const std::vector<uint32_t>& result_dims) {
  ModelBuilder model;
  const uint32_t x = fixed16_operand(model, dims, 0);
  const uint32_t factor = model.operand(factor_type());
  const uint32_t y = fixed16_operand(model, result_dims, 0);
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {x, factor}, {y}), kOk);
  model.finish({x, factor}, {y});
  return Compiled(std::move(model), scaling_device());
}

TEST(Extension, ScalarsAndTensorsOfItsTypesAreInputsAndOutputs) {
  const Compiled scale = scale_by_input({2}, {2});
  const std::array<int16_t, 2> x{100, -7};
  const double factor = 3;
  std::array<int16_t, 2> y{};
  const ExecutionPointer e = make_execution(scale.compilation.get());
  EXPECT_EQ(ANeuralNetworksExecution_setInput(e.get(), 0, nullptr, x.data(), 3), kBadData);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(e.get(), 1, nullptr, &factor, 4), kBadData);
  EXPECT_EQ(set_input(e, 0, x), kOk);
  EXPECT_EQ(set_input(e, 1, factor), kOk);
  EXPECT_EQ(set_output(e, 0, y), kOk);
  EXPECT_EQ(compute(e), kOk);
  EXPECT_EQ(y, (std::array<int16_t, 2>{300, -21}));
}

TEST(Extension, AnInputOfItsTypeMayBeOmitted) {
  const Compiled scale = scale_by_input({2}, {2});
  const std::array<int16_t, 2> x{100, -7};
  std::array<int16_t, 2> y{};
  EXPECT_EQ(compute(make_execution(scale.compilation, {x, {}}, {y})), kOk);
  EXPECT_EQ(y, x);
}

TEST(Extension, WhatFailsOnItsDeviceRunsNowhereElse) {
  const Compiled scale = scale_by_input({2}, {2});
  const CompilationPointer anywhere = finished(compile_for_all(scale.model.get()));
  const double factor = 3;
  std::array<int16_t, 2> y{};
  EXPECT_EQ(compute(make_execution(anywhere, {{}, factor}, {y})), kFailed) << "the device cannot do without x";
  EXPECT_NE(std::string(nnvk_lastError()).find("nnvk.test:2 (operation 0)"), std::string::npos) << nnvk_lastError();
}

TEST(Extension, TheDeviceTellsTheShapeThatTheModelLeavesOpen) {
  for (const std::vector<uint32_t>& open : {std::vector<uint32_t>{0, 2}, std::vector<uint32_t>{}}) {
    const Compiled scale = scale_by_input(open, open);
    const std::array<int16_t, 6> x{1, 2, 3, 4, 5, 6};
    const TypeOf type(fixed16_type(), {3, 2});
    for (const size_t bytes : {12, 10}) {
      std::array<int16_t, 6> y{};
      EXPECT_EQ(set_input(make_execution(scale.compilation.get()), 0, x), kBadData) << "shape needed";
      const ExecutionPointer e =
          make_execution(scale.compilation, {{x, type.get()}, {}}, {std::as_writable_bytes(std::span(y)).first(bytes)});
      const int expected = bytes == 12 ? kOk : kTooSmall;
      EXPECT_EQ(compute(e), expected);
      std::array<uint32_t, 2> dims{};
      EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 0, dims.data()), expected);
      EXPECT_EQ(dims, (std::array<uint32_t, 2>{3, 2}));
      if (bytes == 12) {
        EXPECT_EQ(y, x);
      }
    }
  }
}

TEST(Extension, ConstantsOfItsTypesComeFromBuffersAndMemories) {
  ModelBuilder model;
  const uint32_t factor = model.operand(factor_type());
  const uint32_t x = fixed16_operand(model, {100}, 0);
  const uint32_t y = fixed16_operand(model, {100}, 0);
  std::vector<int16_t> values(100);
  for (int16_t i = 0; i < 100; ++i) values[static_cast<size_t>(i)] = i;
  const double two = 2;
  const MemoryPointer memory = make_memory(64);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), static_cast<int32_t>(x), values.data(), 199), kBadData);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), static_cast<int32_t>(x), values.data(), 200), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(factor), memory.get(), 8, 4),
            kBadData);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(factor), memory.get(), 8, 8), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), static_cast<int32_t>(factor), &two, sizeof two), kOk);
  const uint32_t fixed = fixed16_operand(model, {100}, 0);
  const uint32_t input = model.operand(factor_type());
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {x, factor}, {fixed}), kOk);
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {fixed, input}, {y}), kOk);
  model.finish({input}, {y});
  const CompilationPointer compilation = compiled_on(model.get(), scaling_device());
  const double ten = 10;
  std::vector<int16_t> result(100);
  EXPECT_EQ(compute(make_execution(compilation, {ten}, {result})), kOk);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(result[i], 20 * values[i]);
}

TEST(Extension, TheBlobOfAnOperandIsCopiedReplacedAndRemoved) {
  const auto half = [](const std::function<void(ANeuralNetworksModel*, int32_t)>& change) {
    ModelBuilder model;
    const uint32_t x = fixed16_operand(model, {1}, 1);
    const uint32_t y = model.operand(kFloat, {1});
    change(model.get(), static_cast<int32_t>(x));
    EXPECT_EQ(model.operation(extension_operation(kToFloat), {x}, {y}), kOk);
    model.finish({x}, {y});
    const CompilationPointer compilation = compiled_on(model.get(), extension_device());
    const int16_t one = 1;
    float result = 0;
    EXPECT_EQ(compute(make_execution(compilation, {one}, {result})), kOk);
    return result;
  };
  EXPECT_EQ(half([](ANeuralNetworksModel*, int32_t) {}), 0.5F);
  EXPECT_EQ(half([](ANeuralNetworksModel* model, int32_t x) {
              uint8_t bits = 3;
              EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model, x, &bits, 1), kOk);
              bits = 9;
            }),
            0.125F);
  EXPECT_EQ(half([](ANeuralNetworksModel* model, int32_t x) {
              EXPECT_EQ(ANeuralNetworksModel_setOperandExtensionData(model, x, nullptr, 0), kOk);
            }),
            1.0F);
}

TEST(Extension, MemoriesFromDescriptorsHoldItsTypes) {
  const Compiled scale = scale_by_input({2}, {2});
  const MemoryPointer memory = memory_between(scale.compilation, scale.compilation);
  ASSERT_NE(memory, nullptr);
  const std::array<int16_t, 2> x{5, 6};
  const double two = 2;
  EXPECT_EQ(compute(make_execution(scale.compilation, {x, two}, {{memory, 0, 0}})), kOk);
  std::array<int16_t, 2> y{};
  EXPECT_EQ(compute(make_execution(scale.compilation, {{memory, 0, 0}, two}, {y})), kOk);
  EXPECT_EQ(y, (std::array<int16_t, 2>{20, 24}));
}

// if (condition) TO_FLOAT(SCALE_BY(x, 2)) else TO_FLOAT(x), over FIXED16 of these dimensions.
class Branches {
 public:
  explicit Branches(const std::vector<uint32_t>& dims) : branches_{branch(dims, 2), branch(dims, 1)} {
    const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
    const uint32_t then_model = model.reference(branches_[0]);
    const uint32_t else_model = model.reference(branches_[1]);
    const uint32_t x = fixed16_operand(model, dims, 0);
    const uint32_t y = model.operand(kFloat, dims);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, then_model, else_model, x}, {y}), kOk);
    model.finish({condition, x}, {y});
  }

 private:
  static ModelBuilder branch(const std::vector<uint32_t>& dims, double by) {
    ModelBuilder model;
    const uint32_t x = fixed16_operand(model, dims, 0);
    const uint32_t factor = factor_operand(model, by);
    const uint32_t scaled = fixed16_operand(model, dims, 0);
    const uint32_t y = model.operand(kFloat, dims);
    EXPECT_EQ(model.operation(extension_operation(kScaleBy), {x, factor}, {scaled}), kOk);
    EXPECT_EQ(model.operation(extension_operation(kToFloat), {scaled}, {y}), kOk);
    model.finish({x}, {y});
    return model;
  }

  std::array<ModelBuilder, 2> branches_;  // referenced by the model, so freed after it

 public:
  ModelBuilder model;
};

TEST(Extension, BranchesHoldItsOperationsWithKnownAndOpenSizes) {
  for (const std::vector<uint32_t>& dims : {std::vector<uint32_t>{2}, std::vector<uint32_t>{0}}) {
    const Branches branches(dims);
    for (const ANeuralNetworksDevice* device : devices()) {
      bool supported = true;
      EXPECT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(branches.model.get(), &device, 1, &supported), kOk);
      EXPECT_EQ(supported, device == extension_device()) << name_of(device);
    }
    const CompilationPointer compilation = compiled_on(branches.model.get(), extension_device());
    const TypeOf two(fixed16_type(), {2});
    for (const uint8_t condition : {1, 0}) {
      const std::array<int16_t, 2> x{3, 4};
      std::array<float, 2> y{};
      EXPECT_EQ(compute(make_execution(compilation, {condition, {x, two.get()}}, {y})), kOk);
      const float factor = condition != 0 ? 2.0F : 1.0F;
      EXPECT_EQ(y, (std::array<float, 2>{3 * factor, 4 * factor}));
    }
  }
}

TEST(Extension, SupportedOperationsAreThoseThatEachDeviceListsAndTheirUnion) {
  const ModelBuilder model = make_scaled_sum({4});  // TO_FLOAT, ADD, SCALE_BY, TO_FIXED
  using Answers = std::vector<bool>;
  const auto ask = [&](const std::vector<const ANeuralNetworksDevice*>& list) { return supported(model.get(), list, 4); };
  EXPECT_EQ(ask({extension_device()}), (Answers{true, true, true, true}));
  EXPECT_EQ(ask({scaling_device()}), (Answers{false, false, true, false}));
  EXPECT_EQ(ask({cpu_device()}), (Answers{false, true, false, false}));
  EXPECT_EQ(ask({cpu_device(), scaling_device()}), (Answers{false, true, true, false}));
  EXPECT_EQ(ask({scaling_device(), cpu_device(), extension_device()}), (Answers{true, true, true, true}));
}

TEST(Extension, SharedWithDevicesThatDoNotListItTheModelStaysWhole) {
  const ModelBuilder model = make_scaled_sum({4});
  const CompilationPointer compilation = finished(compile_for(model.get(), {cpu_device(), extension_device(), scaling_device()}));
  ScaledSum sum;
  EXPECT_EQ(ANeuralNetworksExecution_compute(sum.bind(compilation).get()), kOk);
  EXPECT_EQ(sum.y, ScaledSum::kExpected);
}

// y = RELU(TO_FLOAT(SCALE_BY(TO_FIXED(RELU(x)), 2))): RELU is not among the operations of the devices with the extension.
ModelBuilder make_mixture(const std::vector<uint32_t>& dims) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, dims);
  const uint32_t positive = model.operand(kFloat, dims);
  const uint32_t fixed = fixed16_operand(model, dims, 2);
  const uint32_t factor = factor_operand(model, 2);
  const uint32_t scaled = fixed16_operand(model, dims, 2);
  const uint32_t back = model.operand(kFloat, dims);
  const uint32_t y = model.operand(kFloat, dims);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {x}, {positive}), kOk);
  EXPECT_EQ(model.operation(extension_operation(kToFixed), {positive}, {fixed}), kOk);
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {fixed, factor}, {scaled}), kOk);
  EXPECT_EQ(model.operation(extension_operation(kToFloat), {scaled}, {back}), kOk);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {back}, {y}), kOk);
  model.finish({x}, {y});
  return model;
}

void expect_mixture_computes(const CompilationPointer& compilation) {
  const TypeOf four(kFloat, {4});
  const std::array<float, 4> x{1, -2, 0.25F, 100};
  std::array<float, 4> y{};
  EXPECT_EQ(compute(make_execution(compilation, {{x, four.get()}}, {y})), kOk);
  EXPECT_EQ(y, (std::array<float, 4>{2, 0, 0.5F, 200}));
}

TEST(Extension, OneModelIsSharedByTheDeviceThatListsItAndTheOthers) {
  for (const std::vector<uint32_t>& dims : {std::vector<uint32_t>{4}, std::vector<uint32_t>{0}}) {
    SCOPED_TRACE(dims[0]);
    const ModelBuilder model = make_mixture(dims);
    const CompilationPointer chosen = finished(compile_for(model.get(), {cpu_device(), extension_device()}));
    expect_mixture_computes(chosen);
    const CompilationPointer anywhere = finished(compile_for_all(model.get()));
    expect_mixture_computes(anywhere);
    const CompilationPointer without = compile_for(model.get(), {cpu_device(), scaling_device()});
    EXPECT_EQ(ANeuralNetworksCompilation_finish(without.get()), kBadData) << "nobody here runs TO_FIXED";
  }
}

TEST(Extension, PartsThatDoNotMeetRunOnDevicesOfTheirOwn) {
  ModelBuilder model;
  const uint32_t x = fixed16_operand(model, {2}, 0);
  const uint32_t factor = factor_operand(model, 3);
  const uint32_t scaled = fixed16_operand(model, {2}, 0);
  const uint32_t a = model.operand(kFloat, {2});
  const uint32_t sum = model.operand(kFloat, {2});
  const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
  EXPECT_EQ(model.operation(extension_operation(kScaleBy), {x, factor}, {scaled}), kOk);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_ADD, {a, a, none}, {sum}), kOk);
  model.finish({x, a}, {scaled, sum});
  const CompilationPointer compilation = finished(compile_for(model.get(), {cpu_device(), scaling_device()}));
  const std::array<int16_t, 2> in{5, -6};
  const std::array<float, 2> floats{1, 2};
  std::array<int16_t, 2> out{};
  std::array<float, 2> sums{};
  EXPECT_EQ(compute(make_execution(compilation, {in, floats}, {out, sums})), kOk);
  EXPECT_EQ(out, (std::array<int16_t, 2>{15, -18}));
  EXPECT_EQ(sums, (std::array<float, 2>{2, 4}));
}

}  // namespace
}  // namespace nnvk::test
