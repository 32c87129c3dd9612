// Vendor extensions through a plugin: types with their data, operations, attributes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "accelerators/plugin_device.h"
#include "accelerators/table_driver.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/bindings.h"
#include "tests/support/extension_device/test_extension.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::accelerators {
namespace {

// Before the library is loaded: attributes need a table of level 8.
[[maybe_unused]] const int g_is_set = ::setenv("NNVK_SUPPORT_LIBRARY_LEVEL", "8", 1);

using test::bind;
using test::kTestExtension;
using test::value_of;
using ::testing::ElementsAre;

// y = TO_FLOAT(TO_FIXED(x)) with four fraction bits.
std::shared_ptr<const Plan> through_fixed_point() {
  test::PlanFixture f;
  const TensorId x = f.input({3});
  const TensorId fixed = f.temporary({3});
  const TensorId y = f.output({3});
  OperandInfo& info = f.raw().tensors[fixed].info;
  info.type = static_cast<OperandType>(1 << 16 | test::kFixed16);
  info.extension =
      std::make_shared<ExtensionOperand>(ExtensionOperand{kTestExtension, {test::kFixed16, true, 2}, {std::byte{4}}});
  const auto add = [&](uint16_t code, TensorId from, TensorId to) {
    f.node(static_cast<OperationCode>(1 << 16 | code), {from}, {to});
    f.raw().nodes.back().extension = ExtensionOperation{kTestExtension, code};
  };
  add(test::kToFixed, x, fixed);
  add(test::kToFloat, fixed, y);
  return f.plan();
}

class ExtensionsOfPlugins : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::shared_ptr<Driver> driver = value_of(load_table_driver(NNVK_SUPPORT_LIBRARY_WITH_EXTENSION));
    const PluginSurroundings surroundings{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
    devices_ = value_of(make_plugin_devices(driver, {"vendor", {}}, surroundings));
    for (const auto& device : devices_) {
      if (device->info().name == std::string("vendor/") + test::kExtensionDeviceName) device_ = device.get();
    }
    ASSERT_NE(device_, nullptr);
  }

  std::vector<float> run(PreparedPlan& prepared, std::shared_ptr<const ExtensionAttributes> attributes) {
    std::vector<float> x{0.5F, 1.03F, -2};
    std::vector<float> y(3, 99);
    const std::vector<Binding> inputs{bind(x, {3})};
    const std::vector<Binding> outputs{bind(y, {3})};
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    request.attributes = std::move(attributes);
    const Status done = value_of(prepared.submit(request)).done.wait();
    EXPECT_TRUE(done) << done.error().text();
    return y;
  }

  std::vector<std::unique_ptr<Device>> devices_;
  Device* device_ = nullptr;
};

std::vector<std::byte> bytes_of(float value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

TEST_F(ExtensionsOfPlugins, AreListedWithTheirTypes) {
  const auto& extensions = device_->info().extensions;
  ASSERT_FALSE(extensions.empty());
  EXPECT_EQ(extensions[0].name, kTestExtension);
  EXPECT_THAT(extensions[0].operand_types,
              ElementsAre(ExtensionType{test::kFixed16, true, 2}, ExtensionType{test::kFactor, false, 8}));
}

TEST_F(ExtensionsOfPlugins, AreAskedAboutAndComputed) {
  for (const Placement& placement : device_->place(*through_fixed_point())) EXPECT_TRUE(placement.supported) << placement.reason;
  const auto prepared = value_of(device_->prepare(through_fixed_point(), {}));
  EXPECT_THAT(run(*prepared, nullptr), ElementsAre(0.5F, 1.0F, -2.0F)) << "rounded to sixteenths";
}

TEST_F(ExtensionsOfPlugins, TheOperationsOfOneDeviceAreNotThoseOfAnother) {
  for (const auto& device : devices_) {
    if (device->info().name != std::string("vendor/") + test::kScalingDeviceName) continue;
    for (const Placement& placement : device->place(*through_fixed_point())) EXPECT_FALSE(placement.supported);
  }
}

TEST_F(ExtensionsOfPlugins, TakeAttributesOfCompilationsAndExecutions) {
  PrepareOptions options;
  options.attributes[{kTestExtension, test::kGain}] = bytes_of(2);
  const auto prepared = value_of(device_->prepare(through_fixed_point(), options));
  const auto offset = std::make_shared<ExtensionAttributes>();
  (*offset)[{kTestExtension, test::kOffset}] = bytes_of(10);
  EXPECT_THAT(run(*prepared, offset), ElementsAre(11.0F, 12.0F, 6.0F));
}

}  // namespace
}  // namespace nnvk::accelerators
