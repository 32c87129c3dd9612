// The operations that a runtime asks devices about, and the devices that it uses.
#include "core/runtime/placement.h"
#include "core/operations/operation_enumerators.h"

#include <gtest/gtest.h>

#include "core/base/log.h"
#include "core/runtime/deployment.h"
#include "core/runtime/runtime.h"
#include "tests/support/fake_device.h"

namespace nnvk::test {
namespace {

PlanNode node_of(OperationCode code) {
  PlanNode node;
  node.code = code;
  node.inputs = {0};
  node.outputs = {1};
  return node;
}

PlanNode extension_node(const std::string& extension, uint16_t code) {
  PlanNode node = node_of(static_cast<OperationCode>((1 << 16) | code));
  node.extension = ExtensionOperation{extension, code};
  return node;
}

std::shared_ptr<Plan> plan_of(std::vector<PlanNode> nodes) {
  auto plan = std::make_shared<Plan>();
  plan->tensors.resize(2);
  plan->nodes = std::move(nodes);
  return plan;
}

// One IF; both branches are this model.
std::shared_ptr<Plan> with_branch(const std::shared_ptr<Plan>& branch) {
  PlanNode node = node_of(OperationCode::kIf);
  node.inputs = {0, 2, 2, 0};
  auto plan = plan_of({std::move(node)});
  PlanTensor reference;
  reference.role = TensorRole::kSubgraph;
  plan->tensors.push_back(reference);
  plan->subgraphs = {branch};
  return plan;
}

std::vector<bool> supported(const Device& device, const Plan& plan) {
  std::vector<bool> result;
  for (const Placement& placement : place_on(device, plan)) {
    EXPECT_EQ(placement.supported, placement.reason.empty());
    result.push_back(placement.supported);
  }
  return result;
}

TEST(Placement, AsksOnlyForExtensionOperationsThatTheDeviceLists) {
  FakeDevice device("fake");
  device.changeable_info().extensions = {{"a.b", {}, {1, 2}}};
  const auto plan = plan_of({extension_node("a.b", 1), extension_node("a.b", 3), extension_node("a.c", 1),
                             node_of(OperationCode::kRelu), extension_node("a.b", 2)});
  EXPECT_EQ(supported(device, *plan), (std::vector<bool>{true, false, false, true, true}));
  device.behaviour.takes = [](const PlanNode&) { return false; };
  EXPECT_EQ(supported(device, *plan), std::vector<bool>(5, false));
  EXPECT_EQ(plan->describe(plan->nodes[1]), "a.b:3 (operation 0)");
}

TEST(Placement, OperationsNewerThanTheDeviceAreNotOfferedInBranchesEither) {
  FakeDevice device("fake");
  const auto level_6 = plan_of({node_of(OperationCode::kBatchMatmul)});
  EXPECT_EQ(supported(device, *with_branch(level_6)), std::vector<bool>{true});
  device.changeable_info().feature_level = 31;  // level 5
  EXPECT_EQ(supported(device, *level_6), std::vector<bool>{false});
  EXPECT_EQ(supported(device, *with_branch(level_6)), std::vector<bool>{false});
  EXPECT_EQ(supported(device, *with_branch(plan_of({node_of(OperationCode::kRelu)}))), std::vector<bool>{true});
  device.changeable_info().feature_level = 29;  // level 3: no control flow, but extensions
  EXPECT_EQ(supported(device, *with_branch(plan_of({node_of(OperationCode::kRelu)}))), std::vector<bool>{false});
  device.changeable_info().extensions = {{"a.b", {}, {1}}};
  EXPECT_EQ(supported(device, *plan_of({extension_node("a.b", 1)})), std::vector<bool>{true});
  device.changeable_info().feature_level = 28;
  EXPECT_EQ(supported(device, *plan_of({extension_node("a.b", 1)})), std::vector<bool>{false});
}

TEST(Placement, ExtensionOperationsInBranchesCountToo) {
  FakeDevice device("fake");
  const auto plan = with_branch(plan_of({extension_node("a.b", 1)}));
  EXPECT_EQ(supported(device, *plan), std::vector<bool>{false});
  device.changeable_info().extensions = {{"a.b", {}, {1}}};
  EXPECT_EQ(supported(device, *plan), std::vector<bool>{true});
}

class Registration : public ::testing::Test {
 protected:
  static std::unique_ptr<Device> device(const char* name, std::vector<ExtensionDescription> extensions) {
    auto fake = std::make_unique<FakeDevice>(name);
    fake->changeable_info().extensions = std::move(extensions);
    return fake;
  }
  static std::unique_ptr<Runtime> runtime(std::unique_ptr<Device> first, std::unique_ptr<Device> second) {
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::move(first));
    devices.push_back(std::move(second));
    return std::make_unique<Runtime>(std::move(devices),
                                     CpuDevices{nullptr, std::make_unique<FakeDevice>("cpu", DeviceType::kCpu)}, HostEvaluator());
  }
};

std::vector<std::string> names_of(const Runtime& runtime) {
  std::vector<std::string> names;
  for (const Device* device : runtime.devices()) names.push_back(device->info().name);
  return names;
}

TEST_F(Registration, MakesTheTypesOfTheDevicesKnown) {
  const auto made = runtime(device("one", {{"a.b", {{1, true, 2}}, {}}}), device("two", {{"c.d", {{1, false, 8}}, {}}}));
  EXPECT_EQ(names_of(*made), (std::vector<std::string>{"one", "two", "cpu"}));
  ExtensionRegistry& extensions = made->extensions();
  EXPECT_NE(extensions.operand_type(*extensions.code_of("a.b", 1)), nullptr);
  EXPECT_NE(extensions.operand_type(*extensions.code_of("c.d", 1)), nullptr);
}

std::vector<std::string>& logged() {
  static std::vector<std::string> lines;
  return lines;
}

TEST_F(Registration, DisablesExtensionsThatTwoDevicesDescribeDifferentlyAndSaysSo) {
  logged().clear();
  set_log_sink([](LogLevel, std::string_view tag, std::string_view text) {
    logged().push_back(std::string(tag) + ": " + std::string(text));
  });
  const auto made = runtime(device("one", {{"a.b", {{1, true, 2}}, {}}}), device("two", {{"a.b", {{1, true, 4}}, {}}}));
  set_log_sink(nullptr);
  EXPECT_EQ(names_of(*made), (std::vector<std::string>{"one", "two", "cpu"}));
  EXPECT_EQ(made->extensions().operand_type(*made->extensions().code_of("a.b", 1)), nullptr);
  ASSERT_EQ(logged().size(), 1U);
  EXPECT_NE(logged()[0].find("\"a.b\" is disabled"), std::string::npos) << logged()[0];
}

TEST_F(Registration, LeavesOutDevicesThatDescribeTheirExtensionsWrongly) {
  const auto made = runtime(device("one", {{"a.b", {{1, true, 2}}, {}}, {"Malformed", {}, {}}}), device("two", {}));
  EXPECT_EQ(names_of(*made), (std::vector<std::string>{"two", "cpu"}));
  EXPECT_EQ(made->extensions().operand_type(*made->extensions().code_of("a.b", 1)), nullptr);
}

TEST_F(Registration, ADeviceThatIsAppendedChangesNoListThatSomebodyHas) {
  const auto made = runtime(device("a", {}), device("b", {}));
  const std::vector<Device*>& before = made->devices();
  const std::vector<Device*>& eligible_before = made->eligible_devices();
  Device* const late = made->append(device("late", {}));
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(before.size(), 3U);
  EXPECT_EQ(eligible_before.size(), 3U);
  EXPECT_EQ(names_of(*made), (std::vector<std::string>{"a", "b", "cpu", "late"})) << "clients know the others by their places";
  EXPECT_EQ(made->reference().info().name, "cpu");
  EXPECT_EQ(made->fallback().info().name, "cpu") << "the last of those to choose from";
  EXPECT_EQ(made->eligible_devices().at(2), late);
  EXPECT_EQ(made->append(device("wrong", {{"", {}, {}}})), nullptr);
  EXPECT_EQ(made->devices().size(), 4U);
}

// The failed question says nothing about the model, which may run later.
TEST(Placement, WhatADeviceCouldNotBeAskedIsNoStatementAboutTheModel) {
  FakeDevice device("fake");
  device.behaviour.cannot_be_asked = "it is lost";
  for (const auto& plan : {plan_of({node_of(OperationCode::kRelu)}), with_branch(plan_of({node_of(OperationCode::kRelu)}))}) {
    const auto placements = place_on(device, *plan);
    EXPECT_FALSE(placements[0].supported);
    EXPECT_TRUE(placements[0].is_unanswered);
    Device* const devices[] = {&device};
    const auto deployment = deploy(plan, devices);
    ASSERT_FALSE(deployment);
    EXPECT_EQ(deployment.error().code, Code::kUnavailableDevice);
    EXPECT_NE(deployment.error().message.find("it is lost"), std::string::npos);
  }
}

}  // namespace
}  // namespace nnvk::test
