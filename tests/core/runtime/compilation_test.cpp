// Compilations over fake devices: settings, device choice, fallback.
#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

using CompilationTest = RuntimeTest;

TEST_F(CompilationTest, TheFastestDeviceThatRunsEverythingIsChosen) {
  Finished on_gpu(model_, runtime_);
  EXPECT_EQ(on_gpu.parts()[0].device, gpu_);
  gpu_->behaviour.predicted_seconds = 100.0;
  Finished on_cpu(model_, runtime_);
  EXPECT_EQ(on_cpu.parts()[0].device, cpu_);
}

TEST_F(CompilationTest, SettingsReachTheDevice) {
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.set_preference(2));
  ASSERT_TRUE(compilation.set_priority(110));
  ASSERT_TRUE(compilation.set_timeout(1'000'000'000'000));
  ASSERT_TRUE(compilation.finish());
  EXPECT_EQ(gpu_->last_options.preference, 2);
  EXPECT_EQ(gpu_->last_options.priority, 110);
  EXPECT_EQ(gpu_->last_options.cache, nullptr) << "nobody asked for caching";
  EXPECT_TRUE(gpu_->last_options.deadline.has_value());
}

TEST_F(CompilationTest, AfterFinishNothingChangesWhateverTheResult) {
  gpu_->behaviour.takes = [](const PlanNode&) { return false; };
  Compilation failed(model_, runtime_, {gpu_});
  EXPECT_EQ(code_of(failed.finish()), Code::kBadData);
  EXPECT_EQ(code_of(failed.finish()), Code::kBadState);
  EXPECT_EQ(code_of(failed.set_priority(100)), Code::kBadState);
  EXPECT_EQ(code_of(failed.require_ready()), Code::kBadState);
}

TEST_F(CompilationTest, ADeviceThatFailsToPrepareIsReplacedByTheCpu) {
  gpu_->behaviour.prepare_result = fail(Code::kResourceExhaustedTransient, "full");
  Finished automatic(model_, runtime_);
  EXPECT_EQ(automatic.parts()[0].device, cpu_);
  auto execution = bound(automatic);
  EXPECT_TRUE(execution->compute());

  Compilation explicit_gpu(model_, runtime_, {gpu_});
  EXPECT_EQ(code_of(explicit_gpu.finish()), Code::kResourceExhaustedTransient);
}

TEST_F(CompilationTest, BadDataFromADeviceIsNotRetriedOnTheCpu) {
  gpu_->behaviour.prepare_result = fail(Code::kBadData, "no");
  Compilation compilation(model_, runtime_);
  EXPECT_EQ(code_of(compilation.finish()), Code::kBadData);
}

TEST_F(CompilationTest, ADeadlineThatHasPassedIsPersistent) {
  Compilation compilation(model_, runtime_, {cpu_});
  ASSERT_TRUE(compilation.set_timeout(1));
  EXPECT_EQ(code_of(compilation.finish()), Code::kMissedDeadlinePersistent);
}

// y = 1x1 CONV_2D of x with this padding on all sides; x [1, 4, 4, 1], or with unknown height.
void build_convolution(Model& model, int32_t padding, uint32_t height) {
  uint32_t count = 0;
  const auto tensor = [&](std::vector<uint32_t> dims) {
    EXPECT_TRUE(model.add_operand({3, dims.data(), static_cast<uint32_t>(dims.size()), 0.0F, 0}));
    return count++;
  };
  const auto scalar = [&](int32_t value) {
    EXPECT_TRUE(model.add_operand({1, nullptr, 0, 0.0F, 0}));
    EXPECT_TRUE(model.set_operand_value(count, &value, sizeof value));
    return count++;
  };
  const float one = 1.0F;
  const uint32_t x = tensor({1, height, 4, 1});
  const uint32_t filter = tensor({1, 1, 1, 1});
  EXPECT_TRUE(model.set_operand_value(filter, &one, sizeof one));
  const uint32_t bias = tensor({1});
  EXPECT_TRUE(model.set_operand_value(bias, &one, sizeof one));
  std::vector<uint32_t> inputs{x, filter, bias};
  for (int i = 0; i < 4; ++i) inputs.push_back(scalar(padding));
  for (const int32_t value : {1, 1, 0}) inputs.push_back(scalar(value));
  const uint32_t y = tensor({1, 0, 0, 1});
  EXPECT_TRUE(model.add_operation(3, inputs, {&y, 1}));
  EXPECT_TRUE(model.identify_inputs_and_outputs({&x, 1}, {&y, 1}));
  EXPECT_TRUE(model.finish());
}

// The padding must be smaller than the filter for any image size, so the error is known at compilation.
TEST_F(CompilationTest, WhatWouldFailEveryExecutionFailsTheCompilation) {
  for (const auto& [padding, height] : {std::pair<int32_t, uint32_t>{1, 4}, {1, 0}, {0, 4}, {0, 0}}) {
    Model model(runtime_.extensions());
    build_convolution(model, padding, height);
    for (const bool chosen : {true, false}) {
      Compilation compilation = chosen ? Compilation(model, runtime_, {gpu_}) : Compilation(model, runtime_);
      const Status result = compilation.finish();
      EXPECT_EQ(code_of(result), padding > 0 ? Code::kOpFailed : Code::kNoError) << height;
      if (padding == 0) continue;
      EXPECT_NE(result.error().text().find("CONV_2D (operation 0)"), std::string::npos) << result.error().text();
      EXPECT_NE(result.error().text().find("must exceed its padding"), std::string::npos) << result.error().text();
    }
  }
}

TEST_F(CompilationTest, ModelsWithVendorOperationsNeverFallBack) {
  Model vendor(runtime_.extensions());
  const uint32_t dims[] = {2};
  const OperandTypeDescription type{3, dims, 1, 0.0F, 0};
  const uint32_t in = 0;
  const uint32_t out = 1;
  ASSERT_TRUE(vendor.add_operand(type));
  ASSERT_TRUE(vendor.add_operand(type));
  ASSERT_TRUE(vendor.add_operation(10000, {&in, 1}, {&out, 1}));
  ASSERT_TRUE(vendor.identify_inputs_and_outputs({&in, 1}, {&out, 1}));
  ASSERT_TRUE(vendor.finish());
  gpu_->behaviour.prepare_result = fail(Code::kOpFailed, "no");
  Compilation compilation(vendor, runtime_);
  EXPECT_EQ(code_of(compilation.finish()), Code::kOpFailed);
  EXPECT_FALSE(compilation.may_fall_back());
}

TEST_F(CompilationTest, AttributesReachTheDeviceSortedAndAsTheyWereGiven) {
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.add_extension_attribute("c.d", 1, "x", 1));
  ASSERT_TRUE(compilation.add_extension_attribute("a.b", 9, "yz", 2));
  ASSERT_TRUE(compilation.add_extension_attribute("a.b", 2, nullptr, 0));
  EXPECT_EQ(code_of(compilation.add_extension_attribute("a.b", 9, "other", 5)), Code::kBadData);
  ASSERT_TRUE(compilation.finish());
  const std::byte x{'x'};
  const std::byte y{'y'};
  const std::byte z{'z'};
  EXPECT_EQ(gpu_->last_options.attributes, (ExtensionAttributes{{{"a.b", 2}, {}}, {{"a.b", 9}, {y, z}}, {{"c.d", 1}, {x}}}));
  EXPECT_EQ(gpu_->last_options.attributes.begin()->first.second, 2) << "in order of name and code";

  const auto plain = bound(compilation);
  ASSERT_TRUE(plain->compute());
  EXPECT_EQ(gpu_->last_plan->last_attributes, nullptr);
  const auto execution = bound(compilation);
  ASSERT_TRUE(execution->add_extension_attribute("a.b", 9, "z", 1));
  ASSERT_TRUE(execution->compute());
  ASSERT_NE(gpu_->last_plan->last_attributes, nullptr);
  EXPECT_EQ(*gpu_->last_plan->last_attributes, (ExtensionAttributes{{{"a.b", 9}, {z}}}));
}

TEST_F(CompilationTest, SupportedOperationsAreTheUnionOfTheDevicesAnswers) {
  gpu_->behaviour.takes = [](const PlanNode&) { return false; };
  EXPECT_EQ(supported_operations(model_, {gpu_}), std::vector<bool>{false});
  EXPECT_EQ(supported_operations(model_, {gpu_, cpu_}), std::vector<bool>{true});
}

TEST(DeviceFilter, MatchesWholeNamesWithARegularExpression) {
  EXPECT_TRUE(offers_device({}, "vulkan-llvmpipe"));
  EXPECT_TRUE(offers_device({false, "vulkan-.*"}, "vulkan-llvmpipe"));
  EXPECT_FALSE(offers_device({false, "vulkan"}, "vulkan-llvmpipe"));
  EXPECT_TRUE(offers_device({false, "("}, "vulkan-llvmpipe"));
  EXPECT_FALSE(offers_device({false, "((a|b){1,9})+"}, "vulkan-llvmpipe"));
}

// Each pattern exhausts memory or the stack in regcomp().
TEST(DeviceFilter, PatternsThatAreTooMuchForTheMatcherEnableAllDevices) {
  const std::string deep = std::string(500, '(') + "a" + std::string(500, ')');
  std::string repeated = "a";
  for (int i = 0; i < 5; ++i) repeated = "(" + repeated + "){1,99}";
  for (const std::string& pattern : {deep, repeated, std::string("a{1,20000}"), std::string(5000, 'a'), std::string("(a*)\\1")}) {
    EXPECT_TRUE(offers_device({false, pattern}, "vulkan-llvmpipe")) << pattern;
  }
}

TEST(Deadline, SaturatesInsteadOfOverflowing) {
  EXPECT_FALSE(deadline_after(0).has_value());
  EXPECT_FALSE(deadline_after(UINT64_MAX).has_value());
  EXPECT_TRUE(deadline_after(1000).has_value());
}

}  // namespace
}  // namespace nnvk::test
