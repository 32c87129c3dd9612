// The report of an execution in segments, from made-up reports of its parts.
#include "core/runtime/segmented_report.h"

#include <gtest/gtest.h>

namespace nnvk {
namespace {

ExecutionReport timed(uint64_t hardware, uint64_t driver) {
  ExecutionReport report;
  report.hardware_nanoseconds = hardware;
  report.driver_nanoseconds = driver;
  return report;
}

TEST(SegmentedReport, AddsTheHardwareTimesOfItsParts) {
  SegmentedReport report;
  report.add_times(timed(20, 30), nullptr, std::nullopt);
  report.add_times(timed(kNoDuration, kNoDuration), nullptr, std::nullopt);
  report.add_times(timed(3, 5), nullptr, std::nullopt);
  EXPECT_TRUE(report.finish({}, true));
  EXPECT_EQ(report.shared()->hardware_nanoseconds, 23U);
  EXPECT_NE(report.shared()->driver_nanoseconds, kNoDuration);
}

TEST(SegmentedReport, HasNoTimesThatTheClientDidNotAskForOrNoDeviceMeasures) {
  SegmentedReport unwanted;
  unwanted.add_times(timed(20, 30), nullptr, std::nullopt);
  EXPECT_TRUE(unwanted.finish({}, false));
  EXPECT_EQ(unwanted.shared()->hardware_nanoseconds, kNoDuration);
  EXPECT_EQ(unwanted.shared()->driver_nanoseconds, kNoDuration);
  SegmentedReport unmeasured;
  unmeasured.add_times(timed(kNoDuration, kNoDuration), nullptr, std::nullopt);
  EXPECT_TRUE(unmeasured.finish({}, true));
  EXPECT_EQ(unmeasured.shared()->driver_nanoseconds, kNoDuration);
}

TEST(SegmentedReport, CountsThePreparationsOfPartsThatFailed) {
  SegmentedReport report;
  ExecutionReport part;
  part.preparation_nanoseconds = 7;
  part.loop_timed_out = true;
  report.add_attempt(part);
  report.add_preparation(std::chrono::nanoseconds(4));
  EXPECT_EQ(report.preparation().count(), 11);
  EXPECT_FALSE(report.finish(fail(Code::kOpFailed, "it failed"), true));
  EXPECT_EQ(report.shared()->preparation_nanoseconds, 11U);
  EXPECT_TRUE(report.shared()->loop_timed_out);
}

TEST(SegmentedReport, CallsAMissedDeadlineTransientOnceAPartHasRun) {
  const Status late = fail(Code::kMissedDeadlinePersistent, "too late");
  SegmentedReport before;
  EXPECT_EQ(before.finish(late, false).error().code, Code::kMissedDeadlinePersistent);
  SegmentedReport after;
  after.add_times({}, nullptr, std::nullopt);
  EXPECT_EQ(after.finish(late, false).error().code, Code::kMissedDeadlineTransient);
}

TEST(SegmentedReport, KeepsItsShapesOnlyOnSuccessAndForBuffersThatAreTooSmall) {
  for (const Code code : {Code::kOpFailed, Code::kOutputInsufficientSize}) {
    SegmentedReport report;
    report.outputs().push_back({{2, 3}, false});
    EXPECT_FALSE(report.finish(fail(code, "it failed"), false));
    EXPECT_EQ(report.shared()->outputs.size(), code == Code::kOpFailed ? 0U : 1U);
  }
}

TEST(SegmentedReport, ProfilesReferencedModelsAsTheirControlFlowOperation) {
  ExecutionReport part;
  part.profile.emplace_back().source_operation = 4;
  part.profile.back().merged_operations = {5};
  SegmentedReport report;
  report.add_times(part, nullptr, std::nullopt);
  report.add_times(part, nullptr, 9);
  ASSERT_EQ(report.shared()->profile.size(), 2U);
  EXPECT_EQ(report.shared()->profile[0].source_operation, 4U);
  EXPECT_EQ(report.shared()->profile[0].merged_operations, std::vector<uint32_t>{5});
  EXPECT_EQ(report.shared()->profile[1].source_operation, 9U);
  EXPECT_TRUE(report.shared()->profile[1].merged_operations.empty()) << "5 is an operation of another model";
}

}  // namespace
}  // namespace nnvk
