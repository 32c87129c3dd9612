// The verdicts about the output of stages, and the page.
#include "tools/device_check/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/device_check/page.h"

namespace nnvk::tools::device_check {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StageResult judged(std::string_view stage, const std::string& json, int exit_code = 0, const std::string& log = "") {
  return judge(stage, {.exit_code = exit_code, .text = json, .log = log});
}

TEST(DeviceCheckResult, AFailedCaseIsBad) {
  EXPECT_EQ(judged("conformance", R"({"passed": 10, "failed": 1, "skipped": 0, "complete": false})", 1).verdict, Verdict::kBad);
}

TEST(DeviceCheckResult, APartOfTheCasesIsEnoughButForTheStageOfAllCases) {
  const std::string part = R"({"passed": 10, "failed": 0, "skipped": 2, "complete": false})";
  EXPECT_EQ(judged("conformance", part, 4).verdict, Verdict::kGood);
  EXPECT_EQ(judged("forms", part, 4).verdict, Verdict::kGood);
  EXPECT_EQ(judged("all_cases", part, 4).verdict, Verdict::kUnfinished);
  EXPECT_EQ(judged("all_cases", R"({"passed": 10, "failed": 0, "complete": true})").verdict, Verdict::kGood);
}

TEST(DeviceCheckResult, NoPassedCaseIsNotGood) {
  EXPECT_EQ(judged("conformance", R"({"passed": 0, "failed": 0, "skipped": 9, "complete": false})", 4).verdict,
            Verdict::kUnfinished);
}

TEST(DeviceCheckResult, AStageWithoutFiguresIsBad) {
  for (const char* text : {"", "Segmentation fault", "[1]"}) EXPECT_EQ(judged("latency", text, 1).verdict, Verdict::kBad) << text;
}

TEST(DeviceCheckResult, AProcessThatCrashedIsBadAndOneThatWasStoppedIsUnfinished) {
  EXPECT_EQ(judge("layers", {.problem = "its process ended with SIGSEGV"}).verdict, Verdict::kBad);
  EXPECT_EQ(judge("layers", {.problem = "the command was stopped", .ran_out_of_time = true}).verdict, Verdict::kUnfinished);
}

TEST(DeviceCheckResult, MessagesOfTheValidationLayersAreBad) {
  const std::string figures = R"({"passed": 10, "failed": 0, "skipped": 0, "complete": false})";
  EXPECT_EQ(judged("validation", figures, 4).verdict, Verdict::kGood);
  const auto bad =
      judged("validation", figures, 4, "nnvk: VUID-vkCmdDispatch-None-02699: a descriptor\nother words\nSYNC-HAZARD-X\n");
  EXPECT_EQ(bad.verdict, Verdict::kBad);
  EXPECT_EQ(bad.figures["message_count"], 2);
  EXPECT_EQ(bad.figures["messages"].size(), 2u);
  // A message about how the layers lock is not about the driver.
  EXPECT_EQ(judged("validation", figures, 4, "UNASSIGNED-fine-grained-locking-warning").verdict, Verdict::kGood);
}

TEST(DeviceCheckResult, WithoutValidationLayersTheirStageIsNotPossible) {
  const auto result = judged("validation", R"({"passed": 1})", 0, "Vulkan: VK_LAYER_KHRONOS_validation is not installed\n");
  EXPECT_EQ(result.verdict, Verdict::kNotPossible);
  EXPECT_EQ(verdict_of({.results = {result}}), Verdict::kGood);
}

TEST(DeviceCheckResult, ADeviceThatCouldNotBeCalibratedIsBad) {
  EXPECT_EQ(judged("calibration", R"({"devices": [{"device": "a", "median_error": 0.2}]})").verdict, Verdict::kGood);
  const auto bad = judged("calibration", R"({"devices": [{"device": "a", "error": "it is lost"}]})");
  EXPECT_EQ(bad.verdict, Verdict::kBad);
  EXPECT_THAT(bad.summary, HasSubstr("it is lost"));
}

TEST(DeviceCheckResult, LayersThatFailAreBadAndLayersLeftOutAreUnfinished) {
  EXPECT_EQ(judged("layers", R"({"layers": [{}], "left_out": 0, "errors": []})").verdict, Verdict::kGood);
  EXPECT_EQ(judged("layers", R"({"layers": [{}], "left_out": 2, "errors": []})").verdict, Verdict::kUnfinished);
  EXPECT_EQ(judged("layers", R"({"layers": [{}], "left_out": 2, "errors": ["no memory"]})").verdict, Verdict::kBad);
}

TEST(DeviceCheckResult, AModelThatCannotBeMeasuredIsBadAndOneLeftOutIsUnfinished) {
  const auto with = [](const char* second) {
    return judged("models", std::string(R"({"measurements": [{"model": "a", "engine": "b"}, )") + second + "]}").verdict;
  };
  EXPECT_EQ(with(R"({"model": "c", "engine": "b"})"), Verdict::kGood);
  EXPECT_EQ(with(R"({"model": "c", "engine": "b", "problem": "out of time", "left_out": true})"), Verdict::kUnfinished);
  EXPECT_EQ(with(R"({"model": "c", "engine": "b", "problem": "the device is lost"})"), Verdict::kBad);
}

TEST(DeviceCheckResult, AWrongFrameIsBad) {
  EXPECT_EQ(judged("recording", R"({"frames": 10, "wrong": 0})").verdict, Verdict::kGood);
  EXPECT_EQ(judged("recording", R"({"frames": 10, "wrong": 1})").verdict, Verdict::kBad);
  EXPECT_EQ(judged("recording", R"({"not_possible": "libvulkan.so.1 cannot be loaded"})").verdict, Verdict::kNotPossible);
}

TEST(DeviceCheckResult, JoinedPartsHaveTheWorstVerdictAndNameThePart) {
  const StageResult good{.verdict = Verdict::kGood, .seconds = 1, .figures = {{"passed", 3}}};
  const StageResult bad{.verdict = Verdict::kBad, .summary = "1 failed", .seconds = 2};
  const auto joined = join("forms", {{"dot", good}, {"tiles", bad}});
  EXPECT_EQ(joined.verdict, Verdict::kBad);
  EXPECT_THAT(joined.summary, HasSubstr("1 of 2 parts are good; tiles: 1 failed"));
  EXPECT_EQ(joined.seconds, 3);
  EXPECT_EQ(joined.figures["parts"][0]["passed"], 3);
  EXPECT_EQ(join("forms", {}).verdict, Verdict::kUnfinished);
}

// Everything that comes from a driver is text, not markup.
TEST(DeviceCheckPage, ShowsEveryStageAndEscapesWhatDriversSay) {
  Check check;
  check.facts = {{"device", "<script>alert(1)</script>"}};
  check.results.push_back(judged(
      "device", R"({"name": "vulkan-<b>x", "version": "1", "properties": [{"group": "g", "name": "n", "value": "<i>"}]})"));
  check.results.push_back(
      judged("conformance",
             R"({"passed": 1, "failed": 1, "complete": false, "families": {"pooling": {"passed": 1, "failed": 1, "skipped": 0}},
                         "failures": [{"case": "nnvk.pool", "variant": "texel", "message": "expected <1>"}]})"));
  check.results.push_back(
      judged("latency", R"json({"latencies": [{"name": "compute()", "samples": 3, "median_us": 12.5}]})json"));
  check.results.push_back(judged("models", R"({"measurements": [{"model": "digits", "engine": "vulkan-x",
                                               "latency_seconds": {"median": 0.0125, "p99": 0.02}, "compile_seconds": 0.5}]})"));
  const auto page = to_page(check);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<i>")));
  EXPECT_THAT(page, Not(HasSubstr("<1>")));
  EXPECT_THAT(page, HasSubstr("nnvk.pool"));
  EXPECT_THAT(page, HasSubstr("12.500"));
  EXPECT_THAT(page, HasSubstr("class=\"bad\""));
}

TEST(DeviceCheckPage, ComparesTheFormsOfALayerWithNnvksOwnChoice) {
  const auto part = [](const char* kernel, double seconds) {
    return StageResult{
        .figures = {
            {"layers", {{{"layer", "matrix"}, {"type", "float32"}, {"batch", 1}, {"kernel", kernel}, {"seconds", seconds}}}}}};
  };
  Check check;
  check.results.push_back(join(
      "layers",
      {{"own", part("tiles_kernel", 1e-3)}, {"plain", part("plain_kernel", 2.5e-3)}, {"tiles", part("tiles_kernel", 1e-3)}}));
  const auto page = to_page(check);
  EXPECT_THAT(page, HasSubstr(">2.50</td>"));
  EXPECT_THAT(page, HasSubstr(">—</td>"));
}

}  // namespace
}  // namespace nnvk::tools::device_check
