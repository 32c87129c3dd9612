// Drivers over function tables: rejected tables, and computations of the sample NPU through one.
#include "accelerators/table_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nnvk/support_library.h>

#include <cstring>

#include "accelerators/plugin_device.h"
#include "accelerators/sl_table.h"
#include "cpu_fallback/reference_device.h"
#include "tests/accelerators/npu_fixture.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::accelerators {
namespace {

using test::bind;
using test::code_of;
using test::PlanFixture;
using test::value_of;
using ::testing::HasSubstr;

// A copy of the sample's table.
NnApiSLDriverImplFL8 sample_table() {
  const SlTable table = value_of(load_table(NNVK_SAMPLE_NPU_LIBRARY));
  NnApiSLDriverImplFL8 copy{};
  std::memcpy(&copy, table.functions, table.attributes != nullptr ? sizeof(NnApiSLDriverImplFL8) : sizeof(NnApiSLDriverImplFL5));
  return copy;
}

std::string problem_of(const NnApiSLDriverImplFL8& table) {
  const auto checked = check_table(&table.base.base);
  return checked ? std::string() : checked.error().text();
}

TEST(Tables, OfLevelFiveAndUpAreTaken) {
  NnApiSLDriverImplFL8 table = sample_table();
  for (const int64_t level : {31, 1000006, 1000007}) {
    table.base.base.implFeatureLevel = level;
    EXPECT_EQ(problem_of(table), "");
    EXPECT_EQ(value_of(check_table(&table.base.base)).attributes, nullptr);
  }
}

TEST(Tables, OfLevelEightHaveAttributes) {
  NnApiSLDriverImplFL8 table = sample_table();
  table.base.base.implFeatureLevel = 1000008;
  table.ANeuralNetworksCompilation_addExtensionAttribute = nullptr;
  EXPECT_THAT(problem_of(table), HasSubstr("attributes"));
}

TEST(Tables, BelowLevelFiveAreRefused) {
  NnApiSLDriverImplFL8 table = sample_table();
  table.base.base.implFeatureLevel = 30;
  EXPECT_THAT(problem_of(table), HasSubstr("level is 30"));
  EXPECT_EQ(code_of(check_table(nullptr)), Code::kUnavailableDevice);
}

TEST(Tables, WithoutAFunctionThatIsNeededAreRefusedByItsName) {
  NnApiSLDriverImplFL8 table = sample_table();
  table.base.ANeuralNetworksMemory_createFromFd = nullptr;
  EXPECT_THAT(problem_of(table), HasSubstr("ANeuralNetworksMemory_createFromFd"));
}

TEST(Tables, FunctionsThatNobodyCallsMayBeMissing) {
  NnApiSLDriverImplFL8 table = sample_table();
  table.base.SL_ANeuralNetworksDiagnostic_registerCallbacks = nullptr;
  table.base.ANeuralNetworksBurst_create = nullptr;
  EXPECT_EQ(problem_of(table), "");
}

TEST(Tables, LibrariesThatAreNoneAreRefused) {
  EXPECT_THAT(load_table("/nowhere/libnpu.so").error().text(), HasSubstr("cannot be loaded"));
  EXPECT_THAT(load_table("libc.so.6").error().text(), HasSubstr("not an NNAPI Support Library"));
}

// relu(x + y) of four bytes each; scales are equal.
std::shared_ptr<const Plan> addition() {
  PlanFixture f;
  const auto type = OperandType::kTensorQuant8Asymm;
  f.node(OperationCode::kAdd, {f.input({1, 4}, type, 1.0F, 0), f.input({1, 4}, type, 1.0F, 0), f.scalar(1)},
         {f.output({1, 4}, type, 1.0F, 0)});
  return f.plan();
}

std::vector<std::unique_ptr<Device>> sample_devices(
    const std::shared_ptr<Driver>& driver = value_of(load_table_driver(NNVK_SAMPLE_NPU_LIBRARY))) {
  const PluginSurroundings surroundings{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
  return value_of(make_plugin_devices(driver, {"sample-npu", {}}, surroundings));
}

TEST(SampleNpu, IsOneDeviceWithFiguresOfItsOwn) {
  const auto devices = sample_devices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0]->info().name, "sample-npu/npu");
  EXPECT_EQ(devices[0]->info().type, DeviceType::kAccelerator);
  const auto placements = devices[0]->place(*addition());
  EXPECT_TRUE(placements[0].supported) << placements[0].reason;
  EXPECT_GT(placements[0].predicted_seconds, 0.0);
}

TEST(SampleNpu, ComputesThroughItsTable) {
  const auto devices = sample_devices();
  const auto prepared = value_of(devices.at(0)->prepare(addition(), {}));
  std::vector<uint8_t> a{1, 2, 3, 250};
  std::vector<uint8_t> b{10, 20, 30, 40};
  std::vector<uint8_t> sum(4);
  const std::vector<Binding> inputs{bind(a, {1, 4}), bind(b, {1, 4})};
  const std::vector<Binding> outputs{bind(sum, {1, 4})};
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  ASSERT_TRUE(value_of(prepared->submit(request)).done.wait());
  EXPECT_EQ(sum, (std::vector<uint8_t>{11, 22, 33, 255}));
}

TEST(SampleNpu, DeclinesWhatItsChipCannotDo) {
  const auto devices = sample_devices();
  PlanFixture f;
  f.node(OperationCode::kTanh, {f.input({4})}, {f.output({4})});
  EXPECT_FALSE(devices.at(0)->place(*f.plan())[0].supported);
  EXPECT_FALSE(devices.at(0)->prepare(f.plan(), {}));
}

// The placements of x + y and tanh(z) by the sample's table and this function for reasons, which the library exports or not.
std::vector<Placement> placements_of_two(decltype(SlTable::explain) explain) {
  SlTable table = value_of(load_table(NNVK_SAMPLE_NPU_LIBRARY));
  table.explain = explain;
  const auto type = OperandType::kTensorQuant8Asymm;
  PlanFixture f;
  f.node(OperationCode::kAdd, {f.input({4}, type, 1.0F, 0), f.input({4}, type, 1.0F, 0), f.scalar(0)},
         {f.output({4}, type, 1.0F, 0)});
  f.node(OperationCode::kTanh, {f.input({4})}, {f.output({4})});
  return sample_devices(value_of(make_table_driver(table))).at(0)->place(*f.plan());
}

TEST(SampleNpu, GivesItsOwnReasons) {
  const auto placements = placements_of_two(value_of(load_table(NNVK_SAMPLE_NPU_LIBRARY)).explain);
  EXPECT_TRUE(placements.at(0).supported && placements[0].reason.empty()) << placements[0].reason;
  EXPECT_EQ(placements.at(1).reason, "the chip has no such operation");
}

TEST(Tables, DriversWithoutReasonsDeclineWithoutAny) {
  EXPECT_THAT(placements_of_two(nullptr).at(1).reason, HasSubstr("without giving a reason"));
  const auto fail = [](auto*, auto*, auto, void*) -> int { return ANEURALNETWORKS_OP_FAILED; };
  EXPECT_THAT(placements_of_two(fail).at(1).reason, HasSubstr("without giving a reason"));
}

TEST(Tables, ReasonsOfSupportedOrUnknownOperationsAreIgnoredAndLongOnesCut) {
  const auto placements = placements_of_two([](auto*, auto*, auto callback, void* context) -> int {
    callback(0, "it is supported", context);
    callback(1, std::string(10'000, 'x').c_str(), context);
    callback(1, nullptr, context);
    callback(2, "there is none", context);
    callback(UINT32_MAX, "there is none", context);
    return ANEURALNETWORKS_NO_ERROR;
  });
  EXPECT_TRUE(placements.at(0).supported && placements[0].reason.empty()) << placements[0].reason;
  EXPECT_EQ(placements.at(1).reason, std::string(kLongestReason, 'x'));
}

}  // namespace
}  // namespace nnvk::accelerators
