// Tables and JSON of summaries, runs of an application, and the listing of sections.
#include "tools/trace/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/tools/trace/sections.h"
#include "tools/trace/detail.h"
#include "tools/trace/runs.h"

namespace nnvk::tools::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// The words of the first line that begins with `name`.
std::vector<std::string> row(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

std::vector<Section> example() {
  return {section("[NN_LR_PP]model", 0, 1),   section("[NN_LR_PC]finish", 1, 5),
          section("[NN_LD_PC]prepare", 2, 4), section("[NN_LR_PE]ANeuralNetworksExecution_compute", 5, 15),
          section("[NN_LD_PE]start", 6, 14),  section("[NN_LR_PT]free", 15, 16)};
}

TEST(Table, HasPhasesAsColumnsAndLayersAsRows) {
  const auto text = to_text(of(example()), {});
  EXPECT_THAT(text, HasSubstr("NNAPI timing summary (self-times, ms wall-clock)"));
  EXPECT_THAT(text, HasSubstr(" Initialization    Preparation    Compilation            I/O        Compute        Results      "
                              "Ex. total    Termination          Total\n"));
  EXPECT_THAT(row(text, "Application"),
              ElementsAre("Application", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a"));
  EXPECT_THAT(row(text, "Runtime"), ElementsAre("Runtime", "-", "1.000", "2.000", "-", "2.000", "-", "2.000", "1.000", "6.000"));
  EXPECT_THAT(row(text, "IPC"), ElementsAre("IPC", "-", "-", "-", "-", "-", "-", "-", "-", "-"));
  EXPECT_THAT(row(text, "Driver"), ElementsAre("Driver", "-", "-", "2.000", "-", "8.000", "-", "8.000", "-", "10.000"));
  EXPECT_THAT(row(text, "CPU"), SizeIs(10));
  EXPECT_THAT(row(text, "Total"), ElementsAre("Total", "-", "1.000", "4.000", "-", "10.000", "-", "10.000", "1.000", "16.000"));
  EXPECT_THAT(text, HasSubstr("\n1 executions\n"));
}

TEST(Table, OfTotalTimesCountsLayersInsideAndTakesTheLongestAsTheTotal) {
  const auto text = to_text(of(example()), {.total_times = true});
  EXPECT_THAT(text, HasSubstr("NNAPI timing summary (total time, ms wall-clock)"));
  EXPECT_THAT(row(text, "Runtime"),
              ElementsAre("Runtime", "-", "1.000", "4.000", "-", "10.000", "-", "10.000", "1.000", "16.000"));
  EXPECT_THAT(row(text, "Driver"), ElementsAre("Driver", "-", "-", "2.000", "-", "8.000", "-", "8.000", "-", "10.000"));
  EXPECT_THAT(row(text, "Total"), ElementsAre("Total", "-", "1.000", "4.000", "-", "10.000", "-", "10.000", "1.000", "16.000"));
}

TEST(Table, PerExecutionHasTheColumnsOfExecutionAndShares) {
  auto sections = example();
  sections.push_back(section("[NN_LR_PE]ANeuralNetworksExecution_compute", 20, 30));
  const auto text = to_text(*per_execution(of(sections)), {.per_execution = true});
  EXPECT_THAT(row(text, "Runtime"), ElementsAre("Runtime", "-", "6.000", "-", "6.000", "60.00", "%"));
  EXPECT_THAT(row(text, "Driver"), ElementsAre("Driver", "-", "4.000", "-", "4.000", "40.00", "%"));
  EXPECT_THAT(row(text, "Total"), ElementsAre("Total", "-", "10.000", "-", "10.000", "100.00", "%"));
  EXPECT_THAT(text, HasSubstr("Percentage"));
  EXPECT_THAT(text, Not(HasSubstr("Compilation")));
}

TEST(Table, ShowsGpusAndOthersOnlyWhereTheyHaveTime) {
  const auto text = to_text(of(example()), {});
  EXPECT_THAT(text, Not(HasSubstr("GPU")));
  EXPECT_THAT(text, Not(HasSubstr("Other")));
  const auto with = to_text(of({section("[NN_LD_PCO]conv", 0, 2, "gpu", "gpu"), section("[NN_LA_PO]all", 0, 1)}), {});
  EXPECT_THAT(row(with, "GPU"), ElementsAre("GPU", "-", "-", "-", "-", "2.000", "-", "2.000", "-", "-", "2.000"));
  EXPECT_THAT(with, HasSubstr("Other")) << "the time of the program outside all phases";
}

TEST(Table, AsJsonHasBothKindsOfTimes) {
  const auto json = to_json(of(example()), false);
  EXPECT_EQ(json["executions"], 1);
  EXPECT_DOUBLE_EQ(json["seconds"]["Compute"]["Runtime"], 0.002);
  EXPECT_DOUBLE_EQ(json["total_seconds"]["Compute"]["Runtime"], 0.010);
  EXPECT_DOUBLE_EQ(json["seconds"]["Execution"]["Total"], 0.010);
  EXPECT_DOUBLE_EQ(json["seconds"]["Total"]["Total"], 0.016);
  EXPECT_DOUBLE_EQ(json["total_seconds"]["Total"]["Total"], 0.016);
  EXPECT_DOUBLE_EQ(json["seconds"]["Total"]["GPU"], 0);
}

TEST(Runs, BeginAtTheApplicationsMarks) {
  auto early = section("[NN_LR_PI]devices", 0, 1);
  const auto runs = runs_of(
      trace_of({early, section("[NN_LA_PO]first", 2, 10), section("[NN_LA_PO]inner", 3, 4), section("[NN_LR_PE]a", 5, 6, "other"),
                section("[NN_LA_PO]second", 12, 20), section("[NN_LR_PE]b", 25, 26)}));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].name, "[NN_LA_PO]first");
  EXPECT_THAT(runs[0].trace.sections, SizeIs(4)) << "also what happened before, but not a mark of its own inside";
  EXPECT_EQ(runs[1].name, "[NN_LA_PO]second");
  EXPECT_THAT(runs[1].trace.sections, SizeIs(2));
  const auto none = runs_of(trace_of({early}));
  ASSERT_THAT(none, SizeIs(1));
  EXPECT_THAT(none[0].name, IsEmpty());
}

TEST(Runs, LeaveTheWarmUpOutOfABenchmark) {
  const auto compute = [](int64_t begin) { return section("[NN_LR_PE]ANeuralNetworksExecution_compute", begin, begin + 1); };
  auto sections = std::vector{compute(1), section("[NN_LA_PBM]benchmark", 10, 20), compute(11), compute(13), compute(21)};
  EXPECT_FALSE(benchmark_of(trace_of(sections))) << "no warm-up";
  sections.push_back(section("[NN_LA_PWU]warm-up", 0, 5));
  const auto benchmark = benchmark_of(trace_of(sections));
  ASSERT_TRUE(benchmark);
  EXPECT_EQ(summarise(*benchmark).executions, 2U);
  EXPECT_THAT(to_text(*per_execution(summarise(*benchmark)), {.per_execution = true, .benchmark = true}),
              HasSubstr("- Benchmark -"));
}

TEST(Detail, ListsEverySectionBelowItsCallerWithItsOwnTime) {
  auto trace = trace_of({section("[NN_LR_PC]finish", 0, 10), section("[NN_LR_PC]plan", 1, 2),
                         section("[SUB][NN_LR_PI]once", 2, 4), section("[NN_LU_PU]", 5, 6, "main", "wait"),
                         section("[NN_LD_PCO]conv", 3, 9, "77", "gpu"), section("unknown", 0, 99)});
  trace.track_names[{"1", "77"}] = "GPU 0";
  const auto text = detail_text(trace);
  EXPECT_THAT(text, HasSubstr("process 1, thread main\n"));
  EXPECT_THAT(text, HasSubstr("process 1, thread 77 (GPU 0)\n"));
  EXPECT_THAT(text, HasSubstr("      10.000       6.000  [NN_LR_PC]finish\n"));
  EXPECT_THAT(text, HasSubstr("       1.000       1.000    [NN_LR_PC]plan (detail)\n"));
  EXPECT_THAT(text, HasSubstr("       2.000       2.000    [SUB][NN_LR_PI]once (subtracted from the section around it)\n"));
  EXPECT_THAT(text, HasSubstr("       1.000       1.000    [NN_LU_PU] (waits)\n"));
  EXPECT_THAT(text, HasSubstr("      11.000       7.000  LR_PC, 2 sections\n"));
  EXPECT_THAT(text, Not(HasSubstr("unknown")));
}

}  // namespace
}  // namespace nnvk::tools::trace
