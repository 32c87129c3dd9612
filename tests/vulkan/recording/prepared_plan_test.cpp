// Executions on the first Vulkan device of this machine, against the CPU reference. tests/device_suite tests the rules for every
// device.
#include <gtest/gtest.h>

#include <algorithm>

#include "network.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

class PreparedPlanTest : public OnEveryPath {};

INSTANTIATE_TEST_SUITE_P(Paths, PreparedPlanTest,
                         testing::Values(Path{"Default", {}}, Path{"Words", {.variant = KernelVariant::kWords}},
                                         Path{"Staging", {.force_staging = true}},
                                         Path{"Fences", {.force_fence_completion = true}},
                                         Path{"ManySubmissions", {.force_many_submissions = true}}),
                         name_of_path);

const Shape kShape{1, 5, 7, 4};

TEST_P(PreparedPlanTest, ANetworkGivesTheReferencesResult) {
  const auto plan = residual_network(kShape);
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  Inference run(kShape, 1);
  ASSERT_TRUE(run.execute(*prepared));
  expect_close(run.out, expected(plan, run));
  ASSERT_EQ(run.report->outputs.size(), 1U);
  EXPECT_EQ(run.report->outputs[0].shape, kShape);
}

TEST_P(PreparedPlanTest, LaterExecutionsCreateNothingAndCopyOnlyInputsAndOutputs) {
  const auto prepared = prepare(residual_network(kShape));
  ASSERT_TRUE(prepared);
  Inference run(kShape, 1);
  const Counters after_prepare = prepared->counters();
  EXPECT_GT(after_prepare.at("device_allocations"), 0U);
  EXPECT_EQ(after_prepare.at("executions"), 0U);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.execute(*prepared));
  const Counters after = prepared->counters();
  for (const char* name : {"pipelines_created", "command_buffers_recorded", "device_allocations", "descriptor_sets_written",
                           "bytes_uploaded", "recordings_built"}) {
    EXPECT_EQ(after.at(name), after_prepare.at(name)) << name;
  }
  const uint64_t bytes = kShape.element_count() * sizeof(float);
  EXPECT_EQ(after.at("bytes_copied_in"), 3 * bytes);
  EXPECT_EQ(after.at("bytes_copied_out"), 3 * bytes);
  EXPECT_EQ(after.at("executions"), 3U);
  if (stages()) {
    EXPECT_GE(after.at("bytes_copied_internal"), 6 * bytes);
  } else {
    EXPECT_EQ(after.at("bytes_copied_internal"), 0U);
  }
}

TEST_P(PreparedPlanTest, UnknownShapesAreRecordedOncePerShape) {
  const auto plan = residual_network(Shape{kUnknownDimension, kUnknownDimension, kUnknownDimension, 4});
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->counters().at("recordings_built"), 0U);
  for (int round = 0; round < 2; ++round) {
    for (const Shape& shape : {Shape{1, 2, 3, 4}, Shape{2, 9, 1, 4}, Shape{1, 16, 16, 4}}) {
      Inference run(shape, 3);
      ASSERT_TRUE(run.execute(*prepared)) << shape.to_string();
      expect_close(run.out, expected(plan, run));
    }
  }
  EXPECT_EQ(prepared->counters().at("recordings_built"), 3U);
}

// Loop timeouts exclude the reported time.
TEST_P(PreparedPlanTest, TheFirstExecutionOfAShapeSaysHowLongItMadeThingsReady) {
  const auto prepared = prepare(residual_network(Shape{1, 1, kUnknownDimension, 4}));
  ASSERT_TRUE(prepared);
  Inference run(Shape{1, 1, 9, 4}, 1);
  ASSERT_TRUE(run.execute(*prepared));
  EXPECT_GT(run.report->preparation_nanoseconds, 0U);
  ASSERT_TRUE(run.execute(*prepared));
  EXPECT_EQ(run.report->preparation_nanoseconds, 0U);
}

TEST_P(PreparedPlanTest, MoreShapesThanTheCacheHoldsStillWork) {
  const auto plan = residual_network(Shape{1, 1, kUnknownDimension, 4});
  const auto prepared = prepare(plan);
  ASSERT_TRUE(prepared);
  for (uint32_t width = 1; width <= 12; ++width) {
    Inference run(Shape{1, 1, width, 4}, width);
    ASSERT_TRUE(run.execute(*prepared));
    expect_close(run.out, expected(plan, run));
  }
  Inference newest(Shape{1, 1, 12, 4}, 1);
  ASSERT_TRUE(newest.execute(*prepared));
  EXPECT_EQ(prepared->counters().at("recordings_built"), 12U);
  Inference oldest(Shape{1, 1, 1, 4}, 1);
  ASSERT_TRUE(oldest.execute(*prepared));
  EXPECT_EQ(prepared->counters().at("recordings_built"), 13U);
}

TEST_P(PreparedPlanTest, DurationsAreMeasuredOnRequest) {
  const auto prepared = prepare(residual_network(Shape{1, 64, 64, 4}, 4));
  ASSERT_TRUE(prepared);
  Inference timed(Shape{1, 64, 64, 4}, 1);
  timed.request.measure_timing = true;
  ASSERT_TRUE(timed.execute(*prepared));
  EXPECT_NE(timed.report->driver_nanoseconds, kNoDuration);
  EXPECT_NE(timed.report->hardware_nanoseconds, kNoDuration);
}

// Heavy and light nodes alternate: every heavy one must take longer than every light one, or times belong to the wrong dispatch.
TEST_P(PreparedPlanTest, ProfilesGiveTheTimeToTheNodeThatTakesIt) {
  PlanFixture m;
  const Shape light{1, 1, 1, 4};
  const Shape heavy{1, 192, 192, 4};
  TensorId last = m.input(light);
  const TensorId image = random_constant(m, heavy, 4);
  const TensorId none = m.scalar(0);
  for (int i = 0; i < 3; ++i) {
    const TensorId spread = m.temporary(heavy);
    m.node(OperationCode::kAdd, {image, last, none}, {spread});  // heavy: broadcasts over the image
    const TensorId begin = m.constant<int32_t>({4}, OperandType::kTensorInt32, {0, 0, 0, 0});
    const TensorId size = m.constant<int32_t>({4}, OperandType::kTensorInt32, {1, 1, 1, 4});
    const TensorId next = i == 2 ? m.output(light) : m.temporary(light);
    m.node(OperationCode::kSlice, {spread, begin, size}, {next});  // light: one pixel
    last = next;
  }
  const auto prepared = prepare(m.plan());
  ASSERT_TRUE(prepared);
  std::vector<uint64_t> least(6, UINT64_MAX);
  for (int attempt = 0; attempt < 10; ++attempt) {  // the shortest of several: other work on the machine only adds
    Inference run(light, 1);
    run.request.profile = true;
    ASSERT_TRUE(run.execute(*prepared));
    ASSERT_EQ(run.report->profile.size(), 6U);
    for (size_t n = 0; n < 6; ++n) {
      const NodeProfile& node = run.report->profile[n];
      EXPECT_EQ(node.source_operation, n);
      EXPECT_EQ(node.operation, n % 2 == 0 ? "ADD" : "SLICE");
      EXPECT_FALSE(node.kernel.empty());
      EXPECT_GT(node.bytes, 0U);
      least[n] = std::min(least[n], node.nanoseconds);
    }
  }
  const uint64_t least_heavy = std::min({least[0], least[2], least[4]});
  const uint64_t most_light = std::max({least[1], least[3], least[5]});
  EXPECT_GT(least_heavy, most_light) << least[0] << ' ' << least[1] << ' ' << least[2] << ' ' << least[3] << ' ' << least[4]
                                     << ' ' << least[5];
}

}  // namespace
}  // namespace nnvk::vulkan
