// Run times from timestamps, without Vulkan.
#include "vulkan/recording/run_times.h"

#include <gtest/gtest.h>

namespace nnvk::vulkan {
namespace {

std::vector<uint64_t> durations(const RunTimes& times) {
  std::vector<uint64_t> result;
  for (const Period& period : times.dispatches) result.push_back(period.nanoseconds());
  return result;
}

TEST(RunTimes, AWholeRunTakesFromItsFirstTimestampToItsLast) {
  const std::vector<uint64_t> timestamps{0, 70};
  EXPECT_EQ(timestamp_count(Measure::kWhole, 5, 1), timestamps.size());
  const RunTimes times = run_times(Measure::kWhole, timestamps, 5, {});
  EXPECT_EQ(times.hardware_nanoseconds, 70U);
  EXPECT_TRUE(times.dispatches.empty());
}

TEST(RunTimes, EachDispatchTakesUntilItsOwnTimestamp) {
  const std::vector<uint64_t> timestamps{0, 10, 15, 45};
  EXPECT_EQ(timestamp_count(Measure::kEachDispatch, 3, 1), timestamps.size());
  const RunTimes times = run_times(Measure::kEachDispatch, timestamps, 3, {});
  EXPECT_EQ(times.hardware_nanoseconds, 45U);
  EXPECT_EQ(durations(times), (std::vector<uint64_t>{10, 5, 30}));
}

TEST(RunTimes, TheTimeBetweenSubmissionsBelongsToNobody) {
  const std::vector<uint64_t> whole{0, 20, 1020, 1050};
  const size_t cuts[] = {1};
  EXPECT_EQ(timestamp_count(Measure::kWhole, 3, 2), whole.size());
  EXPECT_EQ(run_times(Measure::kWhole, whole, 3, cuts).hardware_nanoseconds, 50U);

  const std::vector<uint64_t> each{0, 20, 1020, 1030, 1050};
  EXPECT_EQ(timestamp_count(Measure::kEachDispatch, 3, 2), each.size());
  EXPECT_EQ(first_timestamp(Measure::kEachDispatch, 1, 1), 2U);
  const RunTimes times = run_times(Measure::kEachDispatch, each, 3, cuts);
  EXPECT_EQ(times.hardware_nanoseconds, 50U);
  EXPECT_EQ(durations(times), (std::vector<uint64_t>{20, 10, 20}));
  EXPECT_EQ(times.dispatches[1].begin, 1020U);
}

TEST(RunTimes, WithoutTimestampsNothingIsKnown) {
  EXPECT_EQ(timestamp_count(Measure::kNothing, 3, 2), 0U);
  EXPECT_EQ(run_times(Measure::kNothing, {}, 3, {}).hardware_nanoseconds, kNoDuration);
  EXPECT_EQ(run_times(Measure::kWhole, {}, 3, {}).hardware_nanoseconds, kNoDuration);
}

}  // namespace
}  // namespace nnvk::vulkan
