// Lists of kernels: collected from the library's answers, printed, compared; and the sizes that the registry requests. No device.
#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/command/kernel_list.h"
#include "tools/command/kernel_registry.h"

namespace nnvk::tools {
namespace {

using conformance::Lifetime;
using conformance::VectorCase;
using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Two layers that share a pipeline, and the packing of weights.
const ordered_json kAnswer = ordered_json::parse(R"({
  "device": {"name": "vulkan-moon", "hardware": "Moon 1", "version": "driver 2", "usable": false, "statistics_missing": ""},
  "pipelines": [
    {"kernel": "Dense", "family": "convolution", "variant": "texel", "specialization": {"TYPE": 2, "TILE": 8},
     "local_size": [32, 1, 1],
     "statistics": {"VGPRs": 64, "Spilled VGPRs": 0, "Subgroups per SIMD": 16, "Inverse Throughput": 900, "Hash": 7}},
    {"kernel": "Pack", "family": "convolution", "variant": "words", "specialization": {}, "local_size": [8, 8, 1],
     "statistics": {"VGPRs": 12, "Spilled VGPRs": 0, "Subgroups per SIMD": 16, "Inverse Throughput": 30, "Hash": 8}}],
  "dispatches": [
    {"pipeline": 1, "operation": 0, "name": "CONV_2D", "label": "CONV_2D pack", "groups": [3, 1, 1], "once": true,
     "multiply_adds": 0, "predicted_seconds": 0.5, "reason": "words: its only form"},
    {"pipeline": 0, "operation": 0, "name": "CONV_2D", "label": "CONV_2D 1x8", "groups": [10, 2, 1], "once": false,
     "multiply_adds": 5, "predicted_seconds": 1e-5, "reason": "8 pixels"},
    {"pipeline": 0, "operation": 1, "name": "CONV_2D", "label": "CONV_2D 1x4", "groups": [5, 1, 1], "times": 3, "once": false,
     "multiply_adds": 5, "predicted_seconds": 2e-5, "reason": "8 pixels"}],
  "unlisted": [{"operation": 2, "name": "LSTM", "reason": "the moon is full"}]})");

KernelList listed(const ordered_json& answer = kAnswer) {
  KernelCollector collector;
  collector.add(answer);
  KernelList list = collector.take();
  list.source = "moon.tflite";
  list.device = answer.at("device");
  return list;
}

TEST(KernelList, APipelineIsListedOnceWithAllItsDispatches) {
  const KernelList list = listed();
  ASSERT_EQ(list.pipelines.size(), 2U);
  EXPECT_EQ(list.pipelines[0].name, "Pack words");
  EXPECT_EQ(list.pipelines[0].preparations, 1U);
  EXPECT_EQ(list.pipelines[0].dispatches, 0U);
  EXPECT_EQ(list.pipelines[0].group_size, 64U);
  const PipelineLine& dense = list.pipelines[1];
  EXPECT_EQ(dense.name, "Dense texel TYPE=2 TILE=8");
  EXPECT_EQ(dense.dispatches, 4U) << "one, and one three times";
  EXPECT_EQ(dense.least_groups, 5U);
  EXPECT_EQ(dense.most_groups, 20U);
  EXPECT_EQ(dense.example, "CONV_2D 1x8");
  EXPECT_EQ(dense.reason, "8 pixels");
  EXPECT_THAT(list.unlisted, ElementsAre("LSTM (operation 2): the moon is full"));
}

TEST(KernelList, TheTextHasTheDriversWordsInColumns) {
  const std::string text = to_text(listed());
  EXPECT_THAT(text, HasSubstr("vulkan-moon: Moon 1, driver 2; for its compiler alone"));
  EXPECT_THAT(text, HasSubstr("VGPRs"));
  EXPECT_THAT(text, HasSubstr("5..20"));
  EXPECT_THAT(text, HasSubstr("CONV_2D 1x8 and 3 more"));
  EXPECT_THAT(text, HasSubstr("the moon is full"));
  EXPECT_THAT(text, Not(HasSubstr("sizes only")));
}

TEST(KernelList, PredictedTimesAreThoseOfAnExecution) {
  const KernelList list = listed();
  EXPECT_EQ(list.pipelines[0].predicted_seconds, 0) << "packs once";
  EXPECT_DOUBLE_EQ(list.pipelines[1].predicted_seconds, 7e-5);
  EXPECT_THAT(to_text(list), HasSubstr("predicted for an execution: 0.070 ms"));
}

TEST(KernelList, ADriverWithOtherWordsHasThemInALine) {
  ordered_json answer = kAnswer;
  answer["pipelines"][0]["statistics"] = {{"Instruction Count", 12}, {"Cycle Count", 34}};
  answer["pipelines"][1]["statistics"] = ordered_json::object();
  EXPECT_THAT(to_text(listed(answer)), HasSubstr("Instruction Count 12, Cycle Count 34"));
}

TEST(KernelList, WithoutStatisticsTheTextSaysWhy) {
  ordered_json answer = kAnswer;
  for (auto& pipeline : answer["pipelines"]) pipeline.erase("statistics");
  answer["device"]["statistics_missing"] = "nobody compiles";
  const std::string text = to_text(listed(answer));
  EXPECT_THAT(text, HasSubstr("sizes only: nobody compiles"));
  EXPECT_THAT(text, Not(HasSubstr("VGPRs")));
  EXPECT_THAT(text, HasSubstr("5..20"));
}

TEST(KernelList, JsonKeepsEverything) {
  const KernelList list = listed();
  const auto again = kernel_list_from_json(to_json(list).dump(), "it");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(list));
}

TEST(KernelList, JsonOfSomethingElseIsRefusedByName) {
  for (const char* text : {"", "[]", "{\"source\": 3}", R"({"source": "a", "device": {}, "pipelines": [{}]})"}) {
    const auto list = kernel_list_from_json(text, "moon.json");
    ASSERT_FALSE(list) << text;
    EXPECT_THAT(list.error().message, HasSubstr("moon.json"));
  }
}

TEST(KernelComparison, EqualListsAreTheSame) {
  const KernelComparison same = compare(listed(), listed());
  EXPECT_TRUE(same.changed.empty());
  EXPECT_EQ(same.same, 2U);
}

TEST(KernelComparison, FewerRegistersAndMoreWavesAreBetterAndSpillsAreWorse) {
  ordered_json after = kAnswer;
  after["pipelines"][0]["statistics"] = {
      {"VGPRs", 48}, {"Spilled VGPRs", 2}, {"Subgroups per SIMD", 20}, {"Inverse Throughput", 900}, {"Hash", 9}};
  const KernelComparison comparison = compare(listed(), listed(after));
  ASSERT_EQ(comparison.changed.size(), 1U);
  EXPECT_EQ(comparison.same, 1U);
  const auto& changes = comparison.changed[0].changes;
  ASSERT_EQ(changes.size(), 3U) << "a hash is not a statistic";
  EXPECT_EQ(changes[0].statistic, "VGPRs");
  EXPECT_EQ(changes[0].verdict, 1);
  EXPECT_EQ(changes[1].statistic, "Spilled VGPRs");
  EXPECT_EQ(changes[1].verdict, -1);
  EXPECT_EQ(changes[2].statistic, "Subgroups per SIMD");
  EXPECT_EQ(changes[2].verdict, 1);
  EXPECT_THAT(to_text(comparison), HasSubstr("better   VGPRs"));
}

TEST(KernelComparison, PipelinesOfOneSideAloneAreNamed) {
  ordered_json after = kAnswer;
  after["pipelines"][0]["specialization"]["TILE"] = 4;
  const KernelComparison comparison = compare(listed(), listed(after));
  EXPECT_THAT(comparison.only_before, ElementsAre("Dense texel TYPE=2 TILE=8"));
  EXPECT_THAT(comparison.only_after, ElementsAre("Dense texel TYPE=2 TILE=4"));
  EXPECT_EQ(comparison.same, 1U);
}

// y = f(x, constant), with x [2,3] and y [2,3].
VectorCase small_case() {
  VectorCase c;
  c.main.operands.resize(3);
  c.main.operands[0].type = ANEURALNETWORKS_TENSOR_FLOAT32;
  c.main.operands[0].dimensions = {2, 3};
  c.main.operands[0].lifetime = Lifetime::kModelInput;
  c.main.operands[0].data.resize(24);
  c.main.operands[1] = c.main.operands[0];
  c.main.operands[1].lifetime = Lifetime::kConstantCopy;
  c.main.operands[2].type = ANEURALNETWORKS_TENSOR_FLOAT32;
  c.main.operands[2].dimensions = {2, 3};
  c.main.operands[2].lifetime = Lifetime::kModelOutput;
  c.main.operations = {{ANEURALNETWORKS_ADD, {0, 1}, {2}}};
  c.main.inputs = {0};
  c.main.outputs = {2};
  return c;
}

TEST(KernelRegistry, AnEnlargedCaseHasMoreOfTheFirstDimensionAndOpenOutputs) {
  const auto larger = enlarged(small_case(), 16, true);
  ASSERT_TRUE(larger);
  EXPECT_THAT(larger->main.operands[0].dimensions, ElementsAre(32, 3));
  EXPECT_TRUE(larger->main.operands[0].data.empty());
  EXPECT_THAT(larger->main.operands[1].dimensions, ElementsAre(2, 3)) << "constants are what they are";
  EXPECT_EQ(larger->main.operands[1].data.size(), 24U);
  EXPECT_TRUE(larger->main.operands[2].dimensions.empty());
}

TEST(KernelRegistry, OnlyTheFirstInputGrowsWhereAllTogetherMakeNoModel) {
  VectorCase c = small_case();
  c.main.operands[1].lifetime = Lifetime::kModelInput;
  c.main.inputs = {0, 1};
  EXPECT_THAT(enlarged(c, 4, true)->main.operands[1].dimensions, ElementsAre(8, 3));
  EXPECT_THAT(enlarged(c, 4, false)->main.operands[1].dimensions, ElementsAre(2, 3));
}

TEST(KernelRegistry, WhatCannotGrowStaysOut) {
  VectorCase c = small_case();
  c.main.operands[0].dimensions = {};
  EXPECT_FALSE(enlarged(c, 2, true));
  c.main.operands[0].dimensions = {1U << 20, 1U << 10};
  EXPECT_FALSE(enlarged(c, 4, true)) << "no device has such buffers";
}

// The answer of a library whose kernel depends on the size of the first input.
Result<ordered_json> answer_for(const VectorCase& c) {
  const uint32_t rows = c.main.operands[0].dimensions.at(0);
  if (rows > 2 * 1024) return fail("too large");
  const int tile = rows >= 2 * 512 ? 8 : rows >= 2 * 256 ? 4 : 1;
  ordered_json answer = kAnswer;
  answer["pipelines"][0]["specialization"]["TILE"] = tile;
  return answer;
}

TEST(KernelRegistry, EveryKernelBetweenTheSmallestAndTheLargestSizeIsFound) {
  KernelCollector collector;
  EnlargedBefore before;
  ASSERT_TRUE(add_sizes(small_case(), "small", answer_for, before, collector));
  std::vector<std::string> dense;
  for (const PipelineLine& line : collector.take().pipelines) {
    if (line.kernel == "Dense") dense.push_back(line.name);
  }
  EXPECT_THAT(
      dense, testing::UnorderedElementsAre("Dense texel TYPE=2 TILE=1", "Dense texel TYPE=2 TILE=4", "Dense texel TYPE=2 TILE=8"))
      << "4 is chosen for one size alone";
}

TEST(KernelRegistry, AnInvalidCaseIsAnErrorAndAnInvalidLargerOneIsNot) {
  KernelCollector collector;
  EnlargedBefore before;
  VectorCase c = small_case();
  EXPECT_TRUE(add_sizes(c, "small", answer_for, before, collector));
  c.main.operands[0].dimensions[0] = 5000;
  EXPECT_FALSE(add_sizes(c, "large", answer_for, before, collector));
}

TEST(KernelRegistry, ThreeCasesOfAKindStandForAllAtOtherSizes) {
  KernelCollector collector;
  EnlargedBefore before;
  int asked = 0;
  const AskKernels counted = [&](const VectorCase& c) {
    ++asked;
    return answer_for(c);
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(add_sizes(small_case(), "small", counted, before, collector));
  EXPECT_GT(asked, 9);
  asked = 0;
  ASSERT_TRUE(add_sizes(small_case(), "small", counted, before, collector));
  EXPECT_EQ(asked, 1);
  VectorCase other = small_case();
  other.main.operations[0].code = ANEURALNETWORKS_MUL;
  ASSERT_TRUE(add_sizes(other, "other", counted, before, collector));
  EXPECT_GT(asked, 4) << "another operation is another kind";
}

}  // namespace
}  // namespace nnvk::tools
