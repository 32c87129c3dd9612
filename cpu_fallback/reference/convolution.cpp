// CONV_2D and GROUPED_CONV_2D, which is one convolution per group of channels.
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {
namespace {

Status conv_2d(KernelContext& context) {
  NNVK_ASSIGN(const WindowParameters p, window_parameters(context.operation));
  const ImageLayout to = image_layout(context.outputs[convolution::kOutput].info.shape, p.nchw);
  return run_product(context, p.activation, [&](auto product, auto image_values, auto filter_values, auto& result) {
    using Product = decltype(product);
    using Value = typename Product::Value;
    const DenseImage<Value> image(image_values, context.operation.shape(convolution::kImage), p.nchw);
    const size_t group_inputs = p.in_channels / static_cast<uint32_t>(p.groups);
    const size_t group_outputs = p.out_channels / static_cast<uint32_t>(p.groups);
    const size_t depth = static_cast<size_t>(p.filter_height) * p.filter_width * group_inputs;
    for (size_t group = 0; group < static_cast<size_t>(p.groups); ++group) {
      const size_t first = group * group_outputs;
      const FilterPanels<Value> filter(filter_values.subspan(first * depth, group_outputs * depth), group_outputs, depth, first);
      const Value* const group_image = image.data() + group * group_inputs;
      const auto add_taps = [&](uint32_t n, uint32_t y, uint32_t x, const Value* panel, auto* sums) {
        for_each_tap(p, n, y, x, [&](size_t tap, size_t pixel) {
          add_products<Product>(group_image + pixel, panel + tap * group_inputs * kLanes, group_inputs, sums);
        });
      };
      for_each_output<Product>(to, filter, result, add_taps);
    }
  });
}

constexpr KernelRow kRows[] = {{OperationCode::kConv2d, conv_2d}, {OperationCode::kGroupedConv2d, conv_2d}};

}  // namespace

std::span<const KernelRow> convolution_kernels() { return kRows; }

}  // namespace nnvk::cpu
