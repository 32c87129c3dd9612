// Drawn answers: which pixels change, and which do not.
#include "tools/answers/drawing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "tools/answers/canvas.h"
#include "tools/answers/font.h"
#include "tools/answers/key_points.h"

namespace nnvk::tools::answers {
namespace {

constexpr float kGrey = 100;

Picture grey(uint32_t width, uint32_t height) {
  return {.width = width, .height = height, .channels = 3, .values = std::vector<float>(size_t{width} * height * 3, kGrey)};
}

Colour pixel(const Picture& picture, size_t x, size_t y) {
  const float* const at = picture.values.data() + (y * picture.width + x) * 3;
  return {at[0], at[1], at[2]};
}

constexpr Colour kUntouched{kGrey, kGrey, kGrey};

TEST(Font, EveryPrintableCharacterHasAnOwnShape) {
  std::set<std::string> shapes;
  for (char letter = '!'; letter <= '~'; ++letter) {
    std::string shape;
    for (int i = 0; i < kGlyphWidth * kGlyphHeight; ++i) shape += is_ink(letter, i % kGlyphWidth, i / kGlyphWidth) ? '#' : '.';
    EXPECT_NE(shape.find('#'), std::string::npos) << letter;
    EXPECT_TRUE(shapes.insert(shape).second) << letter;
  }
  EXPECT_EQ(shapes.size(), 94U);
  EXPECT_TRUE(is_ink('\x07', 1, 0)) << "characters without a shape look like a question mark";
  EXPECT_FALSE(is_ink('A', -1, 0) || is_ink('A', 0, kGlyphHeight) || is_ink(' ', 2, 2));
}

TEST(Drawing, ABoxIsAFrameWithALabelAbove) {
  Detections detections{.name = "object", .least_score = 0.5F, .figure = nullptr, .found = {}};
  detections.found.push_back(
      {.box = {0.25F, 0.5F, 0.75F, 0.75F}, .best = {.number = 3, .score = 0.9F, .label = "dog"}, .points = {}});
  const auto result = drawn(grey(400, 400), std::vector<Answer>{{{0}, detections}});
  const Colour colour = colour_of(3);
  EXPECT_EQ(pixel(result, 100, 250), colour);
  EXPECT_EQ(pixel(result, 299, 250), colour);
  EXPECT_EQ(pixel(result, 200, 200), colour);
  EXPECT_EQ(pixel(result, 200, 299), colour);
  EXPECT_EQ(pixel(result, 200, 250), kUntouched) << "the inside stays";
  EXPECT_NE(pixel(result, 101, 195), kUntouched) << "the label";
  EXPECT_EQ(pixel(result, 350, 195), kUntouched);
}

TEST(Drawing, BoxesBeyondThePictureShowTheirSidesAtItsEdge) {
  Detections detections{.name = "object", .least_score = 0.5F, .figure = nullptr, .found = {}};
  detections.found.push_back({.box = {-1, 0.1F, 2, 7}, .best = {.number = 0, .score = 0.9F, .label = "cat"}, .points = {}});
  const auto result = drawn(grey(400, 300), std::vector<Answer>{{{0}, detections}});
  EXPECT_EQ(pixel(result, 0, 150), colour_of(0));
  EXPECT_EQ(pixel(result, 399, 150), colour_of(0));
  EXPECT_EQ(pixel(result, 200, 299), colour_of(0));
}

TEST(Drawing, PointsThatAreDoubtfulOrNoNumbersAreLeftOut) {
  KeyPoints points{.figure = &person(), .points = std::vector<KeyPoint>(17), .score = std::nullopt, .least_score = 0.5F};
  for (auto& point : points.points) point = {.at = {0.5F, 0.5F}, .score = 0.1F};
  EXPECT_EQ(pixel(drawn(grey(300, 300), std::vector<Answer>{{{0}, points}}), 150, 150), kUntouched);
  points.points[5].score = 0.9F;
  EXPECT_NE(pixel(drawn(grey(300, 300), std::vector<Answer>{{{0}, points}}), 150, 150), kUntouched);
  for (auto& point : points.points) point = {.at = {NAN, std::numeric_limits<float>::infinity()}, .score = 0.9F};
  EXPECT_EQ(drawn(grey(300, 300), std::vector<Answer>{{{0}, points}}).width, 300U);
}

TEST(Drawing, AMaskTintsItsPixelsAndHasALegend) {
  Mask mask{.width = 2, .height = 1, .classes = {0, 4}, .shares = {{0, "background", 0.5}, {4, "bird", 0.5}}};
  const auto result = drawn(grey(300, 300), std::vector<Answer>{{{0}, mask}});
  EXPECT_EQ(pixel(result, 100, 200), kUntouched) << "the background";
  EXPECT_NE(pixel(result, 200, 200), kUntouched);
  EXPECT_NE(pixel(result, 1, 1), kUntouched) << "the legend";
}

TEST(Drawing, SmallPicturesAreEnlargedAndGreyOnesGetColours) {
  const Picture small{.width = 8, .height = 4, .channels = 1, .values = std::vector<float>(32, 9)};
  const ClassScores scores{.are_probabilities = true, .best = {{.number = 1, .score = 0.9F, .label = "one"}}};
  const auto result = drawn(small, std::vector<Answer>{{{0}, scores}});
  EXPECT_EQ(result.width, 256U);
  EXPECT_EQ(result.height, 128U);
  EXPECT_EQ(result.channels, 3U);
  EXPECT_EQ(pixel(result, 255, 127), (Colour{9, 9, 9}));
}

TEST(Drawing, APictureGetsTheProportionsOfTheOneThatWasSeen) {
  const PictureAnswer answer{{.width = 40, .height = 40, .channels = 1, .values = std::vector<float>(1600, 50)}};
  const auto result = drawn(grey(200, 100), std::vector<Answer>{{{0}, answer}});
  EXPECT_EQ(result.width, 40U);
  EXPECT_EQ(result.height, 20U);
  EXPECT_EQ(result.values[0], 50);
}

TEST(Drawing, LongAndForeignNamesStayInThePicture) {
  const ClassScores scores{.are_probabilities = true,
                           .best = {{.number = 1, .score = 0.9F, .label = std::string(500, 'x')},
                                    {.number = 2,
                                     .score = 0.8F,
                                     .label = "Gr\xC3\xB6\xC3\x9F"
                                              "e"}}};
  EXPECT_EQ(drawn(grey(300, 10), std::vector<Answer>{{{0}, scores}}).values.size(), 300U * 10 * 3);
}

TEST(Drawing, OnATransparentPictureOnlyTheDrawingIsOpaque) {
  const Picture transparent{.width = 400, .height = 400, .channels = 4, .values = std::vector<float>(size_t{400} * 400 * 4)};
  const auto at = [](const Picture& picture, size_t x, size_t y) {
    const float* const first = picture.values.data() + (y * picture.width + x) * 4;
    return std::array{first[0], first[1], first[2], first[3]};
  };
  Detections detections{.name = "object", .least_score = 0.5F, .figure = nullptr, .found = {}};
  detections.found.push_back(
      {.box = {0.25F, 0.5F, 0.75F, 0.75F}, .best = {.number = 3, .score = 0.9F, .label = "dog"}, .points = {}});
  const Mask mask{.width = 2, .height = 1, .classes = {0, 7}, .shares = {}};
  const auto result = drawn(transparent, std::vector<Answer>{{{0}, mask}, {{1}, detections}});
  const Colour box = colour_of(3);
  const Colour tint = colour_of(7);
  ASSERT_EQ(result.channels, 4U);
  EXPECT_EQ(at(result, 100, 250), (std::array{box[0], box[1], box[2], 255.0F})) << "a line";
  EXPECT_EQ(at(result, 150, 250), (std::array{0.0F, 0.0F, 0.0F, 0.0F})) << "the inside";
  const auto tinted = at(result, 350, 100);
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(tinted[c], tint[c], 1e-3F) << "nothing of what is below";
  EXPECT_GT(tinted[3], 100);
  EXPECT_LT(tinted[3], 200);
}

TEST(Drawing, TensorsCannotBeDrawn) {
  EXPECT_FALSE(is_drawable({{0}, Tensor{"3 values"}}));
  EXPECT_TRUE(is_drawable({{0}, Mask{}}));
}

TEST(Colours, OfNeighboursDifferClearly) {
  for (size_t i = 0; i < 30; ++i) {
    for (size_t k = i + 1; k < i + 3; ++k) {
      float distance = 0;
      for (size_t c = 0; c < 3; ++c) distance += std::abs(colour_of(i)[c] - colour_of(k)[c]);
      EXPECT_GT(distance, 100) << i << " " << k;
    }
  }
}

}  // namespace
}  // namespace nnvk::tools::answers
