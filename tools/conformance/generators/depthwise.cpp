// DEPTHWISE_CONV_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Depthwise {
  ConvolutionTypes types;
  Window window;
  Dims image;  // NHWC
  uint32_t multiplier = 1;
  int32_t activation = 0;
  bool nchw = false;
};

void declare(Draft& c, const Depthwise& p) {
  const uint32_t channels = p.image[3] * p.multiplier;
  const Tensor input = tensor(p.types.input, image_dims(p.image, p.nchw));
  Tensor filter = tensor(p.types.filter, {1, p.window.filter_height, p.window.filter_width, channels});
  if (p.types.filter == kQuant8Channel) filter = filter.per_channel(3, 1.0f / 64);
  c.input(input);
  c.constant(filter);
  c.constant(bias_for(input, filter, channels), input.scale == 0 ? Values{} : stored(-500, 500));
  declare_padding_and_strides(c, p.window);
  c.int32(static_cast<int32_t>(p.multiplier));
  c.int32(p.activation);
  c.boolean(p.nchw);
  if (p.window.dilation != 1) {
    c.int32(p.window.dilation);
    c.int32(p.window.dilation);
  }
  if (p.types.input == kFloat32) c.tolerance(1e-4, 1e-5);  // another order of sums than the reference's
  if (p.types.input == kFloat16) c.tolerance(0.01, 0.005);
  c.output(sum_output(p.types.input));
}

}  // namespace

void add_depthwise_rows(Rows& rows) {
  constexpr int32_t kOperation = ANEURALNETWORKS_DEPTHWISE_CONV_2D;
  for (const auto& types : convolution_types()) {
    for (const auto& window : windows(true)) {
      for (const auto& image : image_shapes()) {
        for (const bool nchw : {false, true}) {
          const Depthwise p{.types = types, .window = window, .image = image, .nchw = nchw};
          rows.add(kOperation, types.label, nchw ? "nchw" : "nhwc", window.name + "_" + dims_label(image),
                   [=](Draft& c) { declare(c, p); });
        }
      }
    }
    for (const uint32_t multiplier : {2, 3, 4, 5}) {
      for (const uint32_t channels : {1, 4, 7, 16}) {
        const Depthwise p{.types = types, .window = windows(false)[0], .image = {1, 4, 5, channels}, .multiplier = multiplier};
        rows.add(kOperation, types.label, "multiplier", std::to_string(channels) + "_times_" + std::to_string(multiplier),
                 [=](Draft& c) { declare(c, p); });
      }
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      const Depthwise p{.types = types, .window = windows(false)[0], .image = {1, 5, 7, 3}, .activation = activation};
      rows.add(kOperation, types.label, "activation", std::to_string(activation), [=](Draft& c) { declare(c, p); });
    }
  }
}

}  // namespace nnvk::tools::conformance
