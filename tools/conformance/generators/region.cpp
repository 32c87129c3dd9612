// ROI_ALIGN, ROI_POOLING.
#include <algorithm>
#include <cmath>

#include "tools/conformance/generators/detection_operands.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Region {
  Dims image{3, 7, 11, 4};  // NHWC
  uint32_t regions = 9;
  Values boxes = any_boxes(11, 14);
  Values batches = stored(0, 2);
  int32_t out_height = 3;
  int32_t out_width = 2;
  double stride_y = 2;
  double stride_x = 1;
  int32_t samples_y = 0;
  int32_t samples_x = 2;
  bool nchw = false;
  Values values{};
};

void declare(Draft& c, int32_t operation, const DetectionTypes& types, const Region& p) {
  const Tensor image = tensor(types.value, image_dims(p.image, p.nchw));
  c.input(image, p.values);
  c.input(box_tensor(types.box, {p.regions, 4}), p.boxes);
  c.input(tensor(kInt32, {p.regions}), p.batches);
  c.int32(p.out_height);
  c.int32(p.out_width);
  c.real(p.stride_y, types.value);
  c.real(p.stride_x, types.value);
  if (operation == ANEURALNETWORKS_ROI_ALIGN) {
    c.int32(p.samples_y);
    c.int32(p.samples_x);
  }
  c.boolean(p.nchw);
  if (element_count(p.image) > 30000) c.tolerance(1e-4, 1e-4);
  c.output(operation == ANEURALNETWORKS_ROI_ALIGN ? tensor(types.value, {}).quantized(image.scale * 0.8f, image.zero_point)
                                                  : tensor(types.value, {}));
}

void add_edges(Rows& rows, int32_t operation) {
  for (const auto& types : detection_types()) {
    const auto add = [&](const std::string& name, const Region& p) {
      return &rows.edge(operation, types.label, name, [=](Draft& c) { declare(c, operation, types, p); });
    };
    for (const uint32_t channels : {1, 4, 5}) {
      for (const bool nchw : {false, true}) {
        add("channels_" + std::to_string(channels) + (nchw ? "_nchw" : ""), {.image = {3, 7, 11, channels}, .nchw = nchw});
      }
    }
    if (types.value == kFloat32 || types.value == kQuant8) {
      add("one_cell", {.out_height = 1, .out_width = 1, .samples_x = 0});
      add("many_cells", {.out_height = 20, .out_width = 30, .samples_x = 0});
      add("strides", {.boxes = any_boxes(77, 21), .stride_y = 3, .stride_x = 7, .samples_y = 3});
      add("one_region", {.image = {3, 7, 11, 3}, .regions = 1, .boxes = any_boxes(44, 14), .stride_x = 4});
    }
    for (const uint32_t channels : {1, 4}) {  // cells that take several dispatches; rows of one sample or cell cost the most
      if (types.value == kFloat16 || types.value == kQuant8) continue;
      const auto suffix = "_" + std::to_string(channels);
      add("large_cells" + suffix, {.image = {1, 330, 350, channels},
                                   .regions = 2,
                                   .boxes = listed({0, 0, 350, 330, 5, 6, 6, 200}),
                                   .batches = stored(0, 0),
                                   .out_height = 1,
                                   .out_width = 1,
                                   .stride_y = 1,
                                   .samples_x = 0});
      if (types.value != kFloat32) continue;
      add("narrow_cells" + suffix, {.image = {1, 40000, 1, channels},
                                    .regions = 1,
                                    .boxes = listed({0, 0, 1, 40000}),
                                    .batches = stored(0, 0),
                                    .out_height = 1,
                                    .out_width = 1,
                                    .stride_y = 1,
                                    .samples_y = 40000,
                                    .samples_x = 1,
                                    .values = each([](uint64_t i) { return static_cast<double>(i) * 1e-4; })});
    }
    if (types.value != kFloat32) continue;
    const auto one = [](std::vector<double> box, double batch) {
      return Region{.regions = 1, .boxes = listed(std::move(box)), .batches = listed({batch})};
    };
    add("whole_image", one({0, 0, 11, 14}, 2));
    const std::vector<std::vector<double>> misplaced{{-1, 0, 2, 2}, {0, 0, 12, 2}, {0, 0, 2, 15},
                                                     {3, 0, 2, 2},  {0, 3, 2, 2},  {0, kNan, 2, 2}};
    for (size_t i = 0; i < misplaced.size(); ++i) add("refused_box_" + std::to_string(i), one(misplaced[i], 0))->refused();
    for (const double batch : {3.0, -1.0, -2147483648.0})
      add("refused_image_" + std::to_string(static_cast<int64_t>(batch)), one({0, 0, 2, 2}, batch))->refused();
    add("nan_first", {.image = {1, 1, 4, 1},
                      .regions = 1,
                      .boxes = listed({0, 0, 3, 0}),
                      .batches = stored(0, 0),
                      .out_height = 1,
                      .stride_y = 1,
                      .values = listed({kNan, 5, 6, kNan})});
  }
  if (operation != ANEURALNETWORKS_ROI_ALIGN) return;
  for (const float scale : {0.001f, 1.0f / 255, 1e-30f}) {  // the multiplier must be below one
    rows.refused_edge(operation, kQuant8, "refused_scale_" + std::to_string(static_cast<int>(std::log10(scale) * 10)),
                      [=](Draft& c) {
                        c.input(tensor(kQuant8, {1, 2, 2, 1}).quantized(1, 0));
                        c.input(box_tensor(kQuant16Asymm, {1, 4}), listed({0, 0, 1, 1}));
                        c.input(tensor(kInt32, {1}), stored(0, 0));
                        for (int i = 0; i < 2; ++i) c.int32(1);
                        for (int i = 0; i < 2; ++i) c.real(1);
                        for (int i = 0; i < 2; ++i) c.int32(1);
                        c.boolean(false);
                        c.output(tensor(kQuant8, {}).quantized(scale, 0));
                      });
  }
}

}  // namespace

void add_region_rows(Rows& rows) {
  const auto on = [](const Dims& image, uint32_t regions) {  // the boxes are in the coordinates of an image 4 times as large
    return Region{.image = image,
                  .regions = regions,
                  .boxes = boxes(regions, 4 * std::min(image[1], image[2])),
                  .batches = listed(batch_indexes(regions, image[0])),
                  .out_height = 2,
                  .out_width = 3,
                  .stride_y = 4,
                  .stride_x = 4};
  };
  for (const int32_t operation : {ANEURALNETWORKS_ROI_ALIGN, ANEURALNETWORKS_ROI_POOLING}) {
    for (const auto& types : detection_types()) {
      const auto add = [&](const std::string& group, const std::string& name, const Region& p) {
        return &rows.add(operation, types.label, group, name, [=](Draft& c) { declare(c, operation, types, p); });
      };
      for (const auto& image : std::vector<Dims>{{1, 8, 8, 1}, {2, 7, 9, 3}, {1, 5, 5, 17}, {3, 4, 8, 4}}) {
        for (const bool nchw : {false, true}) {
          for (const int32_t samples : {0, 1, 3}) {
            if (operation == ANEURALNETWORKS_ROI_POOLING && samples != 0) continue;
            Region p = on(image, 5);
            p.samples_y = p.samples_x = samples;
            p.nchw = nchw;
            add(nchw ? "nchw" : "nhwc", dims_label(image) + "_samples_" + std::to_string(samples), p);
          }
        }
      }
      for (const int32_t size : {0, -1}) {
        Region p = on({1, 4, 4, 2}, 3);
        p.out_height = size;
        add("refused", "height_" + std::to_string(size), p)->refused();
      }
      for (const double batch : {-1.0, 2.0}) {
        Region p = on({2, 4, 4, 2}, 3);
        p.batches = listed({0, batch, 1});
        add("refused", "batch_" + std::to_string(static_cast<int>(batch)), p)->refused();
      }
    }
    add_edges(rows, operation);
  }
}

}  // namespace nnvk::tools::conformance
