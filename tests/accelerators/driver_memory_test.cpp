// A plugin's own memory, made for roles of its models: executions use it without copies through the host.
#include "accelerators/driver_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accelerators/plugin_device.h"
#include "accelerators/table_driver.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::accelerators {
namespace {

using test::bind;
using test::code_of;
using test::value_of;
using ::testing::ElementsAre;

class MemoryOfPlugins : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::shared_ptr<Driver> driver = value_of(load_table_driver(NNVK_SAMPLE_NPU_LIBRARY));
    const PluginSurroundings surroundings{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
    devices_ = value_of(make_plugin_devices(driver, {"sample-npu", {}}, surroundings));
    test::PlanFixture f;
    const auto type = OperandType::kTensorQuant8Asymm;
    f.node(OperationCode::kAdd, {f.input({1, 4}, type, 1, 0), f.input({1, 4}, type, 1, 0), f.scalar(0)},
           {f.output({1, 4}, type, 1, 0)});
    plan_ = value_of(devices_.at(0)->prepare(f.plan(), {}));
  }
  std::unique_ptr<DeviceMemory> memory_for(std::vector<nnvk::MemoryRole> roles) {
    MemoryRequest request{4, false};
    request.roles = roles;
    return value_of(devices_.at(0)->allocate(request));
  }
  static Binding bound(DeviceMemory& memory) {
    Binding binding;
    binding.device_memory = &memory;
    binding.shape = {1, 4};
    return binding;
  }
  Status run(const std::vector<Binding>& inputs, const std::vector<Binding>& outputs) {
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    const auto submission = plan_->submit(request);
    return submission ? submission->done.wait() : fail(submission.error());
  }
  static void write(DeviceMemory& memory, std::vector<uint8_t> bytes) {
    ASSERT_TRUE(value_of(memory.write(std::as_bytes(std::span(bytes)))).wait());
  }
  static std::vector<uint8_t> read(const DeviceMemory& memory) {
    std::vector<uint8_t> bytes(4);
    EXPECT_TRUE(value_of(memory.read(std::as_writable_bytes(std::span(bytes)))).wait());
    return bytes;
  }

  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<PreparedPlan> plan_;
  std::vector<uint8_t> ones_{1, 1, 1, 1};
};

TEST_F(MemoryOfPlugins, IsTheDriversWhereItHasSomeForTheRoles) {
  const auto memory = memory_for({{plan_.get(), true, 0}});
  EXPECT_NE(dynamic_cast<DriverMemory*>(memory.get()), nullptr);
  EXPECT_EQ(memory->size(), 4U);
}

TEST_F(MemoryOfPlugins, HoldsWhatIsWrittenAndWhatIsComputed) {
  const auto in = memory_for({{plan_.get(), true, 0}});
  const auto out = memory_for({{plan_.get(), false, 0}});
  write(*in, {1, 2, 3, 4});
  EXPECT_THAT(read(*in), ElementsAre(1, 2, 3, 4));
  ASSERT_TRUE(run({bound(*in), bind(ones_, {1, 4})}, {bound(*out)}));
  EXPECT_THAT(read(*out), ElementsAre(2, 3, 4, 5));
}

TEST_F(MemoryOfPlugins, PartsOfItCanBeWrittenAndRead) {
  const auto memory = memory_for({{plan_.get(), true, 0}});
  write(*memory, {1, 2, 3, 4});
  const std::vector<uint8_t> two{8, 9};
  ASSERT_TRUE(value_of(memory->write_to(1, std::as_bytes(std::span(two)))).wait());
  EXPECT_THAT(read(*memory), ElementsAre(1, 8, 9, 4));
  std::vector<uint8_t> last(1);
  ASSERT_TRUE(value_of(memory->read_from(3, std::as_writable_bytes(std::span(last)))).wait());
  EXPECT_EQ(last[0], 4);
  EXPECT_EQ(code_of(memory->write_to(3, std::as_bytes(std::span(two)))), Code::kBadData);
  EXPECT_EQ(code_of(memory->read_from(4, std::as_writable_bytes(std::span(last)))), Code::kBadData);
}

TEST_F(MemoryOfPlugins, ServesItsRolesAndNoOthers) {
  const auto memory = memory_for({{plan_.get(), true, 0}});
  EXPECT_TRUE(plan_->takes_device_memory(*memory, true, 0));
  EXPECT_FALSE(plan_->takes_device_memory(*memory, true, 1));
  EXPECT_FALSE(plan_->takes_device_memory(*memory, false, 0));
  EXPECT_EQ(code_of(run({bind(ones_, {1, 4}), bound(*memory)}, {bind(ones_, {1, 4})})), Code::kBadData);
}

TEST_F(MemoryOfPlugins, MayBeFreedBeforeOrAfterThePlan) {
  auto memory = memory_for({{plan_.get(), true, 0}});
  plan_ = nullptr;
  memory = nullptr;
}

}  // namespace
}  // namespace nnvk::accelerators
