// Which outputs of a model are which: by shapes, operations and metadata.
#include "tools/answers/interpretation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/answers/key_points.h"

namespace nnvk::tools::answers {
namespace {

using ::testing::ElementsAre;

OutputFacts output(std::vector<uint32_t> dimensions, int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32) {
  return {.name = "o", .info = {.type = type, .dimensions = std::move(dimensions)}};
}

// A model for pictures of this side.
ModelFacts model(uint32_t side, std::vector<OutputFacts> outputs) {
  ModelFacts facts;
  facts.picture = PictureShape{1, side, side, 3};
  facts.outputs = std::move(outputs);
  return facts;
}

Family family_of(const ModelFacts& facts, size_t labels = 0) {
  const auto readings = interpret(facts, labels);
  return readings.empty() ? Family::kTensor : readings.front().family;
}

TEST(Interpretation, DetectionsAreFoundInAnyOrder) {
  auto facts = model(300, {output({1, 10}), output({1, 10, 4}), output({1}), output({1, 10})});
  facts.outputs[0].part = DetectionPart::kScores;
  facts.outputs[1].part = DetectionPart::kBoxes;
  facts.outputs[2].part = DetectionPart::kNumber;
  facts.outputs[3].part = DetectionPart::kClasses;
  const auto readings = interpret(facts, 0);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].family, Family::kDetections);
  EXPECT_THAT(readings[0].outputs, ElementsAre(1, 3, 0, 2));
}

TEST(Interpretation, EncodingsNeedKnownAnchors) {
  EXPECT_EQ(family_of(model(300, {output({1, 1917, 91}), output({1, 1917, 4})})), Family::kBoxEncodings);
  EXPECT_EQ(family_of(model(300, {output({1, 1900, 91}), output({1, 1900, 4})})), Family::kTensor);
  const auto faces = interpret(model(128, {output({1, 896, 16}), output({1, 896, 1})}), 0);
  ASSERT_EQ(faces.size(), 1U);
  EXPECT_EQ(faces[0].family, Family::kPointEncodings);
  EXPECT_EQ(faces[0].figure->name, "face");
  EXPECT_THAT(faces[0].outputs, ElementsAre(0, 1));
  EXPECT_EQ(interpret(model(192, {output({1, 2016, 1}), output({1, 2016, 18})}), 0).at(0).figure->name, "palm");
}

TEST(Interpretation, KeyPointsAreKnownByTheirNumber) {
  EXPECT_EQ(family_of(model(192, {output({1, 1, 17, 3})})), Family::kPose);
  EXPECT_EQ(family_of(model(256, {output({1, 6, 56})})), Family::kPoses);
  const auto hand = interpret(model(224, {output({1, 63}), output({1, 1}), output({1, 1}), output({1, 63})}), 0);
  ASSERT_EQ(hand.size(), 1U) << "the other outputs explain these points";
  EXPECT_EQ(hand[0].figure->name, "hand");
  EXPECT_THAT(hand[0].outputs, ElementsAre(0, 1));
  EXPECT_EQ(family_of(model(192, {output({1, 1, 1, 1404}), output({1, 1, 1, 1})})), Family::kLandmarks);
  EXPECT_EQ(family_of(model(224, {output({1, 63})})), Family::kOneRow) << "63 values alone may be classes";
}

TEST(Interpretation, PlanesAreMasksOrPictures) {
  EXPECT_EQ(family_of(model(64, {output({1, 64, 64, 21})})), Family::kScoresPerPixel);
  EXPECT_EQ(family_of(model(64, {output({1, 16, 16, 21})})), Family::kTensor) << "features may look like that";
  EXPECT_EQ(family_of(model(64, {output({1, 16, 16, 21})}), 21), Family::kScoresPerPixel) << "as many labels";
  EXPECT_EQ(family_of(model(64, {output({1, 64, 64}, ANEURALNETWORKS_TENSOR_INT32)})), Family::kClassPerPixel);
  EXPECT_EQ(family_of(model(64, {output({1, 64, 64, 1})})), Family::kForeground);
  EXPECT_EQ(family_of(model(64, {output({1, 128, 128, 3})})), Family::kPicture);
  EXPECT_EQ(family_of(model(64, {output({1, 64, 64, 3})}), 3), Family::kScoresPerPixel) << "three labels: three classes";
  EXPECT_EQ(family_of(model(64, {output({1, 128, 64, 3})})), Family::kTensor);
  EXPECT_EQ(family_of(model(64, {output({1, 1, 1, 1000})})), Family::kOneRow);
  EXPECT_EQ(family_of(model(64, {output({64, 64, 21})})), Family::kScoresPerPixel) << "without the batch";
  auto channels_first = model(64, {output({1, 3, 192, 192})});
  channels_first.picture->channels_first = true;
  EXPECT_EQ(family_of(channels_first), Family::kPicture);
}

TEST(Interpretation, WithoutAPictureOnlyRowsHaveAMeaning) {
  ModelFacts facts;
  facts.outputs = {output({1, 64, 64, 21}), output({1, 12}), output({1, 63}), output({1, 1})};
  std::vector<Family> families;
  for (const auto& reading : interpret(facts, 0)) families.push_back(reading.family);
  EXPECT_THAT(families, ElementsAre(Family::kTensor, Family::kOneRow, Family::kOneRow, Family::kTensor));
}

TEST(Interpretation, PixelsBecomeWhatTheFamilyExpects) {
  const auto range = [](const ModelFacts& facts) {
    const auto chosen = expected_normalisation(facts);
    return chosen.empty() ? std::pair(0.0, 255.0)
                          : std::pair((0 - chosen[0].mean) / chosen[0].deviation, (255 - chosen[0].mean) / chosen[0].deviation);
  };
  auto facts = model(64, {output({1, 1000})});
  EXPECT_EQ(range(facts), std::pair(-1.0, 1.0));
  facts.is_onnx = true;
  EXPECT_EQ(range(facts), std::pair(0.0, 1.0));
  facts.normalisations = {{.mean = 0, .deviation = 51}};
  EXPECT_EQ(range(facts), std::pair(0.0, 5.0)) << "metadata decide";
  facts.is_pixels = true;
  EXPECT_TRUE(expected_normalisation(facts).empty());
  EXPECT_EQ(range(model(192, {output({1, 1, 17, 3})})), std::pair(0.0, 255.0));
  EXPECT_EQ(range(model(64, {output({1, 64, 64, 1})})), std::pair(0.0, 1.0));
  EXPECT_EQ(range(model(224, {output({1, 63}), output({1, 1})})), std::pair(0.0, 1.0));
}

}  // namespace
}  // namespace nnvk::tools::answers
