// Answers from values: class scores only where they are some, labels, points, masks and pictures.
#include "tools/answers/decoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/answers/class_scores.h"
#include "tools/answers/description.h"
#include "tools/answers/key_points.h"
#include "tools/answers/masks.h"

namespace nnvk::tools::answers {
namespace {

using ::testing::HasSubstr;

ModelFacts model(const std::vector<OperandInfo>& outputs, uint32_t side = 8) {
  ModelFacts facts;
  facts.picture = PictureShape{1, side, side, 3};
  for (const auto& info : outputs) facts.outputs.push_back({.name = "scores", .info = info});
  return facts;
}

OperandInfo floats(std::vector<uint32_t> dimensions) { return {.dimensions = std::move(dimensions)}; }

Answer only_answer(const ModelFacts& facts, const std::vector<std::vector<float>>& values, const DecodingOptions& options = {}) {
  auto answers = answers_of(facts, values, options);
  EXPECT_TRUE(answers) << answers.error().message;
  EXPECT_TRUE(answers && answers->size() == 1U);
  return answers ? answers->front() : Answer{};
}

DecodingOptions with_labels(const std::string& text) { return {.labels = labels_in(text, "l.txt")}; }

const std::string kOneTwo = "one\ntwo\n";

TEST(ClassScores, NeedProbabilitiesOrLabelsForExactlyTheseClasses) {
  const auto facts = model({floats({1, 2})});
  const auto is_scores = [](const Answer& answer) { return std::holds_alternative<ClassScores>(answer.value); };
  EXPECT_TRUE(is_scores(only_answer(facts, {{0.25F, 0.75F}})));
  EXPECT_FALSE(is_scores(only_answer(facts, {{-3, 4}}))) << "these may be coordinates";
  EXPECT_FALSE(is_scores(only_answer(facts, {{0.75F, 0.75F}}))) << "their sum is not 1";
  EXPECT_TRUE(is_scores(only_answer(facts, {{-3, 4}}, with_labels(kOneTwo)))) << "logits";
  EXPECT_TRUE(is_scores(only_answer(facts, {{0.75F, 0.75F}}, with_labels(kOneTwo)))) << "several classes at once";
  EXPECT_FALSE(is_scores(only_answer(model({{.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {1, 2}}}), {{0, 1}})));
  auto own = facts;
  own.outputs[0].labels = labels_in(kOneTwo, "packed");
  EXPECT_TRUE(is_scores(only_answer(own, {{-3, 4}}))) << "the file has labels";
}

TEST(ClassScores, AreSortedWithLabelsAndWordsForLogits) {
  const auto answer = only_answer(model({floats({1, 3})}), {{0.5F, -1, 2}}, with_labels(kOneTwo));
  const auto& best = std::get<ClassScores>(answer.value).best;
  EXPECT_EQ(best[0].label, "two");
  EXPECT_EQ(best[1].label, "background");
  EXPECT_THAT(to_text(answer, {}), HasSubstr("logits"));
  const std::vector<float> equal{0.5F, 0.5F, 0.2F};
  EXPECT_EQ(best_classes(equal, nullptr, 0, 2)[0].number, 0U) << "equal scores keep their order";
}

TEST(Labels, ThatDoNotFitAreAnErrorThatCounts) {
  const auto failed = answers_of(model({floats({1, 4})}), std::vector<std::vector<float>>{{0, 0, 1, 0}}, with_labels(kOneTwo));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("l.txt name 2 classes, but the output 'scores' has 4"));
  const auto pose =
      answers_of(model({floats({1, 1, 17, 3})}), std::vector<std::vector<float>>{std::vector<float>(51)}, with_labels(kOneTwo));
  ASSERT_FALSE(pose);
  EXPECT_THAT(pose.error().message, HasSubstr("no output"));
  const std::vector<std::vector<float>> two{{0, 1, 0, 0}, {0.5F, 0.5F}};
  EXPECT_TRUE(answers_of(model({floats({1, 4}), floats({1, 2})}), two, with_labels(kOneTwo))) << "they fit to the second output";
}

TEST(Detections, UseTheLabelsOfTheLineBehindThePlaceholder) {
  auto facts = model({floats({1, 2, 4}), floats({1, 2}), floats({1, 2}), floats({1})});
  facts.detection_classes = 2;
  constexpr DetectionPart kParts[] = {DetectionPart::kBoxes, DetectionPart::kClasses, DetectionPart::kScores,
                                      DetectionPart::kNumber};
  for (size_t i = 0; i < 4; ++i) facts.outputs[i].part = kParts[i];
  const std::vector<std::vector<float>> values{{0, 0, 0.5F, 0.5F, 0, 0, 1, 1}, {1, 0}, {0.9F, 0.4F}, {2}};
  const auto answer = only_answer(facts, values, with_labels("???\nperson\ndog\n"));
  const auto& found = std::get<Detections>(answer.value).found;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].best.label, "dog");
  EXPECT_EQ(to_text(answer, {200, 100}), "  1 object with a score of at least 0.50\n    0.90  dog from (0, 0) to (100, 50)\n");
  auto options = with_labels("person\ndog\n");
  options.least_score = 0.3F;
  const auto more = only_answer(facts, values, options);
  EXPECT_EQ(std::get<Detections>(more.value).found.at(1).best.label, "person");
  const auto json = to_json(more, facts, {200, 100});
  EXPECT_EQ(json["detections"][0]["label"], "dog");
  EXPECT_EQ(json["detections"][0]["pixels"]["right"], 100);
  EXPECT_EQ(json["outputs"].size(), 4U);
}

TEST(KeyPoints, OfAPoseAreFractionsAndOfLandmarksPixels) {
  std::vector<float> pose(51);
  pose[3] = 0.25F;  // y, x and score of the second point
  pose[4] = 0.5F;
  pose[5] = 0.9F;
  const auto answer = only_answer(model({floats({1, 1, 17, 3})}), {pose});
  const auto& points = std::get<KeyPoints>(answer.value);
  EXPECT_EQ(points.points[1].at.x, 0.5F);
  EXPECT_THAT(to_text(answer, {100, 200}), HasSubstr("0.90  left eye (50, 50)\n"));
  std::vector<float> hand(63, 4);
  const auto of_hand = only_answer(model({floats({1, 63}), floats({1, 1})}), {hand, {0.9F}});
  EXPECT_EQ(std::get<KeyPoints>(of_hand.value).points[20].at.y, 0.5F);
  EXPECT_THAT(to_text(of_hand, {}), HasSubstr("little finger tip (0.500, 0.500)"));
  const auto absent = only_answer(model({floats({1, 63}), floats({1, 1})}), {hand, {0.1F}});
  EXPECT_THAT(to_text(absent, {}), HasSubstr("probably is none"));
  const auto face = only_answer(model({floats({1, 1, 1, 1404}), floats({1, 1, 1, 1})}), {std::vector<float>(1404), {3}});
  EXPECT_NEAR(*std::get<KeyPoints>(face.value).score, 0.9526, 1e-4) << "a logit";
}

TEST(KeyPoints, NamesAndLinesOfEveryFigureBelongToItsPoints) {
  for (const Figure* figure : {&person(), figure_of_detector(6), figure_of_detector(7), figure_of_landmarks(63)}) {
    ASSERT_NE(figure, nullptr);
    for (const auto& line : figure->lines) {
      EXPECT_LT(line.from, figure->points.size()) << figure->name;
      EXPECT_LT(line.to, figure->points.size()) << figure->name;
    }
  }
  EXPECT_EQ(figure_of_landmarks(63)->points.size(), 21U);
  EXPECT_EQ(figure_of_landmarks(63)->points[8], "index finger tip");
  EXPECT_EQ(figure_of_detector(3), nullptr);
}

TEST(KeyPoints, PeopleBelowTheScoreAreLeftOut) {
  std::vector<float> values(2 * 56);
  values[51] = 0.1F;  // top, left, bottom, right, score
  values[52] = 0.2F;
  values[55] = 0.6F;
  values[56 + 55] = 0.4F;
  const auto found = people(values, 0.5F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].box.left, 0.2F);
  EXPECT_EQ(found[0].points.size(), 17U);
}

TEST(Masks, CountTheShareOfEachClass) {
  std::vector<float> scores(8 * 8 * 2);
  for (size_t pixel = 0; pixel < 64; ++pixel) scores[2 * pixel + (pixel < 16 ? 1 : 0)] = 1;
  const auto answer = only_answer(model({floats({1, 8, 8, 2})}), {scores}, with_labels("background\ncat\n"));
  const auto& mask = std::get<Mask>(answer.value);
  ASSERT_EQ(mask.shares.size(), 2U);
  EXPECT_EQ(mask.shares[1].label, "cat");
  EXPECT_EQ(mask.shares[1].share, 0.25);
  EXPECT_THAT(to_text(answer, {}), HasSubstr(" 25.0 %  cat\n"));
  const PictureShape channels_first{1, 8, 8, 2, true};
  std::vector<float> planes(128);
  planes[64] = 1;
  EXPECT_EQ(mask_of_scores(planes, channels_first).classes[0], 1);
  EXPECT_EQ(mask_of_scores(planes, channels_first).classes[1], 0);
}

TEST(Masks, NumbersOfClassesAreLinesOfTheLabels) {
  const auto facts = model({{.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {1, 8, 8}}});
  std::vector<float> classes(64);
  classes[5] = 2;
  const auto answer = only_answer(facts, {classes}, with_labels("background\ncat\ndog\n"));
  EXPECT_EQ(std::get<Mask>(answer.value).shares[1].label, "dog");
  EXPECT_EQ(to_json(answer, facts, {})["shares"][0]["label"], "background");
}

TEST(Masks, AForegroundHasFractions) {
  std::vector<float> values(64, 0.2F);
  values[7] = 0.6F;
  const auto facts = model({floats({1, 8, 8, 1})});
  EXPECT_EQ(std::get<Mask>(only_answer(facts, {values}).value).classes[7], 1);
  values[8] = 17;
  EXPECT_TRUE(std::holds_alternative<Tensor>(only_answer(facts, {values}).value)) << "distances, for example";
}

TEST(Pictures, ArePixelsAgain) {
  const auto answer = only_answer(model({floats({1, 16, 16, 3})}), {std::vector<float>(768, 1)},
                                  {.normalisation = {.mean = 127.5, .deviation = 127.5}});
  const auto& picture = std::get<PictureAnswer>(answer.value).picture;
  EXPECT_EQ(picture.width, 16U);
  EXPECT_EQ(picture.values[0], 255);
}

TEST(Tensors, AreSummedUp) {
  const std::vector<float> values{-1, 3, 1};
  EXPECT_EQ(summarise(values, floats({1, 3})), "3 values from -1 to 3, mean 1; the largest is number 1");
  EXPECT_EQ(summarise(values, floats({3, 1})), "3 values from -1 to 3, mean 1");
  EXPECT_EQ(summarise(std::vector<float>{5}, floats({1})), "5");
  const OperandInfo integers{.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = {1, 4}};
  EXPECT_EQ(summarise(std::vector<float>{7, 7, 7, 1}, integers), "7 75.0 %, 1 25.0 %");
  EXPECT_EQ(to_json({{0}, Tensor{"x"}}, model({floats({1})}), {})["kind"], "tensor");
}

}  // namespace
}  // namespace nnvk::tools::answers
