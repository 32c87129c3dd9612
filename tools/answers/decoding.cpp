#include "tools/answers/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/answers/anchors.h"
#include "tools/answers/box_decoding.h"
#include "tools/answers/class_scores.h"
#include "tools/answers/interpretation.h"
#include "tools/answers/key_points.h"
#include "tools/answers/masks.h"

namespace nnvk::tools::answers {
namespace {

using Value = decltype(Answer::value);

constexpr float kLeastScoreOfDetections = 0.5F;
constexpr float kLeastScoreOfPoints = 0.3F;

// The labels of an answer, and how to look them up. No labels: null.
struct Lookup {
  const Labels* labels = nullptr;
  int offset = 0;
};

class Decoder {
 public:
  Decoder(const ModelFacts& facts, std::span<const std::vector<float>> outputs, const DecodingOptions& options)
      : facts_(facts), outputs_(outputs), options_(options) {}

  Result<std::vector<Answer>> answers() {
    std::vector<Answer> answers;
    const size_t labels = options_.labels ? options_.labels->names.size() : 0;
    for (const auto& reading : interpret(facts_, labels)) {
      answers.push_back({reading.outputs, decoded(reading)});
    }
    if (options_.labels && !used_labels_) {
      if (!mismatch_.empty()) return fail(mismatch_);
      return fail(fmt::format("the labels {} name {} classes, but no output of the model holds the scores of so many classes",
                              options_.labels->source, labels));
    }
    return answers;
  }

 private:
  Value decoded(const Reading& reading) {
    switch (reading.family) {
      case Family::kOneRow:
        return one_row(reading.outputs[0]);
      case Family::kDetections:
        return detections(reading);
      case Family::kBoxEncodings:
        return box_encodings(reading);
      case Family::kPointEncodings:
        return point_encodings(reading);
      case Family::kPose:
        return KeyPoints{.figure = reading.figure,
                         .points = points_of_pose(outputs_[reading.outputs[0]]),
                         .score = std::nullopt,
                         .least_score = options_.least_score.value_or(kLeastScoreOfPoints)};
      case Family::kPoses:
        return poses(reading);
      case Family::kLandmarks:
        return landmarks(reading);
      case Family::kClassPerPixel:
      case Family::kScoresPerPixel:
        return class_mask(reading);
      case Family::kForeground:
        return foreground(reading.outputs[0]);
      case Family::kPicture:
        return PictureAnswer{picture_of(outputs_[reading.outputs[0]], plane(reading.outputs[0]), options_.normalisation)};
      case Family::kTensor:
        break;
    }
    return tensor(reading.outputs[0]);
  }

  Value tensor(size_t output) const { return Tensor{summarise(outputs_[output], facts_.outputs[output].info)}; }
  PictureShape plane(size_t output) const { return *plane_of(facts_.outputs[output].info, facts_.picture->channels_first); }

  // Returns the user's labels, or those that the file has for the output.
  const Labels* labels_for(size_t output) const {
    const auto& own = facts_.outputs[output].labels;
    return options_.labels ? &*options_.labels : own ? &*own : nullptr;
  }

  // Returns the labels for an output with so many classes, if they fit.
  Lookup lookup(size_t output, size_t classes) {
    const Labels* const labels = labels_for(output);
    if (!labels) return {};
    if (const auto offset = label_offset(*labels, classes)) return used({labels, *offset});
    if (options_.labels && mismatch_.empty()) {
      mismatch_ = fmt::format("the labels {} name {} classes, but the output '{}' has {}; give a file with a line for each class",
                              labels->source, labels->names.size(), facts_.outputs[output].name, classes);
    }
    return {};
  }

  Lookup used(Lookup lookup) {
    used_labels_ = used_labels_ || lookup.labels;
    return lookup;
  }

  // Class scores need evidence: they are probabilities, or there are labels for exactly these classes.
  Value one_row(size_t output) {
    const auto& values = outputs_[output];
    const bool probabilities = are_probabilities(values);
    const bool has_own_labels = facts_.outputs[output].labels && label_offset(*facts_.outputs[output].labels, values.size());
    const bool fits_labels = options_.labels && label_offset(*options_.labels, values.size());
    if (!probabilities && !has_own_labels && !fits_labels) return tensor(output);
    const Lookup found = lookup(output, values.size());
    return ClassScores{.are_probabilities = are_fractions(values),
                       .best = best_classes(values, found.labels, found.offset, options_.best)};
  }

  float least_score() const { return options_.least_score.value_or(kLeastScoreOfDetections); }

  Value labelled(std::vector<Detection> found, size_t output, size_t classes) {
    const Labels* const any = labels_for(output);
    const Lookup labels = classes != 0 || !any ? lookup(output, classes) : used({any, label_offset_without_count(*any)});
    for (auto& detection : found) {
      if (labels.labels) detection.best.label = label_of(*labels.labels, detection.best.number, labels.offset);
    }
    return Detections{.name = "object", .least_score = least_score(), .figure = nullptr, .found = std::move(found)};
  }

  Value detections(const Reading& reading) {
    const auto& values = outputs_[reading.outputs[3]];
    const auto most = static_cast<float>(outputs_[reading.outputs[2]].size());
    const float number = values.empty() || !std::isfinite(values[0]) ? 0 : std::clamp(values[0], 0.0F, most);
    auto found = finished_detections({.boxes = outputs_[reading.outputs[0]],
                                      .classes = outputs_[reading.outputs[1]],
                                      .scores = outputs_[reading.outputs[2]],
                                      .count = static_cast<size_t>(number),
                                      .order = facts_.outputs[reading.outputs[0]].box_order},
                                     least_score());
    return labelled(std::move(found), reading.outputs[1], facts_.detection_classes);
  }

  Value box_encodings(const Reading& reading) {
    const auto& scores = outputs_[reading.outputs[1]];
    auto found = decoded_boxes(outputs_[reading.outputs[0]], scores, ssd_anchors(*facts_.picture), least_score());
    return labelled(std::move(found), reading.outputs[1], facts_.outputs[reading.outputs[1]].info.dimensions.back() - 1);
  }

  Value point_encodings(const Reading& reading) const {
    const auto& scores = outputs_[reading.outputs[1]];
    auto found = decoded_points({.encodings = outputs_[reading.outputs[0]],
                                 .scores = scores,
                                 .width = facts_.picture->width,
                                 .height = facts_.picture->height},
                                mediapipe_anchors(*facts_.picture, scores.size()), least_score());
    for (auto& detection : found) detection.best.label = reading.figure->name;
    return Detections{
        .name = reading.figure->name, .least_score = least_score(), .figure = reading.figure, .found = std::move(found)};
  }

  Value poses(const Reading& reading) const {
    return Detections{.name = "person",
                      .least_score = least_score(),
                      .figure = reading.figure,
                      .found = people(outputs_[reading.outputs[0]], least_score())};
  }

  Value landmarks(const Reading& reading) const {
    float score = outputs_[reading.outputs[1]].at(0);
    if (score < 0 || score > 1) score = sigmoid(score);
    return KeyPoints{.figure = reading.figure,
                     .points = points_of_landmarks(outputs_[reading.outputs[0]], *facts_.picture),
                     .score = score,
                     .least_score = least_score()};
  }

  Value class_mask(const Reading& reading) {
    const size_t output = reading.outputs[0];
    const bool has_classes = reading.family == Family::kClassPerPixel;
    const PictureShape shape = plane(output);
    Mask mask = has_classes ? mask_of_classes(outputs_[output], shape) : mask_of_scores(outputs_[output], shape);
    const Lookup labels = has_classes ? used({labels_for(output), 0}) : lookup(output, shape.channels);
    mask.shares = shares_of(mask, labels.labels, labels.offset);
    return mask;
  }

  Value foreground(size_t output) const {
    if (!are_fractions(outputs_[output])) return tensor(output);
    Mask mask = mask_of_foreground(outputs_[output], plane(output), least_score());
    static const Labels kLabels{{"background", "foreground"}, ""};
    mask.shares = shares_of(mask, &kLabels, 0);
    return mask;
  }

  const ModelFacts& facts_;
  std::span<const std::vector<float>> outputs_;
  const DecodingOptions& options_;
  bool used_labels_ = false;
  std::string mismatch_;  // why the user's labels do not fit
};

}  // namespace

Result<std::vector<Answer>> answers_of(const ModelFacts& facts, std::span<const std::vector<float>> outputs,
                                       const DecodingOptions& options) {
  return Decoder(facts, outputs, options).answers();
}

}  // namespace nnvk::tools::answers
