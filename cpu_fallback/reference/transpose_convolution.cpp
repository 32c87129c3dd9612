// TRANSPOSE_CONV_2D as a gather: every output adds the input pixels that reach it, in the order of the specification's scatter.
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {
namespace {

// The input rows (or columns) from `first` to `last` contribute to one output position. Row r contributes through the tap
// position + head - r * stride.
struct Reach {
  int64_t first = 0;
  int64_t last = -1;
};

Reach reach(int64_t position, int64_t head, int64_t stride, int64_t filter, int64_t size) {
  const int64_t high = position + head;  // >= 0
  const int64_t low = high - filter + 1;
  return {low <= 0 ? 0 : (low + stride - 1) / stride, std::min(size - 1, high / stride)};
}

Status transpose_conv_2d(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const ImageLayout to = image_layout(context.outputs[convolution::kOutput].info.shape, p.nchw);
  return run_product(context, p.activation, [&](auto product, auto image_values, auto filter_values, auto& result) {
    using Product = decltype(product);
    using Value = typename Product::Value;
    const DenseImage<Value> image(image_values, context.operation.shape(convolution::kImage), p.nchw);
    const FilterPanels<Value> filter(filter_values, p.out_channels,
                                     static_cast<size_t>(p.filter_height) * p.filter_width * p.in_channels);
    DeadlineWatch watch;
    for_each_output<Product>(to, filter, result, [&](uint32_t n, uint32_t y, uint32_t x, const Value* panel, auto* sums) {
      const Reach rows = reach(y, p.pad_top, p.stride_height, p.filter_height, p.in_height);
      const Reach columns = reach(x, p.pad_left, p.stride_width, p.filter_width, p.in_width);
      for (int64_t row = rows.first; row <= rows.last; ++row) {
        watch.look();
        const int64_t i = static_cast<int64_t>(y) + p.pad_top - row * p.stride_height;
        for (int64_t column = columns.first; column <= columns.last; ++column) {
          const int64_t j = static_cast<int64_t>(x) + p.pad_left - column * p.stride_width;
          size_t pixel = 0;
          if (!find_pixel(p, n, row, column, pixel)) continue;
          const size_t tap = static_cast<size_t>(i * p.filter_width + j) * p.in_channels;
          add_products<Product>(image.data() + pixel, panel + tap * kLanes, p.in_channels, sums);
        }
      }
    });
  });
}

constexpr KernelRow kRows[] = {{OperationCode::kTransposeConv2d, transpose_conv_2d}};

}  // namespace

std::span<const KernelRow> transpose_convolution_kernels() { return kRows; }

}  // namespace nnvk::cpu
