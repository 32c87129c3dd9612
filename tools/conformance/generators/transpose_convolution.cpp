// TRANSPOSE_CONV_2D.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

struct Transposed {
  ConvolutionTypes types{};
  Dims image{};  // NHWC
  uint32_t channels = 3;
  int32_t implicit_padding = 0;
  std::vector<int32_t> paddings{0, 0, 0, 0};
  int32_t stride = 1;  // width, and height unless that has its own
  int32_t stride_height = 0;
  uint32_t filter = 3;
  uint32_t filter_height = 0;
  int32_t activation = 0;
  bool nchw = false;
};

// Returns the output size for an implicit padding: SAME multiplies the size by the stride, VALID adds the rest of the filter.
uint32_t out_size(const Transposed& p, uint32_t size) {
  const auto stride = static_cast<uint32_t>(p.stride);
  if (p.implicit_padding == 1) return size * stride;
  return (size - 1) * stride + p.filter;
}

void declare(Draft& c, const Transposed& p) {
  const Tensor input = tensor(p.types.input, image_dims(p.image, p.nchw));
  const Tensor filter =
      tensor(p.types.filter, {p.channels, p.filter_height == 0 ? p.filter : p.filter_height, p.filter, p.image[3]});
  const uint64_t products = element_count(filter.dims) / p.channels;
  declare_factors(c, input, filter, p.channels);
  if (p.implicit_padding != 0) {
    const Dims out = image_dims({p.image[0], out_size(p, p.image[1]), out_size(p, p.image[2]), p.channels}, p.nchw);
    c.int32s({out.begin(), out.end()});
    c.int32(p.implicit_padding);
  } else {
    for (const int32_t padding : p.paddings) c.int32(padding);
  }
  c.int32(p.stride);
  c.int32(p.stride_height == 0 ? p.stride : p.stride_height);
  c.int32(p.activation);
  c.boolean(p.nchw);
  declare_sum(c, input, filter, products);
}

void add_edges(Rows& rows) {
  for (const auto& types : convolution_types()) {
    const auto add = [&](const std::string& name, Transposed p) {
      p.types = types;
      rows.edge(ANEURALNETWORKS_TRANSPOSE_CONV_2D, types.label, name, [=](Draft& c) { declare(c, p); });
    };
    for (const int32_t stride : {1, 2, 3}) {
      add("strides_2x" + std::to_string(stride), {.image = {2, 4, 5, 8}, .channels = 12, .stride = 2, .stride_height = stride});
    }
    // Strides larger than the filter leave gaps; a single pixel tolerates the largest stride.
    add("gaps",
        {.image = {2, 3, 2, 4}, .channels = 8, .paddings = {0, 0, 1, 0}, .stride = 7, .stride_height = 5, .filter_height = 2});
    add("largest_stride",
        {.image = {1, 1, 1, 4}, .channels = 4, .stride = 100000, .stride_height = 2147483647, .filter = 2, .filter_height = 3});
    add("large_padding", {.image = {1, 9, 8, 8},
                          .channels = 5,
                          .paddings = {10, 1, 7, 0},
                          .stride = 3,
                          .stride_height = 2,
                          .filter = 5,
                          .filter_height = 3});
    add("cut", {.image = {1, 5, 4, 4}, .channels = 4, .paddings = {1, 0, 1, 2}, .stride = 2, .filter_height = 4});
    add("negative_padding", {.image = {1, 5, 4, 4}, .channels = 4, .paddings = {0, -2, 0, -1}, .stride = 3, .filter = 2});
    for (const bool nchw : {false, true}) {
      const std::string layout = nchw ? "_nchw" : "";
      add("odd_channels" + layout, {.image = {2, 3, 4, 3},
                                    .channels = 5,
                                    .stride = 1,
                                    .stride_height = 2,
                                    .filter = 2,
                                    .filter_height = 3,
                                    .activation = 1,
                                    .nchw = nchw});
      add("pointwise" + layout, {.image = {1, 3, 4, 8}, .channels = 8, .filter = 1, .nchw = nchw});
    }
    if (types.input == kFloat32 || (types.input == kQuant8 && types.filter == kQuant8)) {
      add("many_channels", {.image = {1, 2, 2, 20001}, .channels = 2, .stride = 2, .filter = 4, .filter_height = 3});
    }
  }
}

}  // namespace

void add_transpose_convolution_rows(Rows& rows) {
  for (const auto& types : convolution_types()) {
    const auto add = [&](const std::string& group, const std::string& name, Transposed p) {
      p.types = types;
      rows.add(ANEURALNETWORKS_TRANSPOSE_CONV_2D, types.label, group, name, [=](Draft& c) { declare(c, p); });
    };
    for (const int32_t stride : {1, 2, 3}) {
      for (const auto& image : std::vector<Dims>{{1, 3, 5, 3}, {2, 4, 2, 4}, {1, 1, 7, 17}}) {
        for (const bool nchw : {false, true}) {
          const auto name = "stride_" + std::to_string(stride) + "_" + dims_label(image);
          const auto* const layout = nchw ? "nchw" : "nhwc";
          Transposed p{.image = image, .stride = stride, .nchw = nchw};
          add(layout, "explicit_" + name, p);
          p.paddings = {1, 0, 0, 1};
          add(layout, "padded_" + name, p);
          p.implicit_padding = 1;
          add(layout, "same_" + name, p);
          p.implicit_padding = 2;
          add(layout, "valid_" + name, p);
        }
      }
    }
    for (int32_t activation = 1; activation <= 3; ++activation) {
      add("activation", std::to_string(activation), {.image = {1, 3, 5, 3}, .activation = activation});
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
