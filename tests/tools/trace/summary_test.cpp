// The rules of the summary, on traces with times added up by hand. Times are milliseconds.
#include "tools/trace/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/trace/sections.h"

namespace nnvk::tools::trace {
namespace {

using testing::HasSubstr;

double ms(const Summary& summary, Phase phase, Layer layer) { return summary.self.at(phase, layer) * 1e3; }
double total_time(const Summary& summary, Phase phase, Layer layer) { return summary.total.at(phase, layer) * 1e3; }
double execution(const Times& times, Layer layer) { return times.execution[static_cast<size_t>(layer)] * 1e3; }
double whole(const Times& times, Layer layer) { return times.whole[static_cast<size_t>(layer)] * 1e3; }

double total_ms(const Summary& summary) {
  double total = 0;
  for (const auto& row : summary.self.seconds) {
    for (const double cell : row) total += cell * 1e3;
  }
  return total;
}

TEST(Summary, EachPhaseHasItsRow) {
  const auto s = of({section("[NN_LA_PI]a", 0, 1), section("[NN_LA_PP]a", 1, 3), section("[NN_LA_PC]a", 3, 6),
                     section("[NN_LA_PIO]a", 6, 10), section("[NN_LA_PE]a", 10, 15), section("[NN_LA_PTR]a", 15, 21),
                     section("[NN_LA_PCO]a", 21, 28), section("[NN_LA_PR]a", 28, 36), section("[NN_LA_PT]a", 36, 45),
                     section("[NN_LA_PO]a", 45, 55), section("not NNAPI's", 55, 99)});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kInitialization, Layer::kApplication), 1);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kPreparation, Layer::kApplication), 2);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompilation, Layer::kApplication), 3);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kInputsAndOutputs, Layer::kApplication), 4);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kApplication), 5 + 6 + 7);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kResults, Layer::kApplication), 8);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kTermination, Layer::kApplication), 9);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kOther, Layer::kApplication), 10);
  EXPECT_DOUBLE_EQ(total_ms(s), 55);
}

TEST(Summary, TimeOfAnotherLayerInsideIsSubtracted) {
  const auto s = of({section("[NN_LA_PE]frame", 0, 100), section("[NN_LR_PE]ANeuralNetworksExecution_compute", 10, 90),
                     section("[NN_LI_PE]call", 20, 80), section("[NN_LD_PE]run", 30, 70), section("[NN_LC_PCO]ADD", 75, 79)});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kApplication), 20);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kRuntime), 20);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kIpc), 20 - 4);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kDriver), 40);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kCpu), 4);
}

TEST(Summary, WithinALayerOnlyMarkedSectionsAreSubtracted) {
  const auto s = of({section("[NN_LR_PC]finish", 0, 100), section("[NN_LR_PP]counts as compilation", 10, 20),
                     section("[SUB][NN_LR_PI]devices", 30, 50), section("[SW][NN_LR_PT]until the end", 60, 100),
                     section("[SW][NN_LR_PP]again", 90, 100)});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompilation, Layer::kRuntime), 30 + 10);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kInitialization, Layer::kRuntime), 20);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kTermination, Layer::kRuntime), 30);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kPreparation, Layer::kRuntime), 10);
}

TEST(Summary, PartsOfExecutionAndGroupsSplitTheirLayer) {
  const auto s =
      of({section("[NN_LA_PO]all", 0, 100), section("[NN_LA_PBM]benchmark", 10, 90), section("[NN_LA_PE]frame", 20, 80),
          section("[NN_LA_PIO]in", 20, 30), section("[NN_LA_PR]out", 60, 80), section("[NN_LA_PCO]compare", 70, 80)});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kOther, Layer::kApplication), 20 + 20);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kInputsAndOutputs, Layer::kApplication), 10);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kApplication), 30 + 10);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kResults, Layer::kApplication), 10);
}

TEST(Summary, WaitingCountsOnlyWhileNobodyElseWorks) {
  // compute 0..100 waits 10..90; the device works 20..60, another thread 50..70, and a third one waits as well.
  const auto s =
      of({section("[NN_LR_PE]ANeuralNetworksExecution_compute", 0, 100), section("[NN_LU_PU]wait", 10, 90, "main", "wait"),
          section("[NN_LD_PCO]CONV_2D", 20, 45, "gpu", "gpu"), section("[NN_LD_PCO]ADD", 45, 60, "gpu", "gpu"),
          section("[NN_LD_PR]retire", 50, 70, "completion"), section("[NN_LA_PO]program", 0, 100, "other")});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kGpu), 40);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kResults, Layer::kDriver), 20);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kRuntime), 20 + 10 + 20) << "before and after, and waiting for nothing";
  EXPECT_DOUBLE_EQ(ms(s, Phase::kOther, Layer::kApplication), 100);
}

TEST(Summary, OtherProcessesAndTracksDoNotNest) {
  auto elsewhere = section("[NN_LD_PE]driver", 20, 40);
  elsewhere.process = "2";
  const auto s = of({section("[NN_LR_PE]call", 0, 50), elsewhere, section("[NN_LD_PE]driver", 10, 20, "another thread")});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kRuntime), 50);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kDriver), 30);
}

TEST(Summary, ApplicationSectionsOfASecondFileGoAroundTheLibrarys) {
  const auto s = of({section("[NN_LR_PE]ANeuralNetworksExecution_compute", 10, 20), section("[NN_LA_PE]frame", 10, 30)});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kRuntime), 10);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, Layer::kApplication), 10);
}

TEST(Summary, ExecutionsAreTheCallsThatComputeElseTheApplications) {
  EXPECT_EQ(of({section("[NN_LA_PE]frame", 0, 9), section("[NN_LR_PE]ANeuralNetworksExecution_compute", 1, 2),
                section("[NN_LR_PE]ANeuralNetworksExecution_burstCompute", 2, 3),
                section("[NN_LR_PE]ANeuralNetworksExecution_startCompute", 3, 4),
                section("[NN_LR_PE]ANeuralNetworksExecution_startComputeWithDependencies", 4, 5),
                section("[NN_LR_PE]ANeuralNetworksExecution_create", 5, 6), section("[NN_LR_PE]submit", 6, 7)})
                .executions,
            4U);
  EXPECT_EQ(of({section("[NN_LA_PE]frame", 0, 9), section("[NN_LA_PE]frame", 10, 12)}).executions, 2U);
}

TEST(Summary, PerExecutionDividesOnlyThePartsOfExecution) {
  const auto s = of({section("[NN_LR_PC]compile", 0, 100), section("[NN_LR_PE]ANeuralNetworksExecution_compute", 100, 110),
                     section("[NN_LR_PE]ANeuralNetworksExecution_compute", 110, 130), section("[NN_LR_PIO]set", 130, 134)});
  const auto one = per_execution(s);
  ASSERT_TRUE(one);
  EXPECT_DOUBLE_EQ(ms(*one, Phase::kCompilation, Layer::kRuntime), 100);
  EXPECT_DOUBLE_EQ(ms(*one, Phase::kCompute, Layer::kRuntime), 15);
  EXPECT_DOUBLE_EQ(ms(*one, Phase::kInputsAndOutputs, Layer::kRuntime), 2);
  EXPECT_DOUBLE_EQ(execution(one->self, Layer::kRuntime), 17);
  EXPECT_DOUBLE_EQ(whole(one->self, Layer::kRuntime), 117);
  EXPECT_DOUBLE_EQ(total_time(*one, Phase::kCompute, Layer::kRuntime), 15);
  EXPECT_THAT(per_execution(of({section("[NN_LR_PC]compile", 0, 100)})).error().message, HasSubstr("no execution"));
}

TEST(Summary, NamesThatAreNearlyNnapisAreNotCounted) {
  EXPECT_DOUBLE_EQ(
      total_ms(of({section("[NN_LX_PE]a", 0, 1), section("[NN_LA_PX]a", 0, 1), section("[NN_LAPE]a", 0, 1), section("[NN_", 0, 1),
                   section("[NN_LA_PE", 0, 1), section("NN_LA_PE]", 0, 1), section("[SUB]", 0, 1), section("", 0, 1)})),
      0);
}

TEST(Summary, InitialisationInsideAnotherPhaseIsSubtractedWithoutAMark) {
  const auto s = of({section("[NN_LR_PP]create", 0, 10), section("[NN_LR_PI]once", 2, 6), section("[NN_LR_PI]detail", 3, 4)});
  EXPECT_DOUBLE_EQ(ms(s, Phase::kPreparation, Layer::kRuntime), 6);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kInitialization, Layer::kRuntime), 4);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kPreparation, Layer::kRuntime), 6);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kInitialization, Layer::kRuntime), 4);
}

TEST(TotalTimes, IncludeTheLayersInside) {
  const auto s = of({section("[NN_LA_PE]frame", 0, 100), section("[NN_LR_PE]ANeuralNetworksExecution_compute", 10, 90),
                     section("[NN_LI_PE]call", 20, 80), section("[NN_LD_PE]run", 30, 70), section("[NN_LR_PE]detail", 85, 88)});
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompute, Layer::kApplication), 100);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompute, Layer::kRuntime), 80);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompute, Layer::kIpc), 60);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompute, Layer::kDriver), 40);
  for (const auto layer : {Layer::kApplication, Layer::kRuntime, Layer::kIpc}) {
    const auto below = static_cast<Layer>(static_cast<size_t>(layer) + 1);
    EXPECT_DOUBLE_EQ(ms(s, Phase::kCompute, layer), execution(s.total, layer) - execution(s.total, below))
        << "self-time is total time without that of the layer inside";
  }
}

TEST(TotalTimes, OfASubtractedSectionCountForItsOwnLayerAndNotForTheOneAround) {
  // The rule and the figures of "Subtracting time when nesting is violated".
  const auto s = of({section("[NN_LR_PC]finish", 0, 100), section("[NN_LI_PC]prepareModel", 10, 90),
                     section("[SUB][NN_LR_PC]VersionedIDevice::prepareModel", 20, 50)});
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompilation, Layer::kIpc), 80 - 30);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompilation, Layer::kRuntime), 100);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompilation, Layer::kIpc), 50);
  EXPECT_DOUBLE_EQ(ms(s, Phase::kCompilation, Layer::kRuntime), 50);
}

TEST(TotalTimes, OfExecutionIncludeItsParts) {
  const auto s =
      of({section("[NN_LR_PIO]setInput", 0, 3), section("[NN_LR_PE]compute", 10, 30), section("[NN_LC_PCO]ADD", 15, 20),
          section("[NN_LR_PIO]bind", 20, 22), section("[NN_LR_PR]complete", 28, 30)});
  EXPECT_DOUBLE_EQ(execution(s.total, Layer::kRuntime), 3 + 20);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kInputsAndOutputs, Layer::kRuntime), 3 + 2);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kResults, Layer::kRuntime), 2);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompute, Layer::kRuntime), 23 - 5 - 2) << "the rest";
  EXPECT_DOUBLE_EQ(execution(s.total, Layer::kCpu), 5);
}

TEST(TotalTimes, OfAnApplicationFollowThePhaseThatItCalls) {
  const auto s = of({section("[NN_LA_PO]program", 0, 100), section("[NN_LA_PC]compile", 10, 50),
                     section("[NN_LR_PP]addOperand", 20, 25), section("[NN_LR_PE]compute", 30, 40)});
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kPreparation, Layer::kApplication), 5);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompilation, Layer::kApplication), 40 - 5) << "execution stays where the mark says";
  EXPECT_DOUBLE_EQ(whole(s.total, Layer::kApplication), 100);
  EXPECT_DOUBLE_EQ(whole(s.total, Layer::kRuntime), 15);
}

TEST(TotalTimes, OfTheRuntimeLastFromAnAsynchronousStartToTheWait) {
  const auto s = of({section("[NN_LR_PE]ANeuralNetworksExecution_startCompute", 0, 10), section("[NN_LR_PIO]setInput", 20, 25),
                     section("[NN_LR_PP]addOperand", 30, 35), section("[NN_LR_PE]ANeuralNetworksEvent_wait", 60, 80),
                     section("[NN_LR_PE]ANeuralNetworksEvent_wait", 90, 91), section("[NN_LD_PE]elsewhere", 5, 70, "device")});
  EXPECT_DOUBLE_EQ(execution(s.total, Layer::kRuntime), 80 + 1) << "the second wait belongs to no start";
  EXPECT_DOUBLE_EQ(whole(s.total, Layer::kRuntime), 81);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kInputsAndOutputs, Layer::kRuntime), 5);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kCompute, Layer::kRuntime), 76);
  EXPECT_DOUBLE_EQ(total_time(s, Phase::kPreparation, Layer::kRuntime), 5);
}

}  // namespace
}  // namespace nnvk::tools::trace
