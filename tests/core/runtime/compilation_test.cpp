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

// Each takes all memory or the whole stack in regcomp().
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
