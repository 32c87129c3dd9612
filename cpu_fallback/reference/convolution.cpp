// CONV_2D.
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {
namespace {

// Panels outside, pixels inside: a panel of the filter stays in the cache while the image streams by.
template <class Product, class Result>
void convolve(const WindowParameters& p, const ImageLayout& to, const typename Product::Value* image,
              const FilterPanels<typename Product::Value>& filter, Result& result) {
  for (size_t panel = 0; panel < filter.count(); ++panel) {
    const size_t first = panel * kLanes;
    const size_t lanes = std::min<size_t>(kLanes, p.out_channels - first);
    for (uint32_t n = 0; n < p.batches; ++n) {
      for (uint32_t y = 0; y < p.out_height; ++y) {
        for (uint32_t x = 0; x < p.out_width; ++x) {
          typename Product::Sum sums[kLanes] = {};
          for (uint32_t i = 0; i < p.filter_height; ++i) {
            const int64_t row =
                static_cast<int64_t>(y) * p.stride_height - p.pad_top + static_cast<int64_t>(i) * p.dilation_height;
            if (row < 0 || row >= p.in_height) continue;
            for (uint32_t j = 0; j < p.filter_width; ++j) {
              const int64_t column =
                  static_cast<int64_t>(x) * p.stride_width - p.pad_left + static_cast<int64_t>(j) * p.dilation_width;
              if (column < 0 || column >= p.in_width) continue;
              const auto pixel =
                  ((static_cast<size_t>(n) * p.in_height + static_cast<size_t>(row)) * p.in_width + static_cast<size_t>(column)) *
                  p.in_channels;
              const size_t tap = (static_cast<size_t>(i) * p.filter_width + j) * p.in_channels;
              add_products<Product>(image + pixel, filter.panel(panel) + tap * kLanes, p.in_channels, sums);
            }
          }
          for (size_t lane = 0; lane < lanes; ++lane) {
            const size_t k = first + lane;
            result.set(static_cast<size_t>(to.at(n, y, x) + static_cast<ptrdiff_t>(k) * to.channel_step), k, sums[lane]);
          }
        }
      }
    }
  }
}

Status conv_2d(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, conv_parameters(context.operation));
  const ImageLayout to = image_layout(context.outputs[0].info.shape, p.nchw);
  return run_product(context, p.activation, [&](auto product, auto image_values, auto filter_values, auto& result) {
    using Product = decltype(product);
    using Value = typename Product::Value;
    const DenseImage<Value> image(image_values, context.operation.shape(0), p.nchw);
    const size_t depth = static_cast<size_t>(p.filter_height) * p.filter_width * p.in_channels;
    convolve<Product>(p, to, image.data(), FilterPanels<Value>(filter_values, p.out_channels, depth), result);
  });
}

constexpr KernelRow kRows[] = {{OperationCode::kConv2d, conv_2d}};

}  // namespace

std::span<const KernelRow> convolution_kernels() { return kRows; }

}  // namespace nnvk::cpu
