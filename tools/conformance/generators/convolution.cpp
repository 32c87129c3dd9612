// CONV_2D and GROUPED_CONV_2D.
#include <cmath>

#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Convolution {
  ConvolutionTypes types{};
  Window window{};
  Dims image{};  // NHWC
  uint32_t channels = 5;
  uint32_t groups = 1;
  int32_t activation = 0;
  bool nchw = false;
  bool given_weights = false;
};

constexpr int32_t kConv = ANEURALNETWORKS_CONV_2D;
constexpr int32_t kGrouped = ANEURALNETWORKS_GROUPED_CONV_2D;

void declare(Draft& c, int32_t operation, const Convolution& p) {
  const Tensor input = tensor(p.types.input, image_dims(p.image, p.nchw));
  const Tensor filter =
      tensor(p.types.filter, {p.channels, p.window.filter_height, p.window.filter_width, p.image[3] / p.groups});
  const uint64_t products = element_count(filter.dims) / p.channels;
  declare_factors(c, input, filter, p.channels, p.given_weights);
  declare_padding_and_strides(c, p.window);
  if (operation == ANEURALNETWORKS_GROUPED_CONV_2D) c.int32(static_cast<int32_t>(p.groups));
  c.int32(p.activation);
  c.boolean(p.nchw);
  declare_dilations(c, p.window);
  declare_sum(c, input, filter, products);
}

// Adds another tensor to a convolution's result and applies an activation: devices may fuse all three operations.
void residual(Draft& c, int32_t type, uint32_t channels, bool nchw, bool convolved_first) {
  const Tensor image = tensor(type, image_dims({2, 5, 6, channels}, nchw));
  const uint32_t x = c.input(tensor(type, image_dims({2, 5, 6, 8}, nchw)), reals(-1, 1));
  const uint32_t other = c.input(image, reals(-1, 1));
  std::vector<uint32_t> inputs{x, c.constant(tensor(type, {channels, 1, 1, 8}), reals(-1, 1)),
                               c.constant(tensor(type, {channels}))};
  for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) inputs.push_back(c.int32(value));
  inputs.push_back(c.boolean(nchw));
  const uint32_t relu = c.int32(ANEURALNETWORKS_FUSED_RELU);
  const uint32_t convolved = c.temporary(image);
  const uint32_t sum = c.output(image);
  c.operation(ANEURALNETWORKS_CONV_2D, inputs, {convolved});
  const auto added = convolved_first ? std::vector{convolved, other, relu} : std::vector{other, convolved, relu};
  c.operation(ANEURALNETWORKS_ADD, added, {sum});
  if (type == kFloat16) c.tolerance(1e-2, 1e-2);  // one rounding less
}

// Declares products and sums that exceed the largest number, with equal signs within a channel. In any order of additions the
// result is then the activation's limit (docs/nnapi/numerics.md), also at the image's border. Other channels stay small.
void beyond_floats(Draft& c, int32_t type) {
  const double huge = type == kFloat16 ? 6e4 : 3e38;
  c.input(tensor(type, {1, 3, 3, 5}), listed({huge, 0.5 * huge, huge, huge, 0.25 * huge}));
  c.constant(tensor(type, {6, 3, 3, 5}), each([=](uint64_t i) {
               const uint64_t channel = i / 45;
               return channel % 3 == 0 ? 1.5 : channel % 3 == 1 ? -2.0 : 1e-3 / huge * (type == kFloat16 ? 1e2 : 1.0);
             }));
  c.constant(tensor(type, {6}), listed({1, -1, 0.5, 3, -3, 2}));
  for (const int32_t value : {1, 1, 1, 0}) c.int32(value);
  c.output(tensor(type, {}));
}

// Declares a PAD before a convolution. Only its padding of height and width can become padding of the convolution.
void padded(Draft& c, uint32_t more_channels) {
  const uint32_t x = c.input(tensor(kFloat32, {1, 4, 4, 3}));
  const double more = more_channels;
  const uint32_t paddings = c.constant(tensor(kInt32, {4, 2}), listed({0, 0, 1, 0, 1, 1, 0, more}));
  std::vector<uint32_t> inputs{c.temporary(tensor(kFloat32, {1, 5, 6, 3 + more_channels}))};
  c.operation(ANEURALNETWORKS_PAD, {x, paddings}, {inputs[0]});
  inputs.push_back(c.constant(tensor(kFloat32, {5, 2, 3, 3 + more_channels})));
  inputs.push_back(c.constant(tensor(kFloat32, {5})));
  for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) inputs.push_back(c.int32(value));
  const uint32_t y = c.output(tensor(kFloat32, {}));
  c.operation(ANEURALNETWORKS_CONV_2D, inputs, {y});
  c.tolerance(1e-4, 1e-5);
}

// Declares extreme bytes. A float just holds the sums of 256 channels exactly. Sums of 1100 channels exceed 2^26, where floats
// have steps of 8 and would be rounded a thousand times. The bias brings sums back to where a step of the output is `step`.
void exact_sums(Draft& c, uint32_t channels, float step) {
  const auto x = [channels](uint64_t i) { return i % channels % 3 == 0 ? 254.0 : 255.0; };
  const auto w = [channels](uint64_t i) { return i % channels % 7 == 0 ? 253.0 : 255.0; };
  double sum = 0;
  for (uint64_t k = 0; k < channels; ++k) sum += x(k) * w(k);
  c.input(tensor(kQuant8, {1, 2, 3, channels}).quantized(0.5f, 0), each_stored(x));
  c.constant(tensor(kQuant8, {5, 1, 1, channels}).quantized(0.5f, 0), each_stored(w));
  c.constant(tensor(kInt32, {5}).quantized(0.25f, 0),
             each_stored([sum](uint64_t i) { return 3 * static_cast<double>(i) - sum; }));
  for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) c.int32(value);
  c.output(tensor(kQuant8, {}).quantized(0.25f * step, 128));
}

// Declares products that exceed the largest half and cancel.
void beyond_halves(Draft& c, int32_t type) {
  c.input(tensor(type, {1, 1, 2, 4}), listed({600, 500, 400, 8, 1, 2, 3, 4}));
  c.constant(tensor(type, {4, 1, 1, 4}), listed({400, -480, 1, 1, 1, 1, 1, 1, 300, 300, 300, 0, -300, 0, 450, 0}));
  c.constant(tensor(type, {4}), listed({0, 1, 2, 3}));
  for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) c.int32(value);
  c.output(tensor(type, {}));
  c.relax();
}

void beyond_32_bits(Draft& c, float scale) {
  c.input(tensor(kQuant8Signed, {1, 3, 3, 8}).quantized(4, -100));
  c.constant(tensor(kQuant8Signed, {8, 1, 1, 8}).quantized(4, 100));
  c.constant(tensor(kInt32, {8}).quantized(16, 0), stored(-1000000, 1000000));
  for (const int32_t value : {0, 0, 0, 0, 1, 1, 0}) c.int32(value);
  c.output(tensor(kQuant8Signed, {}).quantized(scale, 120));
}

// Adds sums that a device splits over several dispatches to limit their time. Parts end within a filter cell and within a row.
void add_long_sums(Rows& rows) {
  const Window plain{.paddings = {0, 0, 0, 0}, .filter_width = 3};
  for (const auto& types : convolution_types()) {
    if (types.filter == kQuant8Channel) continue;
    const auto add = [&](int32_t operation, const std::string& name, Convolution p) {
      p.types = types;
      rows.edge(operation, types.label, name, [=](Draft& c) { declare(c, operation, p); });
    };
    if (types.input == kFloat32 || types.input == kQuant8) {
      add(kConv, "large_filter", {.window = square_window(179), .image = {1, 180, 180, 1}, .channels = 3});
      Window low = plain;
      low.filter_height = 2;
      add(kConv, "many_planes", {.window = low, .image = {1, 3, 3, 31020}, .nchw = true});
    } else {
      Window padded = square_window(179);
      padded.paddings = {1, 0, 1, 0};
      padded.filter_height = 181;
      add(kConv, "large_padded_filter", {.window = padded, .image = {1, 180, 180, 1}, .channels = 3});
    }
    if (types.input == kFloat16 || types.input == kQuant8) continue;
    add(kConv, "many_channels", {.window = plain, .image = {1, 3, 3, 31020}});
    add(kGrouped, "many_channels", {.window = square_window(2), .image = {1, 2, 2, 2 * 18003}, .channels = 6, .groups = 2});
  }
}

// Adds cases with several tiles of pixels, channels and input channels per work group, both full and incomplete tiles.
void add_tiles(Rows& rows) {
  const Window pointwise{.paddings = {0, 0, 0, 0}, .filter_width = 1, .filter_height = 1};
  Window around = square_window(3);
  around.paddings = {1, 1, 1, 1};
  for (const auto& types : convolution_types()) {
    const auto add = [&](int32_t operation, const std::string& name, Convolution p) {
      p.types = types;
      rows.edge(operation, types.label, "tiles_" + name, [=](Draft& c) { declare(c, operation, p); });
    };
    for (const uint32_t in : {19, 20}) {
      add(kConv, "around_" + std::to_string(in), {.window = around, .image = {1, 9, 9, in}, .channels = 128});
      add(kConv, "inside_" + std::to_string(in), {.window = square_window(3), .image = {1, 10, 10, in}, .channels = 70});
    }
    add(kConv, "pointwise", {.window = pointwise, .image = {1, 8, 8, 36}, .channels = 64});
    add(kConv, "pointwise_nchw", {.window = pointwise, .image = {1, 8, 9, 36}, .channels = 65, .nchw = true});
    add(kGrouped, "groups", {.window = around, .image = {1, 9, 8, 40}, .channels = 128, .groups = 2});
    add(kGrouped, "groups_pointwise", {.window = pointwise, .image = {1, 8, 8, 40}, .channels = 140, .groups = 2});
  }
  for (const int32_t type : kFloats) {
    rows.edge(kConv, type, "tiles_residual", [=](Draft& c) { residual(c, type, 64, false, true); });
  }
}

void add_edges(Rows& rows) {
  const Window pointwise{.paddings = {0, 0, 0, 0}, .filter_width = 1, .filter_height = 1};
  Window around = square_window(3);
  around.paddings = {1, 1, 1, 1};
  around.stride_width = around.stride_height = 2;
  Window uneven{.paddings = {2, 3, 4, 3}, .dilation = 3, .dilation_height = 2};
  Window beyond = square_window(5);
  beyond.paddings = {2, 2, 2, 2};
  Window far = square_window(2);  // only its first row and column touch padding
  far.paddings = {1, 0, 1, 0};
  far.stride_width = far.stride_height = 3;
  Window wide = square_window(3);  // the first and last columns of its filter read only padding
  wide.paddings = {7, 7, 2, 2};
  wide.dilation = 7;
  wide.dilation_height = 2;
  Window tall{.paddings = {0, 1, 1, 0}, .stride_height = 2};
  for (const auto& types : convolution_types()) {
    const auto add = [&](int32_t operation, const std::string& name, Convolution p) {
      p.types = types;
      rows.edge(operation, types.label, name, [=](Draft& c) { declare(c, operation, p); });
    };
    for (const uint32_t width : {1, 3, 8, 33}) {
      for (const uint32_t channels : {4, 12, 40}) {
        add(kConv, "pointwise_" + std::to_string(width) + "_" + std::to_string(channels),
            {.window = pointwise, .image = {1, 8, width, 16}, .channels = channels});
      }
    }
    for (const uint32_t in : {1, 7, 17}) {
      for (const uint32_t out : {2, 21}) {
        add(kConv, "odd_" + std::to_string(in) + "_to_" + std::to_string(out),
            {.window = square_window(3), .image = {2, 5, 5, in}, .channels = out});
      }
    }
    add(kConv, "around_stride_2", {.window = around, .image = {2, 7, 9, 8}, .channels = 16});
    add(kConv, "far_windows", {.window = far, .image = {1, 6, 6, 4}, .channels = 4});
    add(kConv, "unequal_dilations", {.window = uneven, .image = {1, 11, 13, 4}, .channels = 8});
    add(kConv, "dilations_beyond_the_image", {.window = wide, .image = {2, 5, 6, 8}, .channels = 6});
    add(kConv, "dilations_beyond_the_image_nchw", {.window = wide, .image = {2, 5, 6, 3}, .channels = 4, .nchw = true});
    add(kConv, "window_beyond_the_image", {.window = beyond, .image = {1, 1, 1, 4}, .channels = 4});
    add(kConv, "several_planes", {.window = pointwise, .image = {3, 5, 5, 8}, .channels = 12, .nchw = true});
    add(kConv, "no_batches", {.window = pointwise, .image = {0, 5, 5, 8}, .channels = 8});
    for (const uint32_t in : {5, 8}) {
      add(kConv, "given_weights_" + std::to_string(in),
          {.window = square_window(2), .image = {1, 5, 5, in}, .channels = in + 4, .given_weights = true});
      add(kGrouped, "given_weights_" + std::to_string(in),
          {.window = square_window(2),
           .image = {1, 5, 5, in},
           .channels = 2 * in,
           .groups = in == 5 ? 5U : 2U,
           .given_weights = true});
    }
    struct Groups {
      uint32_t groups, in, out;
    };
    // Numbers of channels per group: whole vectors, odd numbers, one input, one output, more than a tile.
    for (const auto& g : {Groups{2, 8, 16}, {3, 12, 12}, {2, 6, 10}, {4, 4, 4}, {3, 3, 9}, {5, 10, 5}, {2, 8, 26}, {1, 5, 6}}) {
      for (const bool nchw : {false, true}) {
        add(kGrouped,
            std::to_string(g.groups) + "_of_" + std::to_string(g.in) + "_to_" + std::to_string(g.out) + (nchw ? "_nchw" : ""),
            {.window = tall, .image = {2, 5, 4, g.in}, .channels = g.out, .groups = g.groups, .nchw = nchw});
      }
    }
    for (int32_t activation = 0; activation < 4; ++activation) {
      add(kGrouped, "pointwise_activation_" + std::to_string(activation),
          {.window = pointwise, .image = {1, 7, 9, 16}, .channels = 24, .groups = 4, .activation = activation});
    }
  }
  for (const int32_t type : kFloats) {
    for (const uint32_t channels : {8, 5}) {
      for (const bool nchw : {false, true}) {
        for (const bool first : {false, true}) {
          rows.edge(kConv, type, "residual_" + std::to_string(channels) + (nchw ? "_nchw" : "") + (first ? "_first" : ""),
                    [=](Draft& c) { residual(c, type, channels, nchw, first); });
        }
      }
    }
  }
  // Devices may compute these in halves: channels fill vectors of four and eight; some values exceed the range of halves.
  for (const uint32_t in : {4, 12, 24}) {
    for (const bool padding : {false, true}) {
      for (const uint32_t groups : {1, 2}) {
        const Convolution p{
            .window = padding ? around : pointwise, .image = {2, 7, 9, in * groups}, .channels = 10 * groups, .groups = groups};
        const auto name = "relaxed_" + std::to_string(in) + (padding ? "_padded_" : "_") + std::to_string(groups);
        rows.edge(kGrouped, kFloat32, name, [=](Draft& c) {
          declare(c, kGrouped, p);
          c.relax();
        });
      }
    }
  }
  for (const int32_t type : kFloats) {
    rows.edge(kConv, type, "beyond_floats", [=](Draft& c) { beyond_floats(c, type); }).same_for_all_seeds("it is listed");
    rows.edge(kConv, type, "beyond_halves", [=](Draft& c) { beyond_halves(c, type); }).same_for_all_seeds("it is listed");
  }
  for (const uint32_t more_channels : {0, 1}) {
    rows.edge(kConv, kFloat32, "padded_" + std::to_string(more_channels), [=](Draft& c) { padded(c, more_channels); });
  }
  rows.edge(kConv, kQuant8, "exact_sums", [](Draft& c) { exact_sums(c, 1100, 8); });
  for (const uint32_t channels : {256, 257, 260}) {
    rows.edge(kConv, kQuant8, "exact_sums_" + std::to_string(channels), [=](Draft& c) { exact_sums(c, channels, 1); });
  }
  for (const float scale : {1e-7f, 1e-12f, 1e-30f}) {
    auto& row = rows.edge(kConv, kQuant8Signed, "beyond_32_bits_" + std::to_string(static_cast<int>(-std::log10(scale))),
                          [=](Draft& c) { beyond_32_bits(c, scale); });
    if (scale < 1e-7f) row.same_for_all_seeds("every result saturates");
  }
  add_long_sums(rows);
  add_tiles(rows);
}

}  // namespace

void add_convolution_rows(Rows& rows) {
  for (const auto& types : convolution_types()) {
    const auto add = [&](int32_t operation, const std::string& group, const std::string& name, Convolution p) {
      p.types = types;
      rows.add(operation, types.label, group, name, [=](Draft& c) { declare(c, operation, p); });
    };
    for (const auto& window : windows(true)) {
      for (const auto& image : image_shapes()) {
        for (const bool nchw : {false, true}) {
          add(kConv, nchw ? "nchw" : "nhwc", window.name + "_" + dims_label(image),
              {.window = window, .image = image, .nchw = nchw});
        }
      }
    }
    for (const uint32_t channels : {1, 3, 4, 7, 8, 16, 17, 31, 64, 65}) {
      for (const uint32_t input_channels : {1, 4, 31}) {
        add(kConv, "channels", std::to_string(input_channels) + "_to_" + std::to_string(channels),
            {.window = windows(false)[4], .image = {1, 3, 3, input_channels}, .channels = channels});
      }
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      add(kConv, "activation", std::to_string(activation),
          {.window = windows(false)[0], .image = {1, 5, 7, 3}, .activation = activation});
    }
    for (const auto& window : windows(false)) {
      for (const uint32_t groups : {1, 2, 3}) {
        for (const bool nchw : {false, true}) {
          add(kGrouped, nchw ? "nchw" : "nhwc", window.name + "_groups_" + std::to_string(groups),
              {.window = window, .image = {1, 5, 7, 2 * groups}, .channels = 3 * groups, .groups = groups, .nchw = nchw});
        }
      }
    }
  }
  rows.refused(kGrouped, kFloat32, "groups_that_do_not_divide", [=](Draft& c) {
    declare(c, kGrouped, {.window = windows(false)[0], .image = {1, 4, 4, 4}, .channels = 5, .groups = 2});
  });
  for (const int32_t stride : {0, -1}) {
    Window window = windows(false)[0];
    window.stride_width = stride;
    rows.refused(kConv, kFloat32, "stride_" + std::to_string(stride), [=](Draft& c) {
      declare(c, kConv, {.window = window, .image = {1, 4, 4, 2}});
    });
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
