#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {
namespace {

// Computes sums[c * multiplier + q] += x[c] * w[c * multiplier + q] for one tap of all channels.
template <class Product>
void add_tap(const typename Product::Value* x, const typename Product::Value* w, size_t channels, size_t multiplier,
             typename Product::Sum* sums) {
  if (multiplier == 1) {  // the usual case, one plain loop
    for (size_t c = 0; c < channels; ++c) sums[c] += Product::multiply(x[c], w[c]);
    return;
  }
  for (size_t c = 0; c < channels; ++c) {
    for (size_t k = c * multiplier; k < (c + 1) * multiplier; ++k) sums[k] += Product::multiply(x[c], w[k]);
  }
}

Status depthwise_conv_2d(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const ImageLayout to = image_layout(context.outputs[convolution::kOutput].info.shape, p.nchw);
  const auto multiplier = static_cast<size_t>(p.depth_multiplier);
  return run_product(context, p.activation, [&](auto product, auto image_values, auto filter, auto& result) {
    using Product = decltype(product);
    const DenseImage<typename Product::Value> image(image_values, context.operation.shape(convolution::kImage), p.nchw);
    std::vector<typename Product::Sum> sums(p.out_channels);
    for_each_pixel(to, [&](uint32_t n, uint32_t y, uint32_t x) {
      std::fill(sums.begin(), sums.end(), typename Product::Sum{0});
      for_each_tap(p, n, y, x, [&](size_t tap, size_t pixel) {
        add_tap<Product>(image.data() + pixel, filter.data() + tap * p.out_channels, p.in_channels, multiplier, sums.data());
      });
      for (size_t k = 0; k < p.out_channels; ++k) result.set(to.element(to.pixel(n, y, x), k), k, sums[k]);
    });
  });
}

constexpr KernelRow kRows[] = {{OperationCode::kDepthwiseConv2d, depthwise_conv_2d}};

}  // namespace

std::span<const KernelRow> depthwise_kernels() { return kRows; }

}  // namespace nnvk::cpu
