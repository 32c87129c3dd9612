// BATCH_TO_SPACE_ND, CHANNEL_SHUFFLE, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND, SPACE_TO_DEPTH.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Rearranged {
  Dims nhwc;
  std::vector<int32_t> block;  // one number for depth and space, height and width for batch and space
  std::vector<double> paddings{0, 0, 0, 0};
  bool nchw = false;
};

void declare(Draft& c, int32_t operation, int32_t type, const Rearranged& p) {
  c.input(tensor(type, image_dims(p.nhwc, p.nchw)));
  if (p.block.size() == 1) {
    c.int32(p.block[0]);
  } else {
    c.int32s(p.block);
  }
  if (operation == ANEURALNETWORKS_SPACE_TO_BATCH_ND) c.constant(tensor(kInt32, {2, 2}), listed(p.paddings));
  c.boolean(p.nchw);
  c.output(tensor(type, {}));
}

void shuffle(Draft& c, int32_t type, const Dims& shape, int32_t groups, int32_t axis) {
  c.input(tensor(type, shape));
  c.int32(groups);
  c.int32(axis);
  c.output(tensor(type, {}));
}

void add_edges(Rows& rows, int32_t type) {
  for (const bool nchw : {false, true}) {
    const auto add = [&](int32_t operation, const std::string& name, Rearranged p) {
      p.nchw = nchw;
      rows.edge(operation, type, name + (nchw ? "_nchw" : ""), [=](Draft& c) { declare(c, operation, type, p); });
    };
    for (const uint32_t channels : {1, 4}) {
      const auto suffix = "_" + std::to_string(channels);
      add(ANEURALNETWORKS_BATCH_TO_SPACE_ND, "2x3" + suffix, {{12, 3, 5, channels}, {2, 3}});
      for (const auto& paddings : std::vector<std::vector<double>>{{0, 0, 0, 0}, {1, 1, 2, 3}, {3, 5, 0, 5}}) {
        add(ANEURALNETWORKS_SPACE_TO_BATCH_ND, "2x5_before_" + std::to_string(static_cast<int>(paddings[0])) + suffix,
            {{2, 4, 10, channels}, {2, 5}, paddings});
      }
      add(ANEURALNETWORKS_DEPTH_TO_SPACE, "quads" + suffix, {{2, 3, 5, 16 * channels}, {2}});
      add(ANEURALNETWORKS_SPACE_TO_DEPTH, "quads" + suffix, {{2, 4, 6, 4 * channels}, {2}});
    }
  }
  for (int32_t axis = -4; axis < 4; ++axis) {
    rows.edge(ANEURALNETWORKS_CHANNEL_SHUFFLE, type, "axis_" + std::to_string(axis), [=](Draft& c) {
      shuffle(c, type, {6, 12, 18, 6}, 3, axis);
    });
  }
}

}  // namespace

void add_space_depth_rows(Rows& rows) {
  for (const int32_t type : kFour) {
    add_edges(rows, type);
    for (const bool nchw : {false, true}) {
      const auto add = [&](int32_t operation, const std::string& name, Rearranged p) {
        p.nchw = nchw;
        rows.add(operation, type, nchw ? "nchw" : "nhwc", name, [=](Draft& c) { declare(c, operation, type, p); });
      };
      for (const int32_t block : {1, 2, 3}) {
        const auto b = static_cast<uint32_t>(block);
        for (const uint32_t channels : {1, 3, 5, 8}) {
          const auto name = "block_" + std::to_string(block) + "_channels_" + std::to_string(channels);
          add(ANEURALNETWORKS_DEPTH_TO_SPACE, name, {{2, 3, 5, channels * b * b}, {block}});
          add(ANEURALNETWORKS_SPACE_TO_DEPTH, name, {{2, 3 * b, 5 * b, channels}, {block}});
        }
      }
      for (const auto& block : std::vector<std::vector<int32_t>>{{1, 1}, {2, 2}, {2, 3}, {3, 1}}) {
        const auto blocks = static_cast<uint32_t>(block[0] * block[1]);
        const auto name = "block_" + std::to_string(block[0]) + "x" + std::to_string(block[1]);
        for (const uint32_t channels : {1, 3, 8}) {
          const auto suffix = "_channels_" + std::to_string(channels);
          add(ANEURALNETWORKS_BATCH_TO_SPACE_ND, name + suffix, {{2 * blocks, 2, 3, channels}, block});
          const Dims even{2, 2 * static_cast<uint32_t>(block[0]), 3 * static_cast<uint32_t>(block[1]), channels};
          add(ANEURALNETWORKS_SPACE_TO_BATCH_ND, name + suffix, {even, block});
          const double bottom = block[0] * 2 - 1;
          add(ANEURALNETWORKS_SPACE_TO_BATCH_ND, name + "_padded" + suffix,
              {even, block, {1, bottom, 0, static_cast<double>(block[1])}});
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
                     dims_label(shape) + "_axis_" + std::to_string(given) + "_groups_" + std::to_string(groups),
                     [=](Draft& c) { shuffle(c, type, shape, groups, given); });
          }
        }
      }
    }
    for (const int32_t groups : {0, -1, 4}) {
      rows.refused(ANEURALNETWORKS_CHANNEL_SHUFFLE, type, "groups_" + std::to_string(groups), [=](Draft& c) {
        shuffle(c, type, {2, 6}, groups, 1);
      });
    }
    for (const int32_t block : {0, -1, 2}) {
      for (const int32_t operation : {ANEURALNETWORKS_DEPTH_TO_SPACE, ANEURALNETWORKS_SPACE_TO_DEPTH}) {
        rows.refused(operation, type, "block_" + std::to_string(block), [=](Draft& c) {
          declare(c, operation, type, {{1, 3, 3, 3}, {block}});
        });
      }
    }
  }
}

}  // namespace nnvk::tools::conformance
