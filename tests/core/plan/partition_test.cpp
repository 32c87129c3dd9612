// Tests of device choice.
#include "core/plan/partition.h"

#include <gtest/gtest.h>

#include "tests/support/plan_fixture.h"

namespace nnvk {
namespace {

Plan two_nodes() {
  test::PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId middle = f.temporary({4});
  const TensorId out = f.output({4});
  f.node(OperationCode::kTanh, {in}, {middle});
  f.node(OperationCode::kRelu, {middle}, {out});
  return f.raw();
}

const std::vector<std::string> kNames = {"gpu", "cpu"};

TEST(PartitionPlan, TheFastestDeviceThatRunsEverythingRunsEverything) {
  const std::vector<std::vector<Placement>> placements = {{{true, "", 1}, {true, "", 1}}, {{true, "", 5}, {true, "", 5}}};
  const auto partitions = partition_plan(two_nodes(), placements, kNames);
  ASSERT_TRUE(partitions.has_value());
  ASSERT_EQ(partitions->size(), 1U);
  EXPECT_EQ((*partitions)[0].device, 0U);
  EXPECT_EQ((*partitions)[0].nodes, (std::vector<uint32_t>{0, 1}));
}

TEST(PartitionPlan, AModelIsNotCutWhenOneDeviceRunsItWhole) {
  const std::vector<std::vector<Placement>> placements = {{{true, "", 1}, {false, "no RELU", 0}}, {{true, "", 5}, {true, "", 5}}};
  const auto partitions = partition_plan(two_nodes(), placements, kNames);
  ASSERT_TRUE(partitions.has_value());
  EXPECT_EQ((*partitions)[0].device, 1U);
}

TEST(PartitionPlan, AnOperationNobodyRunsIsNamedWithEveryReason) {
  const std::vector<std::vector<Placement>> placements = {{{true, "", 1}, {false, "too new", 0}}, {{true, "", 5}, {false, "no kernel", 0}}};
  const auto partitions = partition_plan(two_nodes(), placements, kNames);
  ASSERT_FALSE(partitions.has_value());
  EXPECT_EQ(partitions.error().code, Code::kBadData);
  EXPECT_EQ(partitions.error().message, "RELU (operation 1) runs on none of the allowed devices: gpu: too new; cpu: no kernel");
}

}  // namespace
}  // namespace nnvk
