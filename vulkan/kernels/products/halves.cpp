#include "vulkan/kernels/products/halves.h"

#include "half_convolution_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/products/register_tiles.h"
#include "vulkan/kernels/products/split_sums.h"

namespace nnvk::vulkan {
namespace {

// The registers for 4 pixels x 8 channels, from Mesa's compiler for AMD's RDNA: 32 float sums, 16 registers with sums in half,
// and others. 2 pixels x 8 channels need 64.
constexpr uint32_t kRegistersOfFourPixels = 128;

Result<TensorId> packed_halves(const EmitContext& context, const Product& product) {
  const FilterLayout& filter = product.shape.filter;
  const WeightSource& source = product.source;
  const std::string name = "half " + product.weights_name;
  const uint64_t bytes = packed_half_bytes(filter);
  ConvolutionPackParams params{};
  params.vectors = static_cast<uint32_t>(bytes / 16);
  params.columns = static_cast<uint32_t>(half_columns(filter));
  params.group_rows = filter.taps * filter.in_channels;
  set_filter(filter, params);
  return context.dispatches.packed(name, source.tensor, bytes, [&](TensorId target) {
    return add_packing(context, kernels::kHalfConvolutionPack, source, {target, name}, params);
  });
}

}  // namespace

uint64_t half_columns(const FilterLayout& filter) { return divide_up(filter.out_channels, kHalfTileChannels); }
uint64_t packed_half_bytes(const FilterLayout& filter) {
  return 16 * uint64_t{filter.groups} * filter.taps * filter.in_channels * half_columns(filter);
}

std::optional<HalfChoice> choose_half(const ProductShape& shape, const DeviceTraits& traits) {
  const FilterLayout& filter = shape.filter;
  if (shape.scalar_input() || filter.in_channels % 4 != 0) return std::nullopt;
  // This form cannot share sums among invocations, so results that are too few for the device are better split.
  const bool split = !traits.forms.contains(KernelForm::kHalf) && !traits.leaves_out(KernelForm::kSplit);
  if (split && choose_split_sum(shape, traits)) return std::nullopt;
  HalfChoice choice;
  choice.quads = filter.in_channels % 8 == 0 ? 2 : 1;
  const uint32_t steps = filter.in_channels / (4 * choice.quads);
  // Half of the possible iterations: an invocation may loop over the steps twice.
  if (uint64_t{filter.taps} * (steps + kTapOverhead) > kMostElementsPerInvocation) return std::nullopt;
  if (packed_half_bytes(filter) > traits.max_storage_range) return std::nullopt;
  if (shape.residual && traits.max_storage_buffers < kBuffersWithResidual) return std::nullopt;
  choice.tile_pixels = choose_tile_pixels(shape.pixels, shape.repetitions() * half_columns(filter),
                                          most_tile_pixels(kRegistersOfFourPixels, shape, traits), traits);
  return choice;
}

Status emit_halves(const EmitContext& context, const Product& product, const HalfChoice& choice) {
  const ProductShape& shape = product.shape;
  auto params = dense_params<HalfConvolutionParams>(product, product.input_strides(), half_columns(shape.filter));
  params.in_steps = shape.filter.in_channels / (4 * choice.quads);
  NNVK_ASSIGN(const TensorId packed, packed_halves(context, product));
  const TensorBinding x = product.input_binding();
  const TensorBinding weights = read_bytes16(packed);
  const TensorBinding bias = product.bias.value_or(x);  // the kernel never reads the stand-in
  const TensorBinding y = write_words(product.target);
  const auto make = [&]<class Shape>(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings) {
    return make_dispatch(context, kernel,
                         {.type = element_type(shape.type),
                          .tile_pixels = choice.tile_pixels,
                          .scalar_output = shape.scalar_output,
                          .window = shape.window,
                          .grouping = product.grouping(),
                          .quads = choice.quads,
                          .adds_halves = shape.type == OperandType::kTensorFloat32},
                         bindings, params);
  };
  return add_product(context, product,
                     shape.residual
                         ? make(kernels::kHalfConvolutionResidual,
                                {.in_x = x, .in_weights = weights, .in_bias = bias, .out_y = y, .in_residual = product.addend})
                         : make(kernels::kHalfConvolution, {.in_x = x, .in_weights = weights, .in_bias = bias, .out_y = y}),
                     shape.phases * divide_up(shape.pixels, choice.tile_pixels) * params.channel_tiles);
}

std::string reason_of(const HalfChoice& choice, const ProductShape&, const DeviceTraits&) {
  return "type or model permits halves; " + std::to_string(choice.tile_pixels) + " pixels x " +
         std::to_string(kHalfTileChannels) + " channels by registers and work";
}

}  // namespace nnvk::vulkan
