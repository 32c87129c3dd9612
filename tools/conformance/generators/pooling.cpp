// AVERAGE_POOL_2D, L2_POOL_2D, MAX_POOL_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

// Declares the operands after the input: the scalars `numbers` (padding, strides, window and activation), layout and output.
void declare_numbers(Draft& c, const std::vector<int32_t>& numbers, const Tensor& output) {
  for (const int32_t number : numbers) c.int32(number);
  c.boolean(false);
  c.output(output);
}

void declare(Draft& c, const Tensor& input, const Window& window, int32_t activation, bool nchw) {
  // Values rise to the last cell, so that a maximum that misses the end of a window is wrong.
  const auto count = element_count(input.dims);
  const Values rising = each([=](uint64_t i) { return 4 * static_cast<double>(i) / static_cast<double>(count) - 2; });
  c.input(input, count > 30000 ? rising : Values{});
  declare_padding_and_strides(c, window);
  c.int32(static_cast<int32_t>(window.filter_width));
  c.int32(static_cast<int32_t>(window.filter_height));
  c.int32(activation);
  c.boolean(nchw);
  c.output(input);
}

void add_edges(Rows& rows) {
  for (const int32_t operation : {ANEURALNETWORKS_AVERAGE_POOL_2D, ANEURALNETWORKS_L2_POOL_2D, ANEURALNETWORKS_MAX_POOL_2D}) {
    for (const int32_t type : operation == ANEURALNETWORKS_L2_POOL_2D ? kFloats : kFour) {
      const auto add = [&](const std::string& name, const Dims& image, const Window& window, bool nchw) {
        rows.edge(operation, type, name, [=](Draft& c) {
          // The device may add long sums in an order that differs from the reference's.
          if (element_count(image) > 30000) c.tolerance(type == kFloat16 ? 5.0 / 1024 : 1e-4, 1e-4);
          declare(c, tensor(type, image_dims(image, nchw)), window, 0, nchw);
        });
      };
      for (const uint32_t channels : {1, 3, 4, 12}) {
        const auto name = std::to_string(channels) + "_channels";
        add(name, {2, 7, 9, channels}, {.implicit_padding = 1, .stride_width = 2, .filter_width = 3, .filter_height = 2}, false);
        add(name + "_nchw", {2, 7, 9, channels}, {.implicit_padding = 1, .stride_height = 2, .filter_width = 3}, true);
        const auto suffix = "_" + std::to_string(channels);
        add("whole_strides" + suffix, {1, 8, 11, channels},
            {.implicit_padding = 1, .stride_width = 11, .stride_height = 8, .filter_width = 50, .filter_height = 40}, false);
        add("uneven_padding" + suffix, {1, 8, 11, channels},
            {.paddings = {2, 1, 0, 3}, .stride_height = 2, .filter_width = 4, .filter_height = 5}, false);
        if (channels != 3 && channels != 4) continue;
        // Windows too large for one invocation in one dispatch. The image's border clips them, so some parts are empty.
        add("many_cells" + suffix, {1, 140, 150, channels},
            {.implicit_padding = 1, .stride_width = 70, .stride_height = 70, .filter_width = 149, .filter_height = 139}, false);
        add("many_cells_of_planes" + suffix, {1, 140, 150, channels},
            {.implicit_padding = 2, .filter_width = 149, .filter_height = 140}, true);
      }
      for (const uint32_t channels : {1, 3, 4, 12}) {  // few long windows; a work group shares their cells
        for (const bool nchw : {false, true}) {
          add("plane_" + std::to_string(channels) + (nchw ? "_nchw" : ""), {2, 13, 15, channels},
              {.implicit_padding = 2, .filter_width = 15, .filter_height = 13}, nchw);
          add("clipped_plane_" + std::to_string(channels) + (nchw ? "_nchw" : ""), {2, 13, 15, channels},
              {.paddings = {7, 7, 6, 6}, .stride_width = 7, .stride_height = 5, .filter_width = 15, .filter_height = 13}, nchw);
        }
      }
      add("whole_image", {1, 7, 7, 1280}, {.implicit_padding = 2, .filter_width = 7, .filter_height = 7}, false);
      if (type == kFloat16 || type == kQuant8Signed) continue;
      // Rows of one cell need the most loop iterations per cell.
      for (const uint32_t height : {16384, 50000}) {
        for (const uint32_t channels : {1, 4}) {
          add("narrow_" + std::to_string(height) + "_" + std::to_string(channels), {1, height + 1, 2, channels},
              {.implicit_padding = 2, .filter_width = 1, .filter_height = height}, false);
        }
      }
    }
    rows.edge(operation, kFloat32, "odd_values", [=](Draft& c) {
      c.input(tensor(kFloat32, {1, 1, 12, 1}), listed({1, kNan, 3, kNan, kNan, kNan, -kInfinity, kInfinity, 2, 5, kNan, -1}));
      declare_numbers(c, {2, 2, 1, 2, 1, 0}, tensor(kFloat32, {}));
    });
  }
  for (const int32_t type : kBytes) {
    rows.edge(ANEURALNETWORKS_AVERAGE_POOL_2D, type, "halves", [=](Draft& c) {
      c.input(tensor(type, {1, 1, 8, 1}).quantized(1, 0),
              each_stored([](uint64_t i) { return std::vector<double>{1, 2, -1, -2, 127, 126, -128, -127}[i]; }));
      declare_numbers(c, {2, 2, 1, 2, 1, 0}, tensor(type, {}).quantized(1, 0));
    });
    // More than 2^23 cells, so that sums do not fit in 32 bits. The averages are exactly one half, or next to it.
    for (const int32_t bias : {-1, 0, 1}) {
      rows.edge(ANEURALNETWORKS_AVERAGE_POOL_2D, type, "huge_window_" + std::to_string(bias + 1), [=](Draft& c) {
        const double low = type == kQuant8 ? 254 : -100;
        constexpr int32_t kHalf = 4200 * 2050 / 2;
        const double high = kHalf + bias;
        c.input(tensor(type, {1, 4200, 2050, 1}).quantized(1, 0),
                each_stored([=](uint64_t i) { return static_cast<double>(i) < high ? low + 1 : low; }));
        declare_numbers(c, {2, 1, 1, 2050, 4200, 0}, tensor(type, {}).quantized(1, 0));
      });
    }
  }
}

}  // namespace

void add_pooling_rows(Rows& rows) {
  for (const int32_t operation : {ANEURALNETWORKS_AVERAGE_POOL_2D, ANEURALNETWORKS_L2_POOL_2D, ANEURALNETWORKS_MAX_POOL_2D}) {
    for (const int32_t type : operation == ANEURALNETWORKS_L2_POOL_2D ? kFloats : kFour) {
      for (const auto& window : windows(false)) {
        for (const auto& shape : image_shapes()) {
          for (const bool nchw : {false, true}) {
            const auto dims = image_dims(shape, nchw);
            rows.add(operation, type, nchw ? "nchw" : "nhwc", window.name + "_" + dims_label(dims),
                     [=](Draft& c) { declare(c, tensor(type, dims), window, 0, nchw); });
          }
        }
      }
      for (int32_t activation = 1; activation <= 3; ++activation) {
        rows.add(operation, type, "activation", std::to_string(activation), [=](Draft& c) {
          declare(c, tensor(type, {1, 5, 7, 3}), windows(false)[0], activation, false);
        });
      }
      rows.add(operation, type, "empty", "no_batches", [=](Draft& c) {
        c.empty(tensor(type, {0, 3, 3, 2}));
        declare_numbers(c, {2, 1, 1, 2, 2, 0}, tensor(type, {}));
      });
    }
    rows.refused(operation, kFloat32, "filter_larger_than_the_image", [=](Draft& c) {
      declare(c, tensor(kFloat32, {1, 2, 2, 1}), {.implicit_padding = 2, .filter_width = 4}, 0, false);
    });
    rows.refused(operation, kFloat32, "stride_0", [=](Draft& c) {
      declare(c, tensor(kFloat32, {1, 4, 4, 1}), {.implicit_padding = 1, .stride_width = 0}, 0, false);
    });
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
