// ROI_ALIGN, ROI_POOLING.
#include <algorithm>

#include "tools/conformance/generators/detection_operands.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

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

}  // namespace

void add_region_rows(Rows& rows) {
  for (const int32_t operation : {ANEURALNETWORKS_ROI_ALIGN, ANEURALNETWORKS_ROI_POOLING}) {
    for (const auto& types : detection_types()) {
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

}  // namespace nnvk::tools::conformance
