// CONV_2D and GROUPED_CONV_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Convolution {
  ConvolutionTypes types;
  Window window;
  Dims image;  // NHWC
  uint32_t channels = 5;
  uint32_t groups = 1;
  int32_t activation = 0;
  bool nchw = false;
};

void declare(Draft& c, int32_t operation, const Convolution& p) {
  const Tensor input = tensor(p.types.input, image_dims(p.image, p.nchw));
  const Tensor filter =
      tensor(p.types.filter, {p.channels, p.window.filter_height, p.window.filter_width, p.image[3] / p.groups});
  c.input(input);
  c.constant(filter);
  c.constant(bias_for(input, filter, p.channels), input.scale == 0 ? Values{} : stored(-500, 500));
  declare_padding_and_strides(c, p.window);
  if (operation == ANEURALNETWORKS_GROUPED_CONV_2D) c.int32(static_cast<int32_t>(p.groups));
  c.int32(p.activation);
  c.boolean(p.nchw);
  if (p.window.dilation != 1) {
    c.int32(p.window.dilation);
    c.int32(p.window.dilation);
  }
  // Products in [-4, 4] are summed in another order than the reference's.
  if (p.types.input == kFloat32) c.tolerance(1e-4, 1e-5);
  if (p.types.input == kFloat16) c.tolerance(0.01, 0.005);
  c.output(sum_output(p.types.input));
}

}  // namespace

void add_convolution_rows(Rows& rows) {
  constexpr int32_t kConv = ANEURALNETWORKS_CONV_2D;
  constexpr int32_t kGrouped = ANEURALNETWORKS_GROUPED_CONV_2D;
  for (const auto& types : convolution_types()) {
    for (const auto& window : windows(true)) {
      for (const auto& image : image_shapes()) {
        for (const bool nchw : {false, true}) {
          const Convolution p{.types = types, .window = window, .image = image, .nchw = nchw};
          rows.add(kConv, types.label, nchw ? "nchw" : "nhwc", window.name + "_" + dims_label(image),
                   [=](Draft& c) { declare(c, kConv, p); });
        }
      }
    }
    for (const uint32_t channels : {1, 3, 4, 7, 8, 16, 17, 31, 64, 65}) {
      for (const uint32_t input_channels : {1, 4, 31}) {
        const Convolution p{
            .types = types, .window = windows(false)[4], .image = {1, 3, 3, input_channels}, .channels = channels};
        rows.add(kConv, types.label, "channels", std::to_string(input_channels) + "_to_" + std::to_string(channels),
                 [=](Draft& c) { declare(c, kConv, p); });
      }
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      const Convolution p{.types = types, .window = windows(false)[0], .image = {1, 5, 7, 3}, .activation = activation};
      rows.add(kConv, types.label, "activation", std::to_string(activation), [=](Draft& c) { declare(c, kConv, p); });
    }
    for (const auto& window : windows(false)) {
      for (const uint32_t groups : {1, 2, 3}) {
        for (const bool nchw : {false, true}) {
          const Convolution p{.types = types,
                              .window = window,
                              .image = {1, 5, 7, 2 * groups},
                              .channels = 3 * groups,
                              .groups = groups,
                              .nchw = nchw};
          rows.add(kGrouped, types.label, nchw ? "nchw" : "nhwc", window.name + "_groups_" + std::to_string(groups),
                   [=](Draft& c) { declare(c, kGrouped, p); });
        }
      }
    }
  }
  const ConvolutionTypes floats{"float32", kFloat32, kFloat32};
  rows.add(kGrouped, kFloat32, "refused", "groups_that_do_not_divide",
           [=](Draft& c) {
             declare(c, kGrouped,
                     {.types = floats, .window = windows(false)[0], .image = {1, 4, 4, 4}, .channels = 5, .groups = 2});
           })
      .refused();
  for (const int32_t stride : {0, -1}) {
    Window window = windows(false)[0];
    window.stride_width = stride;
    rows.add(kConv, kFloat32, "refused", "stride_" + std::to_string(stride),
             [=](Draft& c) {
               declare(c, kConv, {.types = floats, .window = window, .image = {1, 4, 4, 2}});
             })
        .refused();
  }
}

}  // namespace nnvk::tools::conformance
