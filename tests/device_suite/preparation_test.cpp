// Devices describe themselves and plans; preparation agrees with the description and creates nothing twice.
#include <bit>

#include "tests/device_suite/device_fixture.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

class Preparations : public DeviceSuite {};
NNVK_ON_EVERY_DEVICE(Preparations);

TEST_P(Preparations, TheDeviceDescribesItself) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.version.empty());
  EXPECT_NE(info.type, DeviceType::kUnknown);
  EXPECT_EQ(info.feature_level, 1000008);
  EXPECT_TRUE(std::has_single_bit(info.preferred_alignment));
  EXPECT_TRUE(std::has_single_bit(info.preferred_padding));
  if (info.caches) {
    EXPECT_FALSE(info.cache_identity.empty());
  }
}

// The last one has a node that no device runs on its own.
std::vector<std::shared_ptr<const Plan>> plans() {
  std::vector<std::shared_ptr<const Plan>> all{small_network(), small_network({kUnknownDimension}), tanh_chain({3, 5}, 4)};
  PlanFixture control;
  control.node(OperationCode::kTanh, {control.input({1})}, {control.output({1})});
  control.node(OperationCode::kWhile, {control.input({1})}, {control.output({1})});
  all.push_back(control.plan());
  return all;
}

TEST_P(Preparations, WhatIsPlacedPreparesAndWhatIsNotIsNamed) {
  size_t declined = 0;
  for (const auto& plan : plans()) {
    const std::vector<Placement> placements = device_->place(*plan);
    ASSERT_EQ(placements.size(), plan->nodes.size());
    const PlanNode* unsupported = nullptr;
    for (size_t n = 0; n < placements.size(); ++n) {
      EXPECT_EQ(placements[n].supported, placements[n].reason.empty()) << placements[n].reason;
      EXPECT_TRUE(std::isfinite(placements[n].predicted_seconds) && placements[n].predicted_seconds >= 0);
      if (!placements[n].supported) unsupported = &plan->nodes[n];
    }
    const auto prepared = device_->prepare(plan, {});
    EXPECT_EQ(prepared.has_value(), unsupported == nullptr);
    if (prepared || unsupported == nullptr) continue;
    ++declined;
    EXPECT_EQ(prepared.error().code, Code::kOpFailed);
    EXPECT_THAT(prepared.error().text(), HasSubstr(plan->describe(*unsupported)));
  }
  EXPECT_EQ(declined, 1U);
}

TEST_P(Preparations, AnEqualExecutionMakesNothingAnew) {
  const auto prepared = prepare(small_network());
  const Counters fresh = prepared->counters();
  EXPECT_EQ(fresh.at("executions"), 0U);
  SmallRun run;
  ASSERT_TRUE(run.execute(*prepared).status);
  const Counters first = prepared->counters();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.execute(*prepared).status);
  Counters later = prepared->counters();
  EXPECT_EQ(first.at("executions"), 1U);
  EXPECT_EQ(later.at("executions"), 4U);
  for (const auto& [name, count] : later) {
    const uint64_t before = first.at(name);
    EXPECT_GE(count, before) << name << " is a total";
    EXPECT_GE(before, fresh.at(name)) << name << " is a total";
    // Only these counters grow with every execution.
    if (name == "executions" || name.starts_with("bytes_copied") || name == "temporary_allocations") continue;
    EXPECT_EQ(count, before) << name;
  }
  EXPECT_EQ(later["bytes_copied_in"], 4 * Counters(first)["bytes_copied_in"]);
  EXPECT_EQ(later["bytes_copied_out"], 4 * Counters(first)["bytes_copied_out"]);
}

TEST_P(Preparations, ExecutionsThatFailAreNoBarToLaterOnes) {
  const auto prepared = prepare(small_network());
  SmallRun run;
  std::vector<Binding> outputs = run.outputs();
  outputs[0].size = 1;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(execute(*prepared, run.inputs(), outputs).code(), Code::kOutputInsufficientSize);
  EXPECT_TRUE(run.execute(*prepared).status);
  EXPECT_TRUE(run.is_right());
}

TEST_P(Preparations, ManyPlansLiveSideBySide) {
  std::vector<std::unique_ptr<PreparedPlan>> plans;
  for (int i = 0; i < 6; ++i) plans.push_back(prepare(small_network()));
  for (int i = 0; i < 12; ++i) {
    SmallRun run(static_cast<float>(i) * 0.125F);
    ASSERT_TRUE(run.execute(*plans[static_cast<size_t>(i * 5 % 6)]).status);
    EXPECT_TRUE(run.is_right());
    if (i == 6) plans[1] = prepare(small_network());
  }
}

}  // namespace
}  // namespace nnvk::test
