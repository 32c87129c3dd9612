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

}  // namespace

void add_detection_rows(Rows& rows) {
  add_transforms(rows);
  add_keypoints(rows);
}

}  // namespace nnvk::tools::conformance
