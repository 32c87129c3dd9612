#include "tools/answers/key_points.h"

#include <algorithm>

namespace nnvk::tools::answers {
namespace {

constexpr size_t kPointsOfPerson = 17;
constexpr size_t kValuesPerPoint = 3;

const Figure& face_of_detector() {
  static const Figure kFigure{"face", {"right eye", "left eye", "nose", "mouth", "right ear", "left ear"}, {}};
  return kFigure;
}

const Figure& palm() {
  static const Figure kFigure{
      "palm",
      {"wrist", "index finger", "middle finger", "ring finger", "little finger", "thumb base", "thumb joint"},
      {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 5}, {5, 6}}};
  return kFigure;
}

const Figure& hand() {
  static const Figure kFigure = [] {
    Figure figure{"hand", {"wrist"}, {{0, 1}, {0, 5}, {5, 9}, {9, 13}, {13, 17}, {0, 17}}};
    constexpr const char* kFingers[] = {"thumb", "index finger", "middle finger", "ring finger", "little finger"};
    constexpr uint16_t kJoints = 4;
    uint16_t point = 1;
    for (const char* finger : kFingers) {
      for (uint16_t joint = 0; joint < kJoints; ++joint, ++point) {
        figure.points.push_back(std::string(finger) + (joint + 1 == kJoints ? " tip" : " joint " + std::to_string(joint + 1)));
        if (joint > 0) figure.lines.push_back({static_cast<uint16_t>(point - 1), point});
      }
    }
    return figure;
  }();
  return kFigure;
}

const Figure& face_mesh() {
  static const Figure kFigure{"face", {}, {}};
  return kFigure;
}

}  // namespace

const Figure& person() {
  static const Figure kFigure{
      "person",
      {"nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder", "left elbow", "right elbow",
       "left wrist", "right wrist", "left hip", "right hip", "left knee", "right knee", "left ankle", "right ankle"},
      {{0, 1},
       {0, 2},
       {1, 3},
       {2, 4},
       {5, 6},
       {5, 7},
       {7, 9},
       {6, 8},
       {8, 10},
       {5, 11},
       {6, 12},
       {11, 12},
       {11, 13},
       {13, 15},
       {12, 14},
       {14, 16}}};
  return kFigure;
}

const Figure* figure_of_detector(size_t points) {
  if (points == face_of_detector().points.size()) return &face_of_detector();
  if (points == palm().points.size()) return &palm();
  return nullptr;
}

const Figure* figure_of_landmarks(size_t values) {
  constexpr size_t kPointsOfFace = 468;
  constexpr size_t kPointsWithIrises = 478;
  if (values == hand().points.size() * kValuesPerPoint) return &hand();
  if (values == kPointsOfFace * kValuesPerPoint || values == kPointsWithIrises * kValuesPerPoint) return &face_mesh();
  return nullptr;
}

std::vector<KeyPoint> points_of_pose(std::span<const float> values) {
  std::vector<KeyPoint> points;
  for (size_t i = 0; i + kValuesPerPoint <= values.size(); i += kValuesPerPoint) {
    points.push_back({.at = {.x = values[i + 1], .y = values[i]}, .score = values[i + 2]});
  }
  return points;
}

std::vector<KeyPoint> points_of_landmarks(std::span<const float> values, const PictureShape& input) {
  std::vector<KeyPoint> points;
  for (size_t i = 0; i + kValuesPerPoint <= values.size(); i += kValuesPerPoint) {
    points.push_back(
        {.at = {.x = values[i] / static_cast<float>(input.width), .y = values[i + 1] / static_cast<float>(input.height)},
         .score = std::nullopt});
  }
  return points;
}

std::vector<Detection> people(std::span<const float> values, float least_score) {
  constexpr size_t kBoxAt = kPointsOfPerson * kValuesPerPoint;
  constexpr size_t kValuesPerPerson = kBoxAt + 5;
  std::vector<Detection> found;
  for (size_t at = 0; at + kValuesPerPerson <= values.size(); at += kValuesPerPerson) {
    const auto person = values.subspan(at, kValuesPerPerson);
    const auto box = person.subspan(kBoxAt);
    if (box[4] < least_score) continue;
    found.push_back({.box = {.left = box[1], .top = box[0], .right = box[3], .bottom = box[2]},
                     .best = {.number = 0, .score = box[4], .label = "person"},
                     .points = points_of_pose(person.first(kBoxAt))});
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const Detection& d) { return d.best.score; });
  return found;
}

}  // namespace nnvk::tools::answers
