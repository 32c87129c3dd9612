// Figures of benchmarks against values computed by hand: percentiles, measures of accuracy, energy, the choice under a time
// limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/support/temporary_folder.h"
#include "tools/benchmark/accuracy.h"
#include "tools/benchmark/energy.h"
#include "tools/benchmark/statistics.h"
#include "tools/benchmark/time_plan.h"

namespace nnvk::tools::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Percentiles, InterpolateBetweenNeighbours) {
  EXPECT_EQ(percentile({}, 50), 0);
  EXPECT_EQ(percentile({7}, 99), 7);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 50), 2.5);
  EXPECT_DOUBLE_EQ(percentile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 90), 10);
  EXPECT_DOUBLE_EQ(percentile({0, 10}, 99), 9.9);
  const Latency latency = latency_of({3, 1, 2});
  EXPECT_EQ(latency.median, 2);
  EXPECT_DOUBLE_EQ(latency.p90, 2.8);
  EXPECT_DOUBLE_EQ(latency.p99, 2.98);
  EXPECT_EQ(latency.fastest, 1);
  EXPECT_EQ(latency.executions, 3U);
}

TEST(Accuracy, TopKCountsHigherScoresAndGivesTiesToTheEarlierClass) {
  const std::vector<float> scores{0.1F, 0.4F, 0.4F, 0.05F, 0.03F, 0.02F};
  EXPECT_TRUE(is_among_top(scores, 1, 1));
  EXPECT_FALSE(is_among_top(scores, 2, 1));
  EXPECT_TRUE(is_among_top(scores, 2, 2));
  EXPECT_TRUE(is_among_top(scores, 4, 5));
  EXPECT_FALSE(is_among_top(scores, 5, 5));
  EXPECT_FALSE(is_among_top(scores, 6, 5)) << "there is no such class";
}

TEST(Accuracy, MeanIntersectionOverUnionIsThatOfTheClasses) {
  const std::vector<size_t> expected{0, 0, 0, 1, 1, 2};
  const std::vector<size_t> result{0, 0, 1, 1, 1, 1};
  // Class 0: 2 of 3; class 1: 2 of 4; class 2: 0 of 1.
  EXPECT_DOUBLE_EQ(*mean_intersection_over_union(expected, result, {}), (2.0 / 3 + 0.5 + 0) / 3);
  // Without the pixel of class 2. Class 0: 2 of 3; class 1: 2 of 3.
  EXPECT_DOUBLE_EQ(*mean_intersection_over_union(expected, result, std::vector<size_t>{0, 1}), 2.0 / 3);
  EXPECT_FALSE(mean_intersection_over_union(expected, result, std::vector<size_t>{9}));
}

TEST(Accuracy, ScoresBecomeTheFirstOfTheLargestClasses) {
  EXPECT_THAT(classes_of_scores(std::vector<float>{1, 3, 2, 5, 5, 0}, 3), ElementsAre(1, 0));
}

TEST(Accuracy, DifferencesAreMeansAndMaximaOverAllElements) {
  Difference difference;
  difference.add(std::vector<float>{1, 2}, std::vector<float>{1, 4});
  difference.add(std::vector<float>{0, 0}, std::vector<float>{-1, 1});
  EXPECT_EQ(difference.count, 4U);
  EXPECT_DOUBLE_EQ(difference.mean, 1);
  EXPECT_DOUBLE_EQ(difference.largest, 2);
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  Difference special;
  special.add(std::vector<float>{NAN, kInfinite}, std::vector<float>{NAN, kInfinite});
  EXPECT_EQ(special.largest, 0);
  special.add(std::vector<float>{NAN}, std::vector<float>{1});
  EXPECT_TRUE(std::isinf(special.largest));
}

TEST(Accuracy, KnownAnswersAreNamed) {
  EXPECT_EQ(known_answers({.top_1 = 0.98889, .top_5 = 1}), "top-1 98.89 %, top-5 100.00 %");
  EXPECT_EQ(known_answers({.reference_mean = 0.1}), "");
}

// A folder like /sys/class/powercap.
class Powercap : public testing::Test {
 protected:
  void add_zone(const std::string& zone, const std::string& name, uint64_t microjoules, uint64_t range) const {
    std::filesystem::create_directories(folder_.file(zone));
    std::ofstream(folder_.file(zone + "/name")) << name << "\n";
    std::ofstream(folder_.file(zone + "/max_energy_range_uj")) << range << "\n";
    std::ofstream(folder_.file(zone + "/energy_uj")) << microjoules << "\n";
  }
  test::TemporaryFolder folder_;
};

TEST_F(Powercap, CountersOfPackagesAreAddedUpAcrossTheirEnds) {
  add_zone("intel-rapl:0", "package-0", 9'000'000, 10'000'000);
  add_zone("intel-rapl:1", "package-1", 500'000, 10'000'000);
  add_zone("intel-rapl:0:0", "core", 1, 10'000'000);          // a part of a package
  add_zone("intel-rapl-mmio:0", "package-0", 1, 10'000'000);  // the same package again
  add_zone("intel-rapl:2", "psys", 1, 10'000'000);
  const auto counters = EnergyCounters::find(folder_.path());
  EXPECT_EQ(counters.why_not(), "");
  const auto before = counters.read();
  EXPECT_THAT(before, ElementsAre(9'000'000, 500'000));
  add_zone("intel-rapl:0", "package-0", 1'000'000, 10'000'000);  // began again: 2 J
  add_zone("intel-rapl:1", "package-1", 1'000'000, 10'000'000);  // 0.5 J
  EXPECT_DOUBLE_EQ(counters.joules(before, counters.read()), 2.5);
  EXPECT_EQ(counted_microjoules(3, 10, 100), 7U);
  EXPECT_EQ(counted_microjoules(98, 5, 100), 7U);
}

TEST_F(Powercap, SaysWhyEnergyIsUnknown) {
  const auto none = EnergyCounters::find(folder_.path());
  EXPECT_THAT(none.why_not(), HasSubstr("no energy counter of a processor package"));
  EXPECT_LT(none.joules(none.read(), none.read()), 0);
  add_zone("intel-rapl:0", "package-0", 1, 10);
  std::filesystem::remove(folder_.file("intel-rapl:0/energy_uj"));
  EXPECT_THAT(EnergyCounters::find(folder_.path()).why_not(), HasSubstr("energy_uj cannot be read; only root may"));
}

TEST(TimePlan, ComesWithAllModelsOnTheFirstEngineFirst) {
  const auto planned = most_telling_first(2, 2, [](size_t model, size_t engine) { return model != 1 || engine != 1; });
  EXPECT_THAT(planned, ElementsAre(Planned{0, 0}, Planned{1, 0}, Planned{0, 1}));
}

TEST(TimePlan, WithoutALimitAllowsEverything) {
  const TimePlan plan(std::nullopt);
  EXPECT_TRUE(plan.allows(0, 1e9));
  EXPECT_FALSE(plan.left(1));
  EXPECT_EQ(plan.seconds_for_executions(1e9, 5, 10), 10);
}

TEST(TimePlan, LeavesOutWhatTheRestIsTooShortFor) {
  TimePlan plan(60);
  EXPECT_TRUE(plan.allows(0, 59)) << "nothing is known about the model yet";
  EXPECT_FALSE(plan.allows(0, 60));
  plan.took(0, 20);
  plan.took(0, 30);
  EXPECT_TRUE(plan.allows(0, 40)) << "its fastest measurement took as long as there is time";
  EXPECT_FALSE(plan.allows(0, 41));
  EXPECT_TRUE(plan.allows(1, 41)) << "another model";
}

TEST(TimePlan, SharesTheRestAmongThePlannedMeasurements) {
  const TimePlan plan(60);
  EXPECT_DOUBLE_EQ(plan.seconds_for_executions(20, 4, 10), 5);
  EXPECT_DOUBLE_EQ(plan.seconds_for_executions(0, 1, 10), 10);
  EXPECT_DOUBLE_EQ(*plan.left(70), 0);
}

}  // namespace
}  // namespace nnvk::tools::benchmark
