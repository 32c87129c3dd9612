// BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING, GENERATE_PROPOSALS.
#include <cmath>

#include "tools/conformance/generators/detection_operands.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

// Returns scores in [0, 1), many of them equal; every fifth may be `odd`. They are the same for all seeds, because results depend
// on every value.
Values coarse_scores(uint32_t levels, double odd = 0) {
  return each([=](uint64_t i) { return odd != 0 && i % 5 == 0 ? odd : std::floor(scattered(i) * levels) / levels; });
}

Tensor score_tensor(int32_t type, const Dims& dims) {
  const Tensor plain = tensor(type, dims);
  return plain.scale == 0 ? plain : plain.quantized(0.00390625f, type == kQuant8 ? 0 : -128);
}

struct Limit {
  uint32_t rows = 150;
  uint32_t classes = 4;
  Values batches = stored(0, 0);
  uint32_t levels = 16;
  double score_threshold = 0.1;
  int32_t most = -1;
  int32_t kernel = 0;
  double iou_threshold = 0.3;
  double sigma = 0.5;
  double nms_score_threshold = 0.15;
  double odd_score = 0;
  bool swapped = false;
};

void declare(Draft& c, const DetectionTypes& types, const Limit& p) {
  c.tolerance(0, 0);
  c.input(score_tensor(types.value, {p.rows, p.classes}), coarse_scores(p.levels, p.odd_score));
  const Values corners = any_boxes(12, 9);
  c.input(box_tensor(types.box, {p.rows, 4 * p.classes}),
          each([=](uint64_t i) { return p.swapped && i == 0 ? corners.each(2) + 1 : corners.each(i); }));
  c.input(tensor(kInt32, {p.rows}), p.batches);
  c.real(p.score_threshold, types.value);
  c.int32(p.most);
  c.int32(p.kernel);
  for (const double value : {p.iou_threshold, p.sigma, p.nms_score_threshold}) c.real(value, types.value);
  c.output(score_tensor(types.value, {}));
  c.output(box_tensor(types.box, {}));
  for (int i = 0; i < 2; ++i) c.output(tensor(kInt32, {}));
}

constexpr int32_t kMost = 2147483647;
constexpr int32_t kLeast = -2147483647 - 1;

void add_limit_edges(Rows& rows) {
  const auto add_of = [&](const DetectionTypes& types, const std::string& name, const Limit& p) {
    return &rows.edge(ANEURALNETWORKS_BOX_WITH_NMS_LIMIT, types.label, name, [=](Draft& c) { declare(c, types, p); });
  };
  const DetectionTypes floats = detection_types()[0];
  const auto add = [&](const std::string& name, const Limit& p) { return add_of(floats, name, p); };
  for (int32_t kernel = 0; kernel < 3; ++kernel) {
    const auto suffix = "_kernel_" + std::to_string(kernel);
    for (const auto& types : detection_types()) {
      add_of(types, "many" + suffix, {.kernel = kernel});
      add_of(types, "few" + suffix, {.rows = 31, .classes = 3, .most = 5, .kernel = kernel});
    }
    for (const int32_t most : {0, 1, kMost, kLeast})
      add("most_" + std::to_string(most) + suffix, {.rows = 40, .most = most, .kernel = kernel});
    add("no_threshold" + suffix, {.rows = 40, .kernel = kernel, .nms_score_threshold = 0});
    add("nan_threshold" + suffix, {.rows = 40, .kernel = kernel, .iou_threshold = kNan});
    add("sigma_0" + suffix, {.rows = 40, .kernel = kernel, .sigma = 0});
    add("nan_scores" + suffix, {.rows = 40, .kernel = kernel, .odd_score = kNan});
    add("negative_sigma" + suffix, {.rows = 40, .kernel = kernel, .sigma = -0.5, .nms_score_threshold = -9});
    add("no_box" + suffix, {.rows = 40, .score_threshold = 2, .kernel = kernel});
  }
  const Values runs = each([](uint64_t i) { return static_cast<double>(i / 7 % 3); });  // runs of equal indexes are images
  add("runs", {.batches = runs});
  add("runs_most_2", {.batches = runs, .most = 2});
  add_of(detection_types()[2], "falling",
         {.batches = each([](uint64_t i) { return 150 - static_cast<double>(i); }), .kernel = 1});
  add("40_classes", {.rows = 65, .classes = 40, .levels = 3, .most = 100});
  add("one_row", {.rows = 1, .classes = 2, .levels = 2});
  add("700_rows", {.rows = 700, .classes = 2, .levels = 1000, .iou_threshold = 0.6});
  // Work that devices divide into several dispatches: almost no boxes overlap enough to be removed, so picks go through the list.
  add("900_rows", {.rows = 900, .classes = 2, .levels = 5000, .iou_threshold = 0.999});
  add("600_images", {.rows = 600, .classes = 3, .batches = each([](uint64_t i) { return static_cast<double>(i); })});
  add("refused_box", {.rows = 70, .swapped = true})->refused();
  add("refused_image", {.rows = 70, .batches = each([](uint64_t i) { return i < 2 ? 0.0 : -1.0; })})->refused();
}

struct Proposals {
  Dims grid{2, 6, 5, 3};  // batches, height, width, anchors
  bool nchw = false;
  uint32_t levels = 16;
  int32_t before = 40;
  int32_t after = 12;
  double iou_threshold = 0.3;
  double min_size = 2;
  double odd_score = 0;
  bool swapped = false;
};

void declare(Draft& c, const DetectionTypes& types, const Proposals& p) {
  c.tolerance(0, 0);
  const bool quantized = types.value != types.box;
  const uint32_t anchors = p.grid[3];
  Dims four = p.grid;
  four[3] *= 4;
  c.input(score_tensor(types.value, image_dims(p.grid, p.nchw)), coarse_scores(p.levels, p.odd_score));
  const Tensor deltas = tensor(types.value, image_dims(four, p.nchw));
  c.input(quantized ? deltas.quantized(0.01f, types.value == kQuant8 ? 128 : 0) : deltas,
          quantized ? Values{} : reals(-0.8, 0.8));
  const bool swapped = p.swapped;
  c.input(quantized ? tensor(kQuant16, {anchors, 4}).quantized(0.125f, 0) : tensor(types.box, {anchors, 4}),
          each([=](uint64_t i) {
            const uint64_t anchor = i / 4;
            const double half = 2 + 3 * static_cast<double>(anchor);
            const double corners[] = {-half, swapped && i == 1 ? half + 2 : -half - 1, half,
                                      swapped && i == 3 ? -half - 1 : half + 2};
            return corners[i % 4];
          }));
  c.input(box_tensor(types.box, {p.grid[0], 2}), listed({40, 50, 64, 32}));
  c.real(8, types.value);
  c.real(10, types.value);
  c.int32(p.before);
  c.int32(p.after);
  c.real(p.iou_threshold, types.value);
  c.real(p.min_size, types.value);
  c.boolean(p.nchw);
  c.output(score_tensor(types.value, {}));
  c.output(box_tensor(types.box, {}));
  c.output(tensor(kInt32, {}));
}

void add_proposal_edges(Rows& rows) {
  const auto add_of = [&](const DetectionTypes& types, const std::string& name, const Proposals& p) {
    return &rows.edge(ANEURALNETWORKS_GENERATE_PROPOSALS, types.label, name, [=](Draft& c) { declare(c, types, p); });
  };
  for (const auto& types : detection_types()) {
    for (const bool nchw : {false, true}) {
      add_of(types, nchw ? "nchw" : "nhwc", {.nchw = nchw});
      add_of(types, nchw ? "all_nchw" : "all_nhwc", {.nchw = nchw, .before = -1, .after = -1});
    }
  }
  const auto add = [&](const std::string& name, const Proposals& p) { return add_of(detection_types()[0], name, p); };
  add("large_grid", {.grid = {2, 25, 19, 9}, .levels = 5000, .before = 600, .after = 100});
  add("large_grid_nchw", {.grid = {2, 25, 19, 3}, .nchw = true, .levels = 7, .before = 0, .after = 50});
  // Work that devices divide into several dispatches: one dispatch makes 30 picks among 20000 candidates.
  add("20000_candidates", {.grid = {2, 100, 50, 4}, .levels = 100000, .before = 0, .after = 150, .iou_threshold = 0.95});
  for (const int32_t after : {0, 1, kMost, kLeast}) add("after_" + std::to_string(after), {.after = after});
  for (const int32_t before : {0, 1, 89, 90, kMost, kLeast}) add("before_" + std::to_string(before), {.before = before});
  add("nan_scores", {.odd_score = kNan});
  add("nan_scores_of_all", {.before = 0, .odd_score = kNan});
  add("infinite_scores", {.odd_score = -kInfinity});
  add("no_overlap", {.before = 0, .after = -1, .iou_threshold = 0});
  add("nan_threshold", {.iou_threshold = kNan});
  add("large_min_size", {.min_size = 1000});
  add("nan_min_size", {.min_size = kNan});
  add("refused_anchor", {.swapped = true})->refused();
}

struct Postprocessing {
  uint32_t anchors = 90;
  uint32_t classes = 5;
  uint32_t delta_length = 4;
  uint32_t levels = 16;
  int32_t most = 20;
  int32_t classes_each = 2;
  int32_t per_class = 6;
  double score_threshold = 0.2;
  double iou_threshold = 0.3;
  bool background = false;
  double odd_score = 0;
};

void declare(Draft& c, int32_t type, bool regular, const Postprocessing& p) {
  c.tolerance(0, 0);
  c.input(tensor(type, {3, p.anchors, p.classes}), coarse_scores(p.levels, p.odd_score));
  c.input(tensor(type, {3, p.anchors, p.delta_length}), reals(-3, 3));
  c.input(tensor(type, {p.anchors, 4}), each([](uint64_t i) { return std::floor(1 + scattered(i) * 40) / 8; }));
  for (const double scale : {10.0, 9.0, 5.0, 4.0}) c.real(scale, type);
  c.boolean(regular);
  for (const int32_t most : {p.most, p.classes_each, p.per_class}) c.int32(most);
  c.real(p.score_threshold, type);
  c.real(p.iou_threshold, type);
  c.boolean(p.background);
  for (const int32_t output : {type, type, kInt32, kInt32}) c.output(tensor(output, {}));
}

void add_postprocessing_edges(Rows& rows) {
  for (const int32_t type : kFloats) {
    for (const bool regular : {true, false}) {
      const auto add = [&](const std::string& name, const Postprocessing& p) {
        return &rows.edge(ANEURALNETWORKS_DETECTION_POSTPROCESSING, type, (regular ? "regular_" : "fast_") + name,
                          [=](Draft& c) { declare(c, type, regular, p); });
      };
      for (const bool background : {true, false}) add(background ? "background" : "plain", {.background = background});
      add("long_deltas", {.delta_length = 7, .most = 3});
      add("two_classes", {.classes = 2, .most = 7});
      if (type != kFloat32) continue;
      add("one", {.anchors = 1, .most = 1, .classes_each = 1, .per_class = 1});
      add("400_anchors", {.anchors = 400, .classes = 30, .levels = 9, .most = 100, .classes_each = 50, .per_class = 100});
      add("no_limit", {.per_class = kMost, .score_threshold = 0});
      add("no_box", {.score_threshold = 5})->same_for_all_seeds("no box is kept");
      add("no_overlap", {.iou_threshold = 0});
      add("nan_scores", {.odd_score = kNan});
      if (!regular) add("300_classes", {.anchors = 40, .classes = 300, .levels = 50, .most = 9, .classes_each = 300});
    }
  }
}

}  // namespace

void add_suppression_rows(Rows& rows) {
  for (const auto& types : detection_types()) {
    for (const int32_t most : {-1, 4}) {
      for (const uint32_t count : {1, 6, 17}) {
        for (const uint32_t classes : {2, 3}) {
          for (int32_t kernel = 0; kernel < 3; ++kernel) {
            const Limit p{
                .rows = count, .classes = classes, .batches = listed(batch_indexes(count, 2)), .most = most, .kernel = kernel};
            rows.add(ANEURALNETWORKS_BOX_WITH_NMS_LIMIT, types.label, "kernel_" + std::to_string(kernel),
                     dims_label({count, classes}) + "_most_" + std::to_string(most), [=](Draft& c) { declare(c, types, p); });
          }
        }
      }
      for (const Dims& grid : std::vector<Dims>{{1, 2, 2, 3}, {2, 3, 4, 2}, {1, 5, 3, 1}}) {
        for (const bool nchw : {false, true}) {
          const Proposals p{.grid = grid, .nchw = nchw, .before = most > 0 ? 6 : -1, .after = most};
          rows.add(ANEURALNETWORKS_GENERATE_PROPOSALS, types.label, nchw ? "nchw" : "nhwc",
                   dims_label(grid) + "_most_" + std::to_string(most), [=](Draft& c) { declare(c, types, p); });
        }
      }
    }
  }
  for (const int32_t type : kFloats) {
    for (const bool regular : {false, true}) {
      for (const bool background : {false, true}) {
        for (const uint32_t anchors : {3, 8, 17}) {
          const auto group = std::string(regular ? "regular" : "fast") + (background ? "_with_background" : "");
          const Postprocessing p{.anchors = anchors, .classes = 4, .most = 4, .per_class = 3, .background = background};
          rows.add(ANEURALNETWORKS_DETECTION_POSTPROCESSING, type, group, std::to_string(anchors) + "_anchors",
                   [=](Draft& c) { declare(c, type, regular, p); });
        }
      }
    }
  }
  add_limit_edges(rows);
  add_proposal_edges(rows);
  add_postprocessing_edges(rows);
}

}  // namespace nnvk::tools::conformance
