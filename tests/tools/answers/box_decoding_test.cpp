// Anchors, encodings and overlaps, against values computed by hand.
#include "tools/answers/box_decoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnvk::tools::answers {
namespace {

Detection detection(Box box, size_t number, float score) {
  return {.box = box, .best = {.number = number, .score = score, .label = {}}, .points = {}};
}

TEST(Anchors, SsdHasSixLayersOfSquaresAndOfWideAndTallBoxes) {
  const PictureShape input{1, 300, 300, 3};
  const auto anchors = ssd_anchors(input);
  ASSERT_EQ(anchors.size(), 1917U);
  EXPECT_TRUE(has_ssd_anchors(input, 1917));
  EXPECT_FALSE(has_ssd_anchors(input, 1916));
  EXPECT_TRUE(has_ssd_anchors({1, 320, 320, 3}, 2034));
  EXPECT_NEAR(anchors[0].x, 0.5 / 19, 1e-6);
  EXPECT_NEAR(anchors[0].width, 0.1, 1e-6);
  EXPECT_NEAR(anchors[1].width, 0.2 * std::sqrt(2), 1e-6);
  EXPECT_NEAR(anchors[1].height, 0.2 / std::sqrt(2), 1e-6);
  EXPECT_NEAR(anchors[2].width, 0.2 / std::sqrt(2), 1e-6);
  EXPECT_NEAR(anchors[3].x, 1.5 / 19, 1e-6) << "columns come before rows";
  EXPECT_NEAR(anchors[1083].width, 0.35, 1e-6) << "the second layer begins behind 19 x 19 cells";
  EXPECT_NEAR(anchors[1916].width, std::sqrt(0.95), 1e-6);
}

TEST(Anchors, MediaPipesDetectorsAreKnownByTheirCount) {
  for (const auto& [side, count] : {std::pair{128U, 896U}, {256U, 896U}, {192U, 2016U}, {192U, 2304U}, {256U, 2944U}}) {
    EXPECT_EQ(mediapipe_anchors({1, side, side, 3}, count).size(), count) << side;
  }
  EXPECT_TRUE(mediapipe_anchors({1, 128, 128, 3}, 897).empty());
  EXPECT_FALSE(has_mediapipe_anchors({1, 2, 2, 3}, 0));
  const auto anchors = mediapipe_anchors({1, 128, 128, 3}, 896);
  EXPECT_FLOAT_EQ(anchors[1].x, 0.5F / 16) << "two for each cell";
  EXPECT_FLOAT_EQ(anchors[2].x, 1.5F / 16);
  EXPECT_FLOAT_EQ(anchors[512].y, 0.5F / 8);
  EXPECT_FLOAT_EQ(anchors[895].x, 7.5F / 8);
}

TEST(Boxes, OverlapIsTheSharedPartOfBoth) {
  const Box box{0, 0, 2, 2};
  EXPECT_FLOAT_EQ(intersection_over_union(box, box), 1);
  EXPECT_FLOAT_EQ(intersection_over_union(box, {1, 0, 3, 2}), 2.0F / 6);
  EXPECT_FLOAT_EQ(intersection_over_union(box, {2, 0, 3, 2}), 0);
  EXPECT_FLOAT_EQ(intersection_over_union({1, 1, 1, 1}, {1, 1, 1, 1}), 0);
}

TEST(Boxes, TheBestOfOverlappingOnesOfAClassIsKept) {
  const auto kept = without_overlaps({detection({0, 0, 1, 1}, 1, 0.5F), detection({0, 0, 1, 1.1F}, 1, 0.9F),
                                      detection({0, 0, 1, 1}, 2, 0.4F), detection({3, 3, 4, 4}, 1, 0.6F)},
                                     0.5F, 10);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0].best.score, 0.9F);
  EXPECT_EQ(kept[1].best.score, 0.6F);
  EXPECT_EQ(kept[2].best.number, 2U) << "another class may stand in the same place";
  EXPECT_EQ(without_overlaps(kept, 0.5F, 2).size(), 2U);
}

TEST(Boxes, FinishedDetectionsKeepThoseThatCountAndHaveTheScore) {
  const std::vector<float> boxes{0.1F, 0.2F, 0.3F, 0.4F, 0, 0, 1, 1, 0, 0, 1, NAN, 0, 0, 1, 1};
  const std::vector<float> classes{3, 4, 5, 6};
  const std::vector<float> scores{0.6F, 0.8F, 0.9F, 0.95F};
  const FinishedDetection values{.boxes = boxes, .classes = classes, .scores = scores, .count = 3, .order = {}};
  const auto found = finished_detections(values, 0.5F);
  ASSERT_EQ(found.size(), 2U) << "the third one is no box, and the fourth one does not count";
  EXPECT_EQ(found[0].best.number, 4U);
  EXPECT_FLOAT_EQ(found[1].box.left, 0.2F);
  EXPECT_FLOAT_EQ(found[1].box.top, 0.1F);
  EXPECT_FLOAT_EQ(found[1].box.right, 0.4F);
  EXPECT_EQ(finished_detections(values, 0.7F).size(), 1U);
  const std::vector<uint32_t> order{0, 1, 2, 3};
  const auto others =
      finished_detections({.boxes = boxes, .classes = classes, .scores = scores, .count = 100, .order = order}, 0.5F);
  ASSERT_EQ(others.size(), 3U);
  EXPECT_FLOAT_EQ(others[2].box.left, 0.1F);
}

TEST(Boxes, ClassesThatAreNoNumbersDoNoHarm) {
  const std::vector<float> boxes{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  const std::vector<float> classes{std::numeric_limits<float>::infinity(), NAN, -3};
  const std::vector<float> scores{0.9F, 0.8F, 0.7F};
  const auto found = finished_detections({.boxes = boxes, .classes = classes, .scores = scores, .count = 3, .order = {}}, 0.5F);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].best.number, 1000000000U);
  EXPECT_EQ(found[1].best.number, 0U);
  EXPECT_EQ(found[2].best.number, 0U);
}

TEST(Boxes, SsdEncodingsAreRelativeToAnchors) {
  const std::vector<Anchor> anchors{{0.5F, 0.5F, 0.2F, 0.4F}, {0.1F, 0.1F, 0.1F, 0.1F}};
  const std::vector<float> encodings{1, 2, 5 * std::log(2.0F), 0, 0, 0, 0, 0};  // y, x, height, width
  const std::vector<float> scores{0.9F, 0.1F, 0.7F, 0.9F, 0.2F, 0.1F};          // background, two classes
  const auto found = decoded_boxes(encodings, scores, anchors, 0.5F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].best.number, 1U) << "numbers begin behind the background";
  EXPECT_NEAR(found[0].box.left, 0.54F - 0.1F, 1e-6);
  EXPECT_NEAR(found[0].box.right, 0.54F + 0.1F, 1e-6);
  EXPECT_NEAR(found[0].box.top, 0.54F - 0.4F, 1e-6);
  EXPECT_NEAR(found[0].box.bottom, 0.54F + 0.4F, 1e-6);
  const std::vector<float> logits{9, -4, 2, 9, -5, -3};
  const auto of_logits = decoded_boxes(encodings, logits, anchors, 0.5F);
  ASSERT_EQ(of_logits.size(), 1U);
  EXPECT_NEAR(of_logits[0].best.score, 1 / (1 + std::exp(-2.0)), 1e-6);
}

TEST(Boxes, MediaPipesEncodingsArePixelsAroundTheAnchor) {
  const std::vector<Anchor> anchors{{.x = 0.5F, .y = 0.25F}};
  const std::vector<float> encodings{10, 20, 40, 80, -10, 5};
  const std::vector<float> scores{2};
  const auto found = decoded_points({.encodings = encodings, .scores = scores, .width = 100, .height = 200}, anchors, 0.5F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].box.left, 0.6 - 0.2, 1e-6);
  EXPECT_NEAR(found[0].box.bottom, 0.35 + 0.2, 1e-6);
  ASSERT_EQ(found[0].points.size(), 1U);
  EXPECT_NEAR(found[0].points[0].at.x, 0.4, 1e-6);
  EXPECT_NEAR(found[0].points[0].at.y, 0.275, 1e-6);
  EXPECT_TRUE(decoded_points({.encodings = encodings, .scores = scores, .width = 100, .height = 200}, anchors, 0.9F).empty());
}

}  // namespace
}  // namespace nnvk::tools::answers
