// AXIS_ALIGNED_BBOX_TRANSFORM, BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING, GENERATE_PROPOSALS, HEATMAP_MAX_KEYPOINT,
// LSH_PROJECTION, ROI_ALIGN, ROI_POOLING.
#include <algorithm>

#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

// Types of scores or images, and of the boxes that go with them.
struct DetectionTypes {
  std::string label;
  int32_t value;
  int32_t box;
};
const std::vector<DetectionTypes> kTypes{{"float32", kFloat32, kFloat32},
                                         {"float16", kFloat16, kFloat16},
                                         {"quant8", kQuant8, kQuant16Asymm},
                                         {"quant8_signed", kQuant8Signed, kQuant16Asymm}};

// Coordinates in eighths, as the operations prescribe for quantized boxes.
Tensor box_tensor(int32_t type, const Dims& dims) {
  const Tensor plain = tensor(type, dims);
  return plain.scale == 0 ? plain : plain.quantized(0.125f, 0);
}

// Well-formed boxes x1, y1, x2, y2 inside size x size, many of which overlap. They are the same for all seeds.
Values boxes(uint32_t count, double size) {
  std::vector<double> values;
  for (uint32_t i = 0; i < count; ++i) {
    const double x = (i * 5 % 7) * size / 16;
    const double y = (i * 3 % 5) * size / 16;
    values.insert(values.end(), {x, y, x + size / 4 + (i % 3) * size / 16, y + size / 4 + (i % 4) * size / 16});
  }
  return listed(values);
}

std::vector<double> batch_indexes(uint32_t rois, uint32_t batches) {
  std::vector<double> values;
  for (uint32_t i = 0; i < rois; ++i) values.push_back(i * batches / rois);
  return values;
}

struct Roi {
  Dims image;  // NHWC; the boxes are in the coordinates of an image 4 times as large
  uint32_t rois = 3;
  int32_t out_height = 2;
  int32_t out_width = 3;
  int32_t samples = 2;
  bool nchw = false;
};

void declare_roi(Draft& c, int32_t operation, const DetectionTypes& types, const Roi& p, const Values& batch_values) {
  const bool align = operation == ANEURALNETWORKS_ROI_ALIGN;
  c.input(tensor(types.value, image_dims(p.image, p.nchw)));
  c.input(box_tensor(types.box, {p.rois, 4}), boxes(p.rois, 4 * std::min(p.image[1], p.image[2])));
  c.input(tensor(kInt32, {p.rois}), batch_values);
  c.int32(p.out_height);
  c.int32(p.out_width);
  c.real(4, types.value);
  c.real(4, types.value);
  if (align) {
    c.int32(p.samples);
    c.int32(p.samples);
  }
  c.boolean(p.nchw);
  c.output(tensor(types.value, {}));
}

void add_regions(Rows& rows) {
  for (const int32_t operation : {ANEURALNETWORKS_ROI_ALIGN, ANEURALNETWORKS_ROI_POOLING}) {
    for (const auto& types : kTypes) {
      for (const auto& image : std::vector<Dims>{{1, 8, 8, 1}, {2, 7, 9, 3}, {1, 5, 5, 17}, {3, 4, 8, 4}}) {
        for (const bool nchw : {false, true}) {
          for (const int32_t samples : {0, 1, 3}) {
            if (operation == ANEURALNETWORKS_ROI_POOLING && samples != 0) continue;
            const Roi p{.image = image, .rois = 5, .samples = samples, .nchw = nchw};
            rows.add(operation, types.label, nchw ? "nchw" : "nhwc", dims_label(image) + "_samples_" + std::to_string(samples),
                     [=](Draft& c) { declare_roi(c, operation, types, p, listed(batch_indexes(p.rois, image[0]))); });
          }
        }
      }
      for (const int32_t size : {0, -1}) {
        rows.add(operation, types.label, "refused", "height_" + std::to_string(size),
                 [=](Draft& c) {
                   declare_roi(c, operation, types, {.image = {1, 4, 4, 2}, .out_height = size}, listed({0}));
                 })
            .refused();
      }
      for (const double batch : {-1.0, 2.0}) {
        rows.add(operation, types.label, "refused", "batch_" + std::to_string(static_cast<int>(batch)),
                 [=](Draft& c) {
                   declare_roi(c, operation, types, {.image = {2, 4, 4, 2}}, listed({0, batch, 1}));
                 })
            .refused();
      }
    }
  }
}

void add_transforms(Rows& rows) {
  const std::vector<DetectionTypes> types{{"float32", kFloat32, kFloat32},
                                          {"float16", kFloat16, kFloat16},
                                          {"quant16_quant8", kQuant8, kQuant16Asymm},
                                          {"quant16_quant8_signed", kQuant8Signed, kQuant16Asymm}};
  for (const auto& type : types) {
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

void add_non_maximum_suppression(Rows& rows) {
  for (const auto& types : kTypes) {
    for (const int32_t kernel : {0, 1, 2}) {
      for (const uint32_t rois : {1, 6, 17}) {
        for (const uint32_t classes : {2, 3}) {
          for (const int32_t most : {-1, 4}) {
            rows.add(ANEURALNETWORKS_BOX_WITH_NMS_LIMIT, types.label, "kernel_" + std::to_string(kernel),
                     std::to_string(rois) + "_rois_" + std::to_string(classes) + "_classes_most_" + std::to_string(most),
                     [=](Draft& c) {
                       const Tensor scores = tensor(types.value, {rois, classes});
                       // From 0 to 1, no two the same.
                       const Tensor unit = scores.quantized(0.00390625f, types.value == kQuant8 ? 0 : -128);
                       c.input(scores.scale == 0 ? scores : unit, distinct(0, 1.0 / 64));
                       c.input(box_tensor(types.box, {rois, classes * 4}), boxes(rois * classes, 64));
                       c.input(tensor(kInt32, {rois}), listed(batch_indexes(rois, 2)));
                       c.real(0.0625, types.value);
                       c.int32(most);
                       c.int32(kernel);
                       c.real(0.4, types.value);
                       c.real(0.5, types.value);
                       c.real(0.125, types.value);
                       c.output(scores.scale == 0 ? scores : unit);
                       c.output(box_tensor(types.box, {}));
                       c.output(tensor(kInt32, {}));
                       c.output(tensor(kInt32, {}));
                     });
          }
        }
      }
    }
  }
}

void add_proposals(Rows& rows) {
  const std::vector<DetectionTypes> types{{"float32", kFloat32, kFloat32},
                                          {"float16", kFloat16, kFloat16},
                                          {"quant8", kQuant8, kQuant16Asymm},
                                          {"quant8_signed", kQuant8Signed, kQuant16Asymm}};
  for (const auto& type : types) {
    const bool quantized = type.value != type.box;
    for (const Dims& map : std::vector<Dims>{{1, 2, 2, 3}, {2, 3, 4, 2}, {1, 5, 3, 1}}) {
      for (const bool nchw : {false, true}) {
        for (const int32_t most : {-1, 3}) {
          const auto name = dims_label(map) + "_most_" + std::to_string(most);
          rows.add(ANEURALNETWORKS_GENERATE_PROPOSALS, type.label, nchw ? "nchw" : "nhwc", name, [=](Draft& c) {
            const uint32_t anchors = map[3];
            const Tensor scores = tensor(type.value, image_dims(map, nchw));
            const Tensor unit = quantized ? scores.quantized(0.00390625f, type.value == kQuant8 ? 0 : -128) : scores;
            Tensor deltas = tensor(type.value, image_dims({map[0], map[1], map[2], anchors * 4}, nchw));
            if (quantized) deltas = deltas.quantized(0.0078125f, deltas.zero_point);
            const Tensor corners =
                quantized ? tensor(kQuant16, {anchors, 4}).quantized(0.125f, 0) : tensor(type.box, {anchors, 4});
            c.input(unit, distinct(0, 1.0 / 64));
            c.input(deltas, reals(-0.5, 0.5));
            c.input(corners, boxes(anchors, 32));
            c.input(box_tensor(type.box, {map[0], 2}), listed({32, 40}));
            c.real(8, type.value);
            c.real(8, type.value);
            c.int32(most > 0 ? 6 : -1);
            c.int32(most);
            c.real(0.5, type.value);
            c.real(2, type.value);
            c.boolean(nchw);
            c.output(unit);
            c.output(box_tensor(type.box, {}));
            c.output(tensor(kInt32, {}));
          });
        }
      }
    }
  }
}

void add_postprocessing(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const bool regular : {false, true}) {
      for (const bool background : {false, true}) {
        for (const uint32_t anchors : {3, 8, 17}) {
          const auto group = std::string(regular ? "regular" : "fast") + (background ? "_with_background" : "");
          rows.add(ANEURALNETWORKS_DETECTION_POSTPROCESSING, type, group, std::to_string(anchors) + "_anchors", [=](Draft& c) {
            std::vector<double> centres;
            for (uint32_t i = 0; i < anchors; ++i) {
              centres.insert(centres.end(), {(i % 4) * 0.25, (i % 3) * 0.25, 0.5 + (i % 2) * 0.25, 0.5});
            }
            c.input(tensor(type, {2, anchors, 4}), distinct(0, 1.0 / 256));
            c.input(tensor(type, {2, anchors, 4}), reals(-1, 1));
            c.input(tensor(type, {anchors, 4}), listed(centres));
            for (const double scale : {10.0, 10.0, 5.0, 5.0}) c.real(scale, type);
            c.boolean(regular);
            for (const int32_t most : {4, 2, 3}) c.int32(most);
            c.real(0.03125, type);
            c.real(0.5, type);
            c.boolean(background);
            c.output(tensor(type, {}));
            c.output(tensor(type, {}));
            c.output(tensor(kInt32, {}));
            c.output(tensor(kInt32, {}));
          });
        }
      }
    }
  }
}

void add_keypoints(Rows& rows) {
  for (const auto& types : kTypes) {
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

void add_projections(Rows& rows) {
  for (const int32_t hash : {kFloat32, kFloat16}) {
    for (const int32_t input : {kFloat32, kInt32, kQuant8, kFloat16}) {
      for (const int32_t kind : {1, 2, 3}) {
        for (const auto& [hashes, bits] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {4, 3}, {3, 17}, {2, 30}}) {
          const auto label = type_label(hash) + "_of_" + type_label(input);
          const auto name = std::to_string(hashes) + "x" + std::to_string(bits);
          const char* const groups[] = {"", "sparse_deprecated", "dense", "sparse"};
          rows.add(ANEURALNETWORKS_LSH_PROJECTION, label, groups[kind], name, [=](Draft& c) {
            c.input(tensor(hash, {hashes, bits}));
            c.input(tensor(input, {5, 3}));
            if (kind == 2) {
              c.input(tensor(hash, {5}));
            } else {
              c.omitted(tensor(hash, {5}));
            }
            c.int32(kind);
            c.output(tensor(kInt32, {}));
          });
        }
      }
    }
  }
}

}  // namespace

void add_detection_rows(Rows& rows) {
  add_regions(rows);
  add_transforms(rows);
  add_non_maximum_suppression(rows);
  add_proposals(rows);
  add_postprocessing(rows);
  add_keypoints(rows);
  add_projections(rows);
}

}  // namespace nnvk::tools::conformance
