// DEPTHWISE_CONV_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Depthwise {
  ConvolutionTypes types{};
  Window window{};
  Dims image{};  // NHWC
  uint32_t multiplier = 1;
  int32_t activation = 0;
  bool nchw = false;
  bool given_weights = false;
};

void declare(Draft& c, const Depthwise& p) {
  const uint32_t channels = p.image[3] * p.multiplier;
  const Tensor input = tensor(p.types.input, image_dims(p.image, p.nchw));
  Tensor filter = tensor(p.types.filter, {1, p.window.filter_height, p.window.filter_width, channels});
  if (p.types.filter == kQuant8Channel) filter = filter.per_channel(3, 1.0f / 64);
  const uint64_t products = uint64_t{p.window.filter_height} * p.window.filter_width;
  declare_factors(c, input, filter, channels, p.given_weights);
  declare_padding_and_strides(c, p.window);
  c.int32(static_cast<int32_t>(p.multiplier));
  c.int32(p.activation);
  c.boolean(p.nchw);
  declare_dilations(c, p.window);
  declare_sum(c, input, filter, products);
}

void add_edges(Rows& rows) {
  for (const auto& types : convolution_types()) {
    const auto add = [&](const std::string& name, Depthwise p) {
      p.types = types;
      rows.edge(ANEURALNETWORKS_DEPTHWISE_CONV_2D, types.label, name, [=](Draft& c) { declare(c, p); });
    };
    // Filters that have unrolled kernels, at the edges of tiles and with enough pixels for tiles of four.
    for (const uint32_t filter : {3, 5}) {
      for (const int32_t stride : {1, 2}) {
        Window window = square_window(filter);
        const auto pad = static_cast<int32_t>(filter / 2);
        window.paddings = {pad, pad, pad, pad};
        window.stride_width = window.stride_height = stride;
        const auto name = std::to_string(filter) + "_stride_" + std::to_string(stride);
        for (const uint32_t width : {7, 16, 21}) {
          add("unrolled_" + name + "_width_" + std::to_string(width), {.window = window, .image = {1, 9, width, 16}});
        }
        for (const uint32_t channels : {31, 32}) {
          if (filter == 3 && stride == 1) {
            add("many_pixels_" + std::to_string(channels), {.window = window, .image = {1, 17, 19, channels}});
          }
        }
      }
    }
    for (const uint32_t channels : {3, 8}) {
      for (const uint32_t multiplier : {3, 8}) {
        add("multiplier_" + std::to_string(channels) + "_times_" + std::to_string(multiplier),
            {.window = square_window(3), .image = {2, 6, 5, channels}, .multiplier = multiplier});
      }
    }
    add("other_filter",
        {.window = {.paddings = {3, 1, 2, 6}, .stride_width = 3, .stride_height = 3, .filter_width = 4, .filter_height = 7},
         .image = {1, 11, 12, 8}});
    Window dilated = square_window(3);
    dilated.paddings = {2, 4, 3, 3};
    dilated.dilation = 2;
    dilated.dilation_height = 3;
    add("unequal_dilations", {.window = dilated, .image = {1, 11, 12, 12}});
    dilated.dilation = 1;
    dilated.paddings = {1, 1, 3, 0};
    dilated.stride_height = 2;
    add("dilated_rows", {.window = dilated, .image = {1, 11, 12, 12}});
    Window wide = square_window(3);  // the first and last rows of its filter read only padding
    wide.paddings = {2, 2, 9, 9};
    wide.dilation = 2;
    wide.dilation_height = 9;
    add("dilations_beyond_the_image", {.window = wide, .image = {1, 7, 8, 8}});
    Window around = square_window(3);
    around.paddings = {1, 1, 1, 1};
    for (const uint32_t multiplier : {1, 2}) {
      add("planes_" + std::to_string(multiplier),
          {.window = around, .image = {2, 6, 7, 4}, .multiplier = multiplier, .nchw = true});
    }
    add("given_weights", {.window = square_window(3), .image = {1, 5, 5, 8}, .given_weights = true});
    // Sums that take several dispatches: with many columns, many rows, or more rows than a dispatch has iterations.
    if (types.filter == kQuant8Channel || types.input == kFloat16) continue;
    if (types.input != kQuant8Signed) add("large_filter", {.window = square_window(259), .image = {1, 262, 262, 3}});
    for (const uint32_t width : {1, 3}) {
      const Window high{.paddings = {0, 0, 0, 0}, .filter_width = width, .filter_height = 65990};
      add("high_filter_" + std::to_string(width), {.window = high, .image = {1, 66000, 3, 1}, .multiplier = 2});
    }
  }
}

}  // namespace

void add_depthwise_rows(Rows& rows) {
  for (const auto& types : convolution_types()) {
    const auto add = [&](const std::string& group, const std::string& name, Depthwise p) {
      p.types = types;
      rows.add(ANEURALNETWORKS_DEPTHWISE_CONV_2D, types.label, group, name, [=](Draft& c) { declare(c, p); });
    };
    for (const auto& window : windows(true)) {
      for (const auto& image : image_shapes()) {
        for (const bool nchw : {false, true}) {
          add(nchw ? "nchw" : "nhwc", window.name + "_" + dims_label(image), {.window = window, .image = image, .nchw = nchw});
        }
      }
    }
    for (const uint32_t multiplier : {2, 3, 4, 5}) {
      for (const uint32_t channels : {1, 4, 7, 16}) {
        add("multiplier", std::to_string(channels) + "_times_" + std::to_string(multiplier),
            {.window = windows(false)[0], .image = {1, 4, 5, channels}, .multiplier = multiplier});
      }
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      add("activation", std::to_string(activation),
          {.window = windows(false)[0], .image = {1, 5, 7, 3}, .activation = activation});
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
