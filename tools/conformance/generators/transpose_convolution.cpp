// TRANSPOSE_CONV_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Transposed {
  ConvolutionTypes types;
  Dims image;  // NHWC
  uint32_t channels = 3;
  int32_t implicit_padding = 0;
  std::vector<int32_t> paddings{0, 0, 0, 0};
  int32_t stride = 1;
  uint32_t filter = 3;
  int32_t activation = 0;
  bool nchw = false;
};

// What an implicit padding needs to know: SAME multiplies the size by the stride, VALID adds the rest of the filter.
uint32_t out_size(const Transposed& p, uint32_t size) {
  const auto stride = static_cast<uint32_t>(p.stride);
  if (p.implicit_padding == 1) return size * stride;
  return (size - 1) * stride + p.filter;
}

void declare(Draft& c, const Transposed& p) {
  const Tensor input = tensor(p.types.input, image_dims(p.image, p.nchw));
  const Tensor filter = tensor(p.types.filter, {p.channels, p.filter, p.filter, p.image[3]});
  c.input(input);
  c.constant(filter);
  c.constant(bias_for(input, filter, p.channels), input.scale == 0 ? Values{} : stored(-500, 500));
  if (p.implicit_padding != 0) {
    const Dims out = image_dims({p.image[0], out_size(p, p.image[1]), out_size(p, p.image[2]), p.channels}, p.nchw);
    c.int32s({out.begin(), out.end()});
    c.int32(p.implicit_padding);
  } else {
    for (const int32_t padding : p.paddings) c.int32(padding);
  }
  c.int32(p.stride);
  c.int32(p.stride);
  c.int32(p.activation);
  c.boolean(p.nchw);
  if (p.types.input == kFloat32) c.tolerance(1e-4, 1e-5);  // another order of sums than the reference's
  if (p.types.input == kFloat16) c.tolerance(0.01, 0.005);
  c.output(sum_output(p.types.input));
}

}  // namespace

void add_transpose_convolution_rows(Rows& rows) {
  constexpr int32_t kOperation = ANEURALNETWORKS_TRANSPOSE_CONV_2D;
  for (const auto& types : convolution_types()) {
    for (const int32_t stride : {1, 2, 3}) {
      for (const auto& image : std::vector<Dims>{{1, 3, 5, 3}, {2, 4, 2, 4}, {1, 1, 7, 17}}) {
        for (const bool nchw : {false, true}) {
          const auto name = "stride_" + std::to_string(stride) + "_" + dims_label(image);
          const auto* const layout = nchw ? "nchw" : "nhwc";
          Transposed p{.types = types, .image = image, .stride = stride, .nchw = nchw};
          rows.add(kOperation, types.label, layout, "explicit_" + name, [=](Draft& c) { declare(c, p); });
          p.paddings = {1, 0, 0, 1};
          rows.add(kOperation, types.label, layout, "padded_" + name, [=](Draft& c) { declare(c, p); });
          p.implicit_padding = 1;
          rows.add(kOperation, types.label, layout, "same_" + name, [=](Draft& c) { declare(c, p); });
          p.implicit_padding = 2;
          rows.add(kOperation, types.label, layout, "valid_" + name, [=](Draft& c) { declare(c, p); });
        }
      }
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      rows.add(kOperation, types.label, "activation", std::to_string(activation), [=](Draft& c) {
        declare(c, {.types = types, .image = {1, 3, 5, 3}, .activation = activation});
      });
    }
  }
}

}  // namespace nnvk::tools::conformance
