#include "tools/answers/box_decoding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/answers/class_scores.h"

namespace nnvk::tools::answers {
namespace {

constexpr size_t kMostDetections = 100;
constexpr float kMostClass = 1e9F;  // larger numbers do not fit a size_t everywhere; a model may compute infinity

Box box_around(float x, float y, float width, float height) {
  return {.left = x - width / 2, .top = y - height / 2, .right = x + width / 2, .bottom = y + height / 2};
}

bool is_finite(const Box& box) {
  return std::isfinite(box.left) && std::isfinite(box.top) && std::isfinite(box.right) && std::isfinite(box.bottom);
}

}  // namespace

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

float intersection_over_union(const Box& a, const Box& b) {
  const auto area = [](const Box& box) { return std::max(0.0F, box.right - box.left) * std::max(0.0F, box.bottom - box.top); };
  const Box common{.left = std::max(a.left, b.left),
                   .top = std::max(a.top, b.top),
                   .right = std::min(a.right, b.right),
                   .bottom = std::min(a.bottom, b.bottom)};
  const float shared = area(common);
  const float both = area(a) + area(b) - shared;
  return both > 0 ? shared / both : 0;
}

std::vector<Detection> without_overlaps(std::vector<Detection> detections, float overlap, size_t most) {
  std::ranges::stable_sort(detections, std::ranges::greater{}, [](const Detection& d) { return d.best.score; });
  std::vector<Detection> kept;
  for (auto& detection : detections) {
    if (kept.size() == most) break;
    const bool is_known = std::ranges::any_of(kept, [&](const Detection& better) {
      return better.best.number == detection.best.number && intersection_over_union(better.box, detection.box) > overlap;
    });
    if (!is_known) kept.push_back(std::move(detection));
  }
  return kept;
}

std::vector<Detection> finished_detections(const FinishedDetection& values, float least_score) {
  constexpr std::array<uint32_t, 4> kUsual{1, 0, 3, 2};
  const auto order = values.order.empty() ? std::span<const uint32_t>(kUsual) : values.order;
  std::vector<Detection> found;
  const size_t count = std::min({values.count, values.boxes.size() / 4, values.classes.size(), values.scores.size()});
  for (size_t i = 0; i < count; ++i) {
    const auto box = values.boxes.subspan(4 * i, 4);
    Detection detection{.box = {box[order[0]], box[order[1]], box[order[2]], box[order[3]]},
                        .best = {.number = static_cast<size_t>(std::min(kMostClass, std::max(0.0F, values.classes[i]))),
                                 .score = values.scores[i],
                                 .label = {}},
                        .points = {}};
    if (detection.best.score >= least_score && is_finite(detection.box)) found.push_back(std::move(detection));
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const Detection& d) { return d.best.score; });
  return found;
}

std::vector<Detection> decoded_boxes(std::span<const float> encodings, std::span<const float> scores,
                                     std::span<const Anchor> anchors, float least_score) {
  constexpr float kCentreScale = 10;  // the scales with which SSD is trained
  constexpr float kSizeScale = 5;
  constexpr float kOverlap = 0.6F;
  const size_t count = std::min(anchors.size(), encodings.size() / 4);
  const size_t classes = count == 0 ? 0 : scores.size() / count;
  const bool are_logits = !are_fractions(scores);
  std::vector<Detection> found;
  for (size_t i = 0; i < count && classes > 1; ++i) {
    const auto of_box = scores.subspan(i * classes + 1, classes - 1);  // behind the background
    const auto best = std::ranges::max_element(of_box);
    const float score = are_logits ? sigmoid(*best) : *best;
    if (!(score >= least_score)) continue;
    const auto e = encodings.subspan(4 * i, 4);
    const Anchor& anchor = anchors[i];
    const Box box = box_around(anchor.x + e[1] / kCentreScale * anchor.width, anchor.y + e[0] / kCentreScale * anchor.height,
                               anchor.width * std::exp(e[3] / kSizeScale), anchor.height * std::exp(e[2] / kSizeScale));
    if (!is_finite(box)) continue;
    found.push_back(
        {.box = box, .best = {.number = static_cast<size_t>(best - of_box.begin()), .score = score, .label = {}}, .points = {}});
  }
  return without_overlaps(std::move(found), kOverlap, kMostDetections);
}

std::vector<Detection> decoded_points(const PointEncodings& values, std::span<const Anchor> anchors, float least_score) {
  constexpr float kOverlap = 0.3F;
  const size_t count = std::min(anchors.size(), values.scores.size());
  const size_t size = count == 0 ? 0 : values.encodings.size() / count;
  const auto width = static_cast<float>(values.width);
  const auto height = static_cast<float>(values.height);
  std::vector<Detection> found;
  for (size_t i = 0; i < count && size >= 4; ++i) {
    const float score = sigmoid(values.scores[i]);
    if (!(score >= least_score)) continue;
    const auto e = values.encodings.subspan(size * i, size);
    const Anchor& anchor = anchors[i];
    Detection detection{.box = box_around(anchor.x + e[0] / width, anchor.y + e[1] / height, e[2] / width, e[3] / height),
                        .best = {.number = 0, .score = score, .label = {}},
                        .points = {}};
    for (size_t k = 4; k + 1 < size; k += 2) {
      detection.points.push_back(
          {.at = {.x = anchor.x + e[k] / width, .y = anchor.y + e[k + 1] / height}, .score = std::nullopt});
    }
    if (is_finite(detection.box)) found.push_back(std::move(detection));
  }
  return without_overlaps(std::move(found), kOverlap, kMostDetections);
}

}  // namespace nnvk::tools::answers
