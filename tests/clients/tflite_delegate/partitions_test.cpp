// The choice of operators, with invented runtimes and judgements, and with nnvk's own.
#include "clients/tflite_delegate/partitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clients/tflite_delegate/live_graph.h"
#include "tests/clients/tflite_delegate/fake_context.h"

namespace nnvk::clients::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Runs of neighbouring operators.
Result<std::vector<Partition>> runs(const Reasons& reasons) {
  std::vector<Partition> partitions;
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i]) continue;
    if (i == 0 || reasons[i - 1]) partitions.emplace_back();
    partitions.back().operators.push_back(i);
  }
  return partitions;
}

TEST(Selection, TakesWhatNobodyRefuses) {
  const auto selection = select(Reasons(3), runs, [](const Partition&) { return Judgement{}; });
  ASSERT_TRUE(selection);
  ASSERT_EQ(selection->partitions.size(), 1u);
  EXPECT_THAT(selection->partitions[0].operators, ElementsAre(0u, 1u, 2u));
}

TEST(Selection, DividesAgainAfterARefusalAndAsksOncePerPartition) {
  int asked = 0;
  const auto judge = [&](const Partition& partition) -> Result<Judgement> {
    ++asked;
    for (const size_t i : partition.operators) {
      if (i == 2) return Judgement{{2}, "not this one"};
    }
    return Judgement{};
  };
  Reasons reasons(6);
  reasons[4] = "unknown";
  const auto selection = select(std::move(reasons), runs, judge);
  ASSERT_TRUE(selection);
  ASSERT_EQ(selection->partitions.size(), 3u);
  EXPECT_THAT(selection->partitions[0].operators, ElementsAre(0u, 1u));
  EXPECT_THAT(selection->partitions[1].operators, ElementsAre(3u));
  EXPECT_THAT(selection->partitions[2].operators, ElementsAre(5u));
  EXPECT_EQ(selection->reasons[2], "not this one");
  EXPECT_EQ(selection->reasons[4], "unknown");
  EXPECT_EQ(asked, 4) << "0 to 3, 5, and after the refusal 0 to 1 and 3";
}

TEST(Selection, PassesErrorsOn) {
  const auto selection = select(Reasons(1), runs, [](const Partition&) -> Result<Judgement> { return fail("no answer"); });
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().message, "no answer");
}

class Judging : public testing::Test {
 protected:
  Judging() {
    const int a = context_.add_tensor(kTfLiteFloat32, {4}, "a");
    const int b = context_.add_tensor(kTfLiteFloat32, {4}, "b");
    const int c = context_.add_tensor(kTfLiteFloat32, {4}, "c");
    context_.add_node(kTfLiteBuiltinAdd, {a, a}, {b}, &params_);
    context_.add_node(kTfLiteBuiltinMul, {b, a}, {c}, &params_);
    partition_ = {.operators = {0, 1}, .inputs = {a}, .outputs = {c}};
    const std::vector<int> nodes{0, 1};
    graph_ = read_nodes(*context_.get(), nodes)->graph;
  }

  FakeContext context_;
  TfLiteAddParams params_{};
  importers::tflite::Graph graph_;
  Partition partition_;
};

TEST_F(Judging, TakesWhatTheDeviceSupports) {
  const auto judgement = judge_partition(graph_, partition_, {.min_nodes = 1}, *choose_devices("cpu"));
  ASSERT_TRUE(judgement) << judgement.error().message;
  EXPECT_THAT(judgement->refused, IsEmpty()) << judgement->reason;
}

TEST_F(Judging, LeavesWhatIsNotPredictedToBeFaster) {
  const auto judgement = judge_partition(graph_, partition_, {}, *choose_devices("cpu"));
  ASSERT_TRUE(judgement) << judgement.error().message;
  EXPECT_THAT(judgement->refused, ElementsAre(0u, 1u));
  EXPECT_THAT(judgement->reason, HasSubstr("a partition of 2 operators, predicted "));
  EXPECT_THAT(judgement->reason, HasSubstr(" us on TensorFlow Lite's own operators"));
}

TEST_F(Judging, LeavesPartitionsThatAreTooSmall) {
  const auto judgement = judge_partition(graph_, partition_, {.min_nodes = 3}, *choose_devices("cpu"));
  ASSERT_TRUE(judgement);
  EXPECT_THAT(judgement->refused, ElementsAre(0u, 1u));
  EXPECT_THAT(judgement->reason, HasSubstr("a partition of 2 operators, min_nodes is 3"));
}

TEST_F(Judging, LeavesTheOperatorWhoseTypesDoNotFit) {
  graph_.tensors[2].type = importers::tflite::format::TensorType_INT32;
  const auto judgement = judge_partition(graph_, partition_, {}, *choose_devices("cpu"));
  ASSERT_TRUE(judgement);
  EXPECT_THAT(judgement->refused, ElementsAre(1u)) << judgement->reason;
}

TEST_F(Judging, ReportsCountsAndReasons) {
  Selection selection{.partitions = {partition_}, .reasons = Reasons(2)};
  EXPECT_EQ(report(graph_, selection),
            "takes 2 of 2 operators in 1 partitions\n  taken: 2 operators from operator 0 (ADD) to operator 1 (MUL)\n");
  selection.partitions.clear();
  selection.reasons = {"too hard", "too hard"};
  EXPECT_EQ(report(graph_, selection), "takes 0 of 2 operators in 0 partitions\n  left: 2 of too hard\n");
}

}  // namespace
}  // namespace nnvk::clients::tflite
