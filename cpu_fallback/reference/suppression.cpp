// BOX_WITH_NMS_LIMIT, GENERATE_PROPOSALS and DETECTION_POSTPROCESSING: the best boxes that do not overlap each other too much.
// Sorts here are stable if the specification does not define the order of equal scores.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/operations/parameters/suppression_parameters.h"
#include "cpu_fallback/reference/boxes.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// A box that was kept.
struct Detection {
  uint32_t id = 0;  // row or anchor
  uint32_t label = 0;
  float score = 0;
};

// Sorts by score and keeps the first `limit`, all when it is negative.
void keep_best(std::vector<Detection>& detections, int64_t limit) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return score_order(a.score) > score_order(b.score); });
  if (limit >= 0) detections.resize(std::min(detections.size(), static_cast<size_t>(limit)));
}

// Sets the first dimension of all outputs, which depends on data, to `length`. OP_FAILED when an output's memory is too small.
Status set_lengths(KernelContext& context, size_t length) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    OutputTensor& output = context.outputs[i];
    output.info.shape.dims[0] = static_cast<uint32_t>(length);
    const auto bytes = output.info.byte_size();
    if (output.wanted && (!bytes || output.data.size() < *bytes)) {
      return fail(Code::kOpFailed,
                  std::to_string(length) + " boxes are kept, which is more than output " + std::to_string(i) + " has room for");
    }
  }
  return {};
}

// --- BOX_WITH_NMS_LIMIT -----------------------------------------------------------------------------------------------------

// Returns the factor for a score whose box overlaps a picked box by `iou`; NaN fails every comparison.
float decay(float iou, const BoxLimitParameters& p) {
  switch (p.kernel) {
    case SuppressionKernel::kHard:
      return iou < p.iou_threshold ? 1.0F : 0.0F;
    case SuppressionKernel::kLinear:
      return iou < p.iou_threshold ? 1.0F : 1.0F - iou;
    case SuppressionKernel::kGaussian:
      break;
  }
  return exponential(-(iou * iou) / p.sigma);
}

// Returns the kept boxes of the image in rows [begin, end), by class and then by score.
std::vector<Detection> limit_boxes(const BoxLimitParameters& p, const FloatInput& scores, const FloatInput& boxes, uint32_t begin,
                                   uint32_t end) {
  std::vector<Detection> kept;
  for (uint32_t c = 1; c < p.classes; ++c) {
    std::vector<Candidate> list;
    for (uint32_t r = begin; r < end; ++r) {
      const float score = scores[size_t{r} * p.classes + c];
      if (score > p.score_threshold) list.push_back({r, score});
    }
    const auto box = [&](const Candidate& candidate) { return box_at(boxes.values(), size_t{candidate.id} * p.classes + c); };
    const auto lower = [&](Candidate& candidate, const Candidate& front) {
      candidate.score *= decay(intersection_over_union(box(candidate), box(front)), p);
      return candidate.score < p.nms_score_threshold;
    };
    for (const Candidate& picked : select_boxes(std::move(list), p.max_detections, lower)) {
      kept.push_back({picked.id, c, picked.score});
    }
  }
  keep_best(kept, p.max_detections);
  std::stable_sort(kept.begin(), kept.end(), [](const Detection& a, const Detection& b) { return a.label < b.label; });
  return kept;
}

Status box_with_nms_limit(KernelContext& context) {
  using namespace box_with_nms_limit;
  NNVK_ASSIGN(const BoxLimitParameters p, box_limit_parameters(context.operation));
  const FloatInput scores(context, kScores);
  const FloatInput boxes(context, kBoxes);
  const auto batches = context.input<int32_t>(kBatches);
  std::vector<float> out_scores;
  std::vector<int32_t> out_classes;
  std::vector<int32_t> out_batches;
  const auto raw_boxes = context.operation.inputs[kBoxes].value;
  const size_t box_bytes = 4 * element_size(context.operation.input(kBoxes).type);
  std::vector<std::byte> out_boxes;
  uint32_t end = 0;
  for (uint32_t begin = 0; begin < p.rows; begin = end) {  // an image: a run of equal batch indexes
    for (end = begin + 1; end < p.rows && batches[end] == batches[begin];) ++end;
    if (batches[begin] < 0) {
      return fail(Code::kOpFailed, "box " + std::to_string(begin) + " is of image " + std::to_string(batches[begin]));
    }
    // Checks as many boxes as the image has rows, beginning with its first box.
    for (uint32_t i = 0; i < end - begin; ++i) {
      const size_t index = size_t{begin} * p.classes + i;
      NNVK_TRY(check_well_formed(box_at(boxes.values(), index), "box", index));
    }
    for (const Detection& kept : limit_boxes(p, scores, boxes, begin, end)) {
      const auto box = raw_boxes.subspan((size_t{kept.id} * p.classes + kept.label) * box_bytes, box_bytes);
      out_boxes.insert(out_boxes.end(), box.begin(), box.end());
      out_scores.push_back(kept.score);
      out_classes.push_back(static_cast<int32_t>(kept.label));
      out_batches.push_back(batches[begin]);
    }
  }
  NNVK_TRY(set_lengths(context, out_scores.size()));
  store_reals(context, kKeptScores, out_scores);
  if (OutputTensor& kept = context.outputs[kKeptBoxes]; kept.wanted)
    std::copy(out_boxes.begin(), out_boxes.end(), kept.data.begin());
  store_integers(context, kKeptClasses, out_classes);
  store_integers(context, kKeptBatches, out_batches);
  return {};
}

// --- GENERATE_PROPOSALS -----------------------------------------------------------------------------------------------------

Status generate_proposals(KernelContext& context) {
  using namespace generate_proposals;
  NNVK_ASSIGN(const ProposalParameters p, proposal_parameters(context.operation));
  const FloatInput scores(context, kScores);
  const FloatInput deltas(context, kDeltas);
  const FloatInput anchors(context, kAnchors);
  const FloatInput images(context, kImages);
  const ImageLayout score_map = image_layout(context.operation.shape(kScores), p.nchw);
  const ImageLayout delta_map = image_layout(context.operation.shape(kDeltas), p.nchw);
  const uint32_t count = p.candidates();
  const auto pixel_of = [&](const ImageLayout& map, uint32_t image, uint32_t candidate) {
    const uint32_t cell = candidate / p.anchors;
    return map.pixel(image, cell / p.width, cell % p.width);
  };

  std::vector<Box> shifted(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t cell = i / p.anchors;
    const float x = static_cast<float>(cell % p.width) * p.stride_x;
    const uint32_t row = cell / p.width;
    const float y = static_cast<float>(row) * p.stride_y;
    const Box anchor = box_at(anchors.values(), i % p.anchors);
    shifted[i] = {anchor.x1 + x, anchor.y1 + y, anchor.x2 + x, anchor.y2 + y};
    NNVK_TRY(check_well_formed(shifted[i], "anchor", i % p.anchors));
  }

  std::vector<float> out_scores;
  std::vector<float> out_boxes;
  std::vector<int32_t> out_batches;
  std::vector<Box> boxes(count);
  for (uint32_t b = 0; b < p.batches; ++b) {
    std::vector<float> score(count);  // copies: if the client changed scores during the sort, it would leave the list
    for (uint32_t i = 0; i < count; ++i) score[i] = scores[score_map.element(pixel_of(score_map, b, i), i % p.anchors)];
    const float height = images[size_t{b} * 2];
    const float width = images[size_t{b} * 2 + 1];
    for (uint32_t i = 0; i < count; ++i) {
      std::array<float, 4> delta;
      for (size_t k = 0; k < 4; ++k)
        delta[k] = deltas[delta_map.element(pixel_of(delta_map, b, i), size_t{i % p.anchors} * 4 + k)];
      boxes[i] = transform_box(shifted[i], delta, height, width);
    }
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (p.considered() < count) {
      std::stable_sort(order.begin(), order.end(),
                       [&](uint32_t i, uint32_t j) { return score_order(score[i]) > score_order(score[j]); });
      order.resize(p.considered());
    }
    std::vector<Candidate> list;
    for (const uint32_t i : order) {
      const float box_width = boxes[i].x2 - boxes[i].x1;
      const float box_height = boxes[i].y2 - boxes[i].y1;
      const bool large = box_width > p.min_size && box_height > p.min_size;
      if (large && boxes[i].x1 + box_width / 2.0F < width && boxes[i].y1 + box_height / 2.0F < height) {
        list.push_back({i, score[i]});
      }
    }
    for (const Candidate& picked :
         hard_suppression(std::move(list), p.post_nms_max, p.iou_threshold, [&](uint32_t id) { return boxes[id]; })) {
      out_scores.push_back(picked.score);
      append_box(out_boxes, boxes[picked.id]);
      out_batches.push_back(static_cast<int32_t>(b));
    }
  }
  NNVK_TRY(set_lengths(context, out_scores.size()));
  store_reals(context, kKeptScores, out_scores);
  store_reals(context, kKeptBoxes, out_boxes);
  store_integers(context, kKeptBatches, out_batches);
  return {};
}

// --- DETECTION_POSTPROCESSING -----------------------------------------------------------------------------------------------

// Returns the box of one anchor; y comes before x in anchors, deltas and boxes.
Box decode_anchor(std::span<const float> anchor, std::span<const float> delta, const PostprocessingParameters& p) {
  const float y = anchor[0] + anchor[2] * delta[0] / p.scale_y;
  const float x = anchor[1] + anchor[3] * delta[1] / p.scale_x;
  const float half_height = anchor[2] * exponential(delta[2] / p.scale_h) * 0.5F;
  const float half_width = anchor[3] * exponential(delta[3] / p.scale_w) * 0.5F;
  return {y - half_height, x - half_width, y + half_height, x + half_width};
}

// Returns the greatest score that is not NaN, else -infinity, which passes no threshold. Keeps kSoFar maxima, each of every
// kSoFar-th element, because comparisons with a single maximum would wait for each other.
float best_score(std::span<const float> scores) {
  constexpr size_t kSoFar = 16;
  std::array<float, kSoFar> largest;
  largest.fill(-std::numeric_limits<float>::infinity());
  const auto take = [&](size_t i) { largest[i % kSoFar] = scores[i] > largest[i % kSoFar] ? scores[i] : largest[i % kSoFar]; };
  size_t i = 0;
  for (; i + kSoFar <= scores.size(); i += kSoFar) {
    for (size_t lane = 0; lane < kSoFar; ++lane) take(i + lane);
  }
  for (; i < scores.size(); ++i) take(i);
  return *std::ranges::max_element(largest);
}

// Returns the detections of one image: `scores` are its [anchors, classes] values.
std::vector<Detection> detect(const PostprocessingParameters& p, std::span<const float> scores, const std::vector<Box>& boxes) {
  const auto score = [&](uint32_t anchor, uint32_t c) { return scores[size_t{anchor} * p.classes + c]; };
  const auto suppress = [&](auto&& score_of, int32_t limit) {
    std::vector<Candidate> list;
    for (uint32_t anchor = 0; anchor < p.anchors; ++anchor) {
      const float value = score_of(anchor);
      if (value > p.score_threshold) list.push_back({anchor, value});
    }
    return hard_suppression(std::move(list), limit, p.iou_threshold, [&](uint32_t id) { return boxes[id]; });
  };
  std::vector<Detection> detections;
  if (p.regular) {  // every class separately
    for (uint32_t c = 1; c < p.classes; ++c) {
      for (const Candidate& picked : suppress([&](uint32_t anchor) { return score(anchor, c); }, p.max_per_class)) {
        detections.push_back({picked.id, c, picked.score});
      }
    }
    keep_best(detections, p.max_detections);
    return detections;
  }
  // Suppresses all classes together, by the best score of every anchor, then keeps the best classes of each kept anchor.
  const auto best = [&](uint32_t anchor) { return best_score(scores.subspan(size_t{anchor} * p.classes + 1, p.classes - 1)); };
  for (const Candidate& picked : suppress(best, p.max_detections)) {
    std::vector<Detection> classes;
    for (uint32_t c = 1; c < p.classes; ++c) classes.push_back({picked.id, c, score(picked.id, c)});
    keep_best(classes, p.classes_per_detection);
    detections.insert(detections.end(), classes.begin(), classes.end());
  }
  return detections;
}

Status detection_postprocessing(KernelContext& context) {
  using namespace detection_postprocessing;
  NNVK_ASSIGN(const PostprocessingParameters p, postprocessing_parameters(context.operation));
  const FloatInput scores(context, kScores);
  const FloatInput deltas(context, kDeltas);
  const FloatInput anchors(context, kAnchors);
  std::vector<float> out_scores;
  std::vector<float> out_boxes;
  std::vector<int32_t> out_classes;
  std::vector<int32_t> out_counts;
  std::vector<Box> boxes(p.anchors);
  for (uint32_t b = 0; b < p.batches; ++b) {
    for (size_t a = 0; a < p.anchors; ++a) {
      const auto delta = deltas.values().subspan((b * size_t{p.anchors} + a) * p.delta_length, 4);
      boxes[a] = decode_anchor(anchors.values().subspan(4 * a, 4), delta, p);
    }
    const size_t image = size_t{p.anchors} * p.classes;
    const std::vector<Detection> detections = detect(p, scores.values().subspan(b * image, image), boxes);
    for (const Detection& detection : detections) {
      out_scores.push_back(detection.score);
      append_box(out_boxes, boxes[detection.id]);
      out_classes.push_back(static_cast<int32_t>(detection.label) - 1 + p.first_label);
    }
    out_counts.push_back(static_cast<int32_t>(detections.size()));
    const size_t entries = (size_t{b} + 1) * p.entries;  // zeros if fewer were found
    out_scores.resize(entries);
    out_boxes.resize(4 * entries);
    out_classes.resize(entries);
  }
  store_reals(context, kKeptScores, out_scores);
  store_reals(context, kKeptBoxes, out_boxes);
  store_integers(context, kKeptClasses, out_classes);
  store_integers(context, kKeptCounts, out_counts);
  return {};
}

constexpr KernelRow kRows[] = {
    {OperationCode::kBoxWithNmsLimit, box_with_nms_limit},
    {OperationCode::kGenerateProposals, generate_proposals},
    {OperationCode::kDetectionPostprocessing, detection_postprocessing},
};

}  // namespace

std::span<const KernelRow> suppression_kernels() { return kRows; }

}  // namespace nnvk::cpu
