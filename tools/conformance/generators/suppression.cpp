// BOX_WITH_NMS_LIMIT, DETECTION_POSTPROCESSING, GENERATE_PROPOSALS.
#include "tools/conformance/generators/detection_operands.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

void add_non_maximum_suppression(Rows& rows) {
  for (const auto& types : detection_types()) {
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
  for (const auto& type : detection_types()) {
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

}  // namespace

void add_suppression_rows(Rows& rows) {
  add_non_maximum_suppression(rows);
  add_proposals(rows);
  add_postprocessing(rows);
}

}  // namespace nnvk::tools::conformance
