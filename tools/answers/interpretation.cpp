#include "tools/answers/interpretation.h"

#include <algorithm>
#include <array>
#include <optional>

#include "tools/answers/anchors.h"
#include "tools/answers/class_scores.h"
#include "tools/answers/key_points.h"

namespace nnvk::tools::answers {
namespace {

// Returns the dimensions without the ones in front.
std::vector<uint32_t> without_leading_ones(const OperandInfo& info) {
  const auto first = std::ranges::find_if(info.dimensions, [](uint32_t d) { return d != 1; });
  return {first, info.dimensions.end()};
}

// Finds readings, and remembers which outputs are left.
class Interpreter {
 public:
  Interpreter(const ModelFacts& facts, size_t labels) : facts_(facts), labels_(labels), free_(facts.outputs.size(), true) {}

  std::vector<Reading> readings() {
    find_detections();
    find_encodings();
    find_poses();
    find_landmarks();
    for (size_t i = 0; i < free_.size(); ++i) {
      if (free_[i]) take(Reading{reading_alone(i), {i}});
    }
    std::ranges::stable_sort(readings_, {}, [](const Reading& r) { return r.outputs.front(); });
    return std::move(readings_);
  }

 private:
  void take(Reading reading) {
    for (const size_t output : reading.outputs) free_[output] = false;
    readings_.push_back(std::move(reading));
  }

  std::optional<size_t> output_with(DetectionPart part) const {
    for (size_t i = 0; i < free_.size(); ++i) {
      if (free_[i] && facts_.outputs[i].part == part) return i;
    }
    return std::nullopt;
  }

  void find_detections() {
    const auto boxes = output_with(DetectionPart::kBoxes);
    const auto classes = output_with(DetectionPart::kClasses);
    const auto scores = output_with(DetectionPart::kScores);
    const auto number = output_with(DetectionPart::kNumber);
    if (boxes && classes && scores && number) take({Family::kDetections, {*boxes, *classes, *scores, *number}});
  }

  // Finds two outputs [1, N, values] and [1, N, scores].
  void find_encodings() {
    if (!facts_.picture) return;
    for (size_t a = 0; a < free_.size(); ++a) {
      for (size_t b = 0; b < free_.size(); ++b) {
        if (a != b && free_[a] && free_[b]) find_encodings_in(a, b);
      }
    }
  }

  void find_encodings_in(size_t encodings, size_t scores) {
    const auto& e = facts_.outputs[encodings].info.dimensions;
    const auto& s = facts_.outputs[scores].info.dimensions;
    if (e.size() != 3 || s.size() != 3 || e[0] != 1 || s[0] != 1 || e[1] != s[1]) return;
    if (e[2] == 4 && s[2] >= 2 && has_ssd_anchors(*facts_.picture, e[1])) {
      take({Family::kBoxEncodings, {encodings, scores}});
      return;
    }
    const Figure* const figure = e[2] > 4 && e[2] % 2 == 0 ? figure_of_detector((e[2] - 4) / 2) : nullptr;
    if (s[2] == 1 && figure && has_mediapipe_anchors(*facts_.picture, e[1])) {
      take({Family::kPointEncodings, {encodings, scores}, figure});
    }
  }

  void find_poses() {
    constexpr uint32_t kPoints = 17;
    constexpr uint32_t kOfPose = 3 * kPoints + 5;
    for (size_t i = 0; i < free_.size() && facts_.picture; ++i) {
      if (!free_[i]) continue;
      const auto d = without_leading_ones(facts_.outputs[i].info);
      if (d == std::vector<uint32_t>{kPoints, 3}) take({Family::kPose, {i}, &person()});
      if (d.size() == 2 && d[1] == kOfPose) take({Family::kPoses, {i}, &person()});
    }
  }

  void find_landmarks() {
    for (size_t i = 0; i < free_.size() && facts_.picture; ++i) {
      if (!free_[i] || without_leading_ones(facts_.outputs[i].info).size() != 1) continue;
      const Figure* const figure = figure_of_landmarks(facts_.outputs[i].info.elements());
      if (!figure) continue;
      Reading reading{Family::kLandmarks, {i}, figure};
      const auto score = std::ranges::find_if(facts_.outputs, [](const auto& o) { return o.info.elements() == 1; });
      if (score == facts_.outputs.end()) continue;  // a list of as many values may be anything
      reading.outputs.push_back(static_cast<size_t>(score - facts_.outputs.begin()));
      take(std::move(reading));
      // The same points again, in metres; which hand it is.
      for (size_t k = 0; k < free_.size(); ++k) {
        const uint64_t count = facts_.outputs[k].info.elements();
        if (count == 1 || count == facts_.outputs[i].info.elements()) free_[k] = false;
      }
    }
  }

  Family reading_alone(size_t i) const {
    const OperandInfo& info = facts_.outputs[i].info;
    if (is_one_row(info)) return Family::kOneRow;
    return facts_.picture ? reading_of_plane(info, facts_.outputs[i].labels.has_value()) : Family::kTensor;
  }

  // Returns how to read an output that has values for each pixel, if it has.
  Family reading_of_plane(const OperandInfo& info, bool has_labels) const {
    const PictureShape& in = *facts_.picture;
    constexpr uint32_t kLeast = 8;  // smaller planes are features
    const auto plane = plane_of(info, in.channels_first);
    if (!plane || plane->height < kLeast || plane->width < kLeast) return Family::kTensor;
    const bool is_whole = plane->height == in.height && plane->width == in.width;
    const bool is_enlarged =
        plane->height % in.height == 0 && plane->width % in.width == 0 && plane->height / in.height == plane->width / in.width;
    if (info.type == ANEURALNETWORKS_TENSOR_INT32) return plane->channels == 1 ? Family::kClassPerPixel : Family::kTensor;
    const bool fits_labels = has_labels || (labels_ != 0 && labels_ + 1 >= plane->channels && labels_ <= plane->channels + 1);
    if (plane->channels == in.channels && is_enlarged && !(plane->channels > 1 && fits_labels)) return Family::kPicture;
    if (plane->channels == 1) return is_whole ? Family::kForeground : Family::kTensor;
    return is_whole || fits_labels || labels_ > plane->channels ? Family::kScoresPerPixel : Family::kTensor;
  }

  const ModelFacts& facts_;
  size_t labels_;
  std::vector<bool> free_;
  std::vector<Reading> readings_;
};

}  // namespace

std::optional<PictureShape> plane_of(const OperandInfo& info, bool channels_first) {
  auto d = info.dimensions;
  const bool has_channels = d.size() == 4 || (d.size() == 3 && d[0] != 1);
  if (d.size() == 3 && has_channels) d.insert(d.begin(), 1);
  if (d.size() == 3) d.push_back(1);
  if (d.size() == 2) d = {1, d[0], d[1], 1};
  if (d.size() != 4 || d[0] != 1) return std::nullopt;
  const bool is_first = channels_first && has_channels;
  return is_first ? PictureShape{1, d[2], d[3], d[1], true} : PictureShape{1, d[1], d[2], d[3], false};
}

std::vector<Reading> interpret(const ModelFacts& facts, size_t labels) { return Interpreter(facts, labels).readings(); }

std::vector<Normalisation> expected_normalisation(const ModelFacts& facts) {
  if (facts.is_pixels) return {};
  if (!facts.normalisations.empty()) return facts.normalisations;
  constexpr Normalisation kZeroToOne{.mean = 0, .deviation = 255};
  constexpr Normalisation kUnchanged{.mean = 0, .deviation = 1};
  for (const auto& reading : interpret(facts, 0)) {
    if (reading.family == Family::kPose || reading.family == Family::kPoses) return {kUnchanged};
    if (reading.family == Family::kLandmarks || reading.family == Family::kForeground) return {kZeroToOne};
  }
  return {facts.is_onnx ? kZeroToOne : Normalisation{}};
}

}  // namespace nnvk::tools::answers
