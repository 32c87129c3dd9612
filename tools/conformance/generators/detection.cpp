// AXIS_ALIGNED_BBOX_TRANSFORM, HEATMAP_MAX_KEYPOINT.
#include "tools/conformance/generators/detection_operands.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

void add_transforms(Rows& rows) {
  for (const auto& type : detection_types()) {
    for (const uint32_t rois : {1, 3, 8}) {
      for (const uint32_t classes : {1, 2, 5}) {
        const auto name = std::to_string(rois) + "_rois_" + std::to_string(classes) + "_classes";
        rows.add(ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM, type.label, "sizes", name, [=](Draft& c) {
          const Tensor deltas = tensor(type.value, {rois, classes * 4});
          c.input(box_tensor(type.box, {rois, 4}), boxes(rois, 128));
          c.input(deltas.scale == 0 ? deltas : deltas.quantized(0.0078125f, deltas.zero_point), reals(-1, 1));
          c.input(tensor(kInt32, {rois}), listed(batch_indexes(rois, 2)));
          c.input(box_tensor(type.box, {2, 2}), listed({128, 128, 96, 160}));
          c.output(box_tensor(type.box, {}));
        });
      }
    }
  }
}

void add_keypoints(Rows& rows) {
  for (const auto& types : detection_types()) {
    for (const uint32_t size : {2, 5, 8}) {
      for (const uint32_t keypoints : {1, 3}) {
        for (const bool nchw : {false, true}) {
          rows.add(ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, types.label, nchw ? "nchw" : "nhwc",
                   std::to_string(size) + "_for_" + std::to_string(keypoints), [=](Draft& c) {
                     c.input(tensor(types.value, image_dims({3, size, size, keypoints}, nchw)));
                     c.input(box_tensor(types.box, {3, 4}), boxes(3, 64));
                     c.boolean(nchw);
                     c.output(tensor(types.value, {}));
                     c.output(box_tensor(types.box, {}));
                   });
        }
      }
    }
  }
}

// A case whose outputs are compared bit by bit, because all devices must compute exactly the same.
struct Transform {
  uint32_t boxes = 1;
  uint32_t classes = 1;
  double range = 4;      // of float deltas
  float scale = 0.003f;  // of quantized ones
};

void transform(Draft& c, const DetectionTypes& types, const Transform& p) {
  c.tolerance(0, 0);
  c.input(box_tensor(types.box, {p.boxes, 4}), any_boxes(50, 40));
  const Tensor deltas = tensor(types.value, {p.boxes, 4 * p.classes});
  const bool quantized = deltas.scale != 0;
  c.input(quantized ? deltas.quantized(p.scale, types.value == kQuant8 ? 128 : 0) : deltas,
          quantized ? Values{} : reals(-p.range, p.range));
  c.input(tensor(kInt32, {p.boxes}), stored(0, 2));
  c.input(box_tensor(types.box, {3, 2}), listed({40, 50, 30, 60, 100, 20}));
  c.output(box_tensor(types.box, {}));
}

void add_transform_edges(Rows& rows) {
  constexpr int32_t kOperation = ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM;
  const auto add = [&](const DetectionTypes& types, const std::string& name, const Transform& p) {
    rows.edge(kOperation, types.label, name, [=](Draft& c) { transform(c, types, p); });
  };
  for (const auto& types : detection_types()) {
    for (const uint32_t count : {1, 70}) {
      add(types, std::to_string(count) + "_boxes_3_classes", {.boxes = count, .classes = 3, .scale = 0.0625f});
      add(types, std::to_string(count) + "_boxes", {.boxes = count});
    }
    // Deltas beyond the range of the exponential.
    if (types.value == kFloat32) add(types, "far", {.boxes = 200, .classes = 3, .range = 130});
    if (types.value == kFloat32) add(types, "very_far", {.boxes = 64, .range = 1e30});
    if (types.value == kQuant8Signed) add(types, "far", {.boxes = 64, .classes = 3, .scale = 5});
  }
  const auto add_one = [&](const std::string& name, const std::vector<double>& box, double batch) {
    return &rows.edge(kOperation, kFloat32, name, [=](Draft& c) {
      c.input(tensor(kFloat32, {1, 4}), listed(box));
      c.input(tensor(kFloat32, {1, 8}));
      c.input(tensor(kInt32, {1}), listed({batch}));
      c.input(tensor(kFloat32, {2, 2}), listed({8, 8, 9, 9}));
      c.output(tensor(kFloat32, {}));
    });
  };
  add_one("point", {1, 1, 1, 1}, 1)->same_for_all_seeds("a point stays where it is");
  const std::vector<std::vector<double>> malformed{{2, 1, 1, 2}, {1, 2, 2, 1}, {kNan, 1, 2, 2}, {1, 1, 2, kNan}};
  for (size_t i = 0; i < malformed.size(); ++i) add_one("refused_box_" + std::to_string(i), malformed[i], 0)->refused();
  for (const double batch : {2.0, -1.0, -2147483648.0})
    add_one("refused_image_" + std::to_string(static_cast<int64_t>(batch)), {1, 1, 2, 2}, batch)->refused();
}

void add_keypoint_edges(Rows& rows) {
  const auto add = [&](const DetectionTypes& types, const std::string& name, const Dims& maps, bool nchw, const Values& values) {
    rows.edge(ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, types.label, name, [=](Draft& c) {
      c.tolerance(0, 0);
      const Tensor map = tensor(types.value, image_dims(maps, nchw));
      c.input(map, values);
      c.input(box_tensor(types.box, {maps[0], 4}), any_boxes(200, 300));
      c.boolean(nchw);
      c.output(tensor(types.value, {}).quantized(map.scale * 1.5f, map.zero_point));
      c.output(box_tensor(types.box, {}));
    });
  };
  for (const auto& types : detection_types()) {
    for (const bool nchw : {false, true}) {
      for (const auto& maps : std::vector<Dims>{{5, 6, 6, 17}, {1, 2, 2, 1}, {3, 3, 3, 2}}) {
        add(types, dims_label(maps) + (nchw ? "_nchw" : ""), maps, nchw, {});
      }
    }
    if (types.value == kQuant8) add(types, "large", {1, 300, 300, 1}, false, {});
  }
  const DetectionTypes floats = detection_types()[0];
  // The largest map that an invocation can process in reasonable time; the peak is its last cell.
  add(floats, "largest", {1, 886, 886, 1}, true, each([](uint64_t i) { return static_cast<double>(i); }));
  // Flat maps of 9 cells: one has a NaN, one has a number among NaNs, and one has a fit that overflows.
  add(floats, "flat", {1, 3, 3, 4}, true, each([](uint64_t i) {
        const double flat[] = {1, -kInfinity, kNan, 0};
        return i == 13 ? kNan : i == 22 ? 2 : i == 31 ? 1e30 : flat[i / 9];
      }));
  rows.refused_edge(ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT, kFloat32, "refused_box", [](Draft& c) {
    c.input(tensor(kFloat32, {2, 4, 4, 3}));
    c.input(tensor(kFloat32, {2, 4}), listed({0, 0, 1, 1, 0, 2, 1, 1}));
    c.boolean(false);
    for (int i = 0; i < 2; ++i) c.output(tensor(kFloat32, {}));
  });
}

}  // namespace

void add_detection_rows(Rows& rows) {
  add_transforms(rows);
  add_keypoints(rows);
  add_transform_edges(rows);
  add_keypoint_edges(rows);
}

}  // namespace nnvk::tools::conformance
