// BATCH_TO_SPACE_ND, CHANNEL_SHUFFLE, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND, SPACE_TO_DEPTH.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Image {
  int32_t type;
  Dims nhwc;
  bool nchw;

  Tensor as_tensor() const { return tensor(type, image_dims(nhwc, nchw)); }
};

// What all end with.
void declare_layout_and_output(Draft& c, const Image& image) {
  c.boolean(image.nchw);
  c.output(tensor(image.type, {}));
}

void depth_and_space(Draft& c, const Image& image, int32_t block) {
  c.input(image.as_tensor());
  c.int32(block);
  declare_layout_and_output(c, image);
}

void batch_to_space(Draft& c, const Image& image, const std::vector<int32_t>& block) {
  c.input(image.as_tensor());
  c.int32s(block);
  declare_layout_and_output(c, image);
}

void space_to_batch(Draft& c, const Image& image, const std::vector<int32_t>& block, std::vector<double> paddings) {
  c.input(image.as_tensor());
  c.int32s(block);
  c.constant(tensor(kInt32, {2, 2}), listed(std::move(paddings)));
  declare_layout_and_output(c, image);
}

void add_edges(Rows& rows, int32_t type) {
  for (const bool nchw : {false, true}) {
    const auto add = [&](int32_t operation, const std::string& name, std::function<void(Draft&)> build) {
      rows.edge(operation, type, name + (nchw ? "_nchw" : ""), std::move(build));
    };
    for (const uint32_t channels : {1, 4}) {
      const auto suffix = "_" + std::to_string(channels);
      add(ANEURALNETWORKS_BATCH_TO_SPACE_ND, "2x3" + suffix, [=](Draft& c) {
        batch_to_space(c, {type, {12, 3, 5, channels}, nchw}, {2, 3});
      });
      for (const auto& paddings : std::vector<std::vector<double>>{{0, 0, 0, 0}, {1, 1, 2, 3}, {3, 5, 0, 5}}) {
        add(ANEURALNETWORKS_SPACE_TO_BATCH_ND, "2x5_before_" + std::to_string(static_cast<int>(paddings[0])) + suffix,
            [=](Draft& c) {
              space_to_batch(c, {type, {2, 4, 10, channels}, nchw}, {2, 5}, paddings);
            });
      }
      add(ANEURALNETWORKS_DEPTH_TO_SPACE, "quads" + suffix, [=](Draft& c) {
        depth_and_space(c, {type, {2, 3, 5, 16 * channels}, nchw}, 2);
      });
      add(ANEURALNETWORKS_SPACE_TO_DEPTH, "quads" + suffix, [=](Draft& c) {
        depth_and_space(c, {type, {2, 4, 6, 4 * channels}, nchw}, 2);
      });
    }
  }
  for (int32_t axis = -4; axis < 4; ++axis) {
    rows.edge(ANEURALNETWORKS_CHANNEL_SHUFFLE, type, "axis_" + std::to_string(axis), [=](Draft& c) {
      c.input(tensor(type, {6, 12, 18, 6}));
      c.int32(3);
      c.int32(axis);
      c.output(tensor(type, {}));
    });
  }
}

}  // namespace

void add_space_depth_rows(Rows& rows) {
  for (const int32_t type : kFour) {
    add_edges(rows, type);
    for (const bool nchw : {false, true}) {
      const auto* const layout = nchw ? "nchw" : "nhwc";
      for (const int32_t block : {1, 2, 3}) {
        const auto b = static_cast<uint32_t>(block);
        for (const uint32_t channels : {1, 3, 5, 8}) {
          const auto name = "block_" + std::to_string(block) + "_channels_" + std::to_string(channels);
          rows.add(ANEURALNETWORKS_DEPTH_TO_SPACE, type, layout, name, [=](Draft& c) {
            depth_and_space(c, {type, {2, 3, 5, channels * b * b}, nchw}, block);
          });
          rows.add(ANEURALNETWORKS_SPACE_TO_DEPTH, type, layout, name, [=](Draft& c) {
            depth_and_space(c, {type, {2, 3 * b, 5 * b, channels}, nchw}, block);
          });
        }
      }
      for (const auto& block : std::vector<std::vector<int32_t>>{{1, 1}, {2, 2}, {2, 3}, {3, 1}}) {
        const auto blocks = static_cast<uint32_t>(block[0] * block[1]);
        const auto name = "block_" + std::to_string(block[0]) + "x" + std::to_string(block[1]);
        for (const uint32_t channels : {1, 3, 8}) {
          const auto suffix = "_channels_" + std::to_string(channels);
          rows.add(ANEURALNETWORKS_BATCH_TO_SPACE_ND, type, layout, name + suffix, [=](Draft& c) {
            batch_to_space(c, {type, {2 * blocks, 2, 3, channels}, nchw}, block);
          });
          const Dims even{2, 2 * static_cast<uint32_t>(block[0]), 3 * static_cast<uint32_t>(block[1]), channels};
          rows.add(ANEURALNETWORKS_SPACE_TO_BATCH_ND, type, layout, name + suffix, [=](Draft& c) {
            space_to_batch(c, {type, even, nchw}, block, {0, 0, 0, 0});
          });
          const double bottom = block[0] * 2 - 1;
          rows.add(ANEURALNETWORKS_SPACE_TO_BATCH_ND, type, layout, name + "_padded" + suffix, [=](Draft& c) {
            space_to_batch(c, {type, even, nchw}, block, {1, bottom, 0, static_cast<double>(block[1])});
          });
        }
      }
    }
    for (const auto& shape : std::vector<Dims>{{6}, {6, 5}, {2, 3, 6}, {2, 6, 3, 6}}) {
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] != 6) continue;
        for (const int32_t groups : {1, 2, 3, 6}) {
          for (const bool negative : {false, true}) {
            const auto given = static_cast<int32_t>(axis) - (negative ? static_cast<int32_t>(shape.size()) : 0);
            rows.add(ANEURALNETWORKS_CHANNEL_SHUFFLE, type, "axis",
                     dims_label(shape) + "_axis_" + std::to_string(given) + "_groups_" + std::to_string(groups), [=](Draft& c) {
                       c.input(tensor(type, shape));
                       c.int32(groups);
                       c.int32(given);
                       c.output(tensor(type, {}));
                     });
          }
        }
      }
    }
    for (const int32_t groups : {0, -1, 4}) {
      rows.add(ANEURALNETWORKS_CHANNEL_SHUFFLE, type, "refused", "groups_" + std::to_string(groups),
               [=](Draft& c) {
                 c.input(tensor(type, {2, 6}));
                 c.int32(groups);
                 c.int32(1);
                 c.output(tensor(type, {}));
               })
          .refused();
    }
    for (const int32_t block : {0, -1, 2}) {
      rows.add(ANEURALNETWORKS_DEPTH_TO_SPACE, type, "refused", "block_" + std::to_string(block),
               [=](Draft& c) {
                 depth_and_space(c, {type, {1, 3, 3, 3}, false}, block);
               })
          .refused();
      rows.add(ANEURALNETWORKS_SPACE_TO_DEPTH, type, "refused", "block_" + std::to_string(block),
               [=](Draft& c) {
                 depth_and_space(c, {type, {1, 3, 3, 3}, false}, block);
               })
          .refused();
    }
  }
}

}  // namespace nnvk::tools::conformance
