#include "vulkan/kernels/products/dot_products.h"

#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/products/register_tiles.h"
#include "vulkan/kernels/products/split_sums.h"

namespace nnvk::vulkan {
namespace {

// The registers for 4 pixels x 8 channels (32 sums), from Mesa's compiler for AMD's RDNA; 2 pixels x 8 channels need 48.
constexpr uint32_t kRegistersOfFourPixels = 84;

constexpr uint32_t kMostDotLanes = 32;  // that share a tile; with more, neighbours would read too few neighbouring weights
constexpr uint32_t kAskedLanes = 8;     // at least, if the form "split" is requested
constexpr uint64_t kLeastWords = 8;     // of a sum per lane; with fewer, adding up the parts costs more than it saves

uint64_t tiles(const DotChoice& choice, const ProductShape& shape) {
  return divide_up(shape.pixels, choice.tile_pixels) * shape.repetitions() * (shape.filter.columns / choice.tile_vectors);
}

// Returns the largest tile with an invocation for every lane of the device, or else the smallest tile. Its sums are shared until
// the device is busy. Returns nullopt if sums are too short to be shared, or if the kernel cannot share them.
std::optional<DotChoice> choose_shared_tile(const ProductShape& shape, const DeviceTraits& traits) {
  const bool asked = traits.forms.contains(KernelForm::kSplit);
  if (shape.window == kWindowTransposed || traits.leaves_out(KernelForm::kSplit)) return std::nullopt;
  if (traits.is_software() && !asked) return std::nullopt;
  const uint64_t wanted = wanted_invocations(traits.machine);
  const uint64_t words = uint64_t{shape.filter.taps} * dot_layout(shape.filter, 0).words;
  for (DotChoice choice{.tile_pixels = split_pixels(shape, traits)};; choice.tile_pixels /= 2) {
    choice.lanes = asked ? kAskedLanes : 1;
    while (choice.lanes < kMostDotLanes && tiles(choice, shape) * choice.lanes < wanted &&
           words >= uint64_t{2} * choice.lanes * kLeastWords) {
      choice.lanes *= 2;
    }
    if (choice.tile_pixels > 1 && tiles(choice, shape) * choice.lanes < wanted / kWantedPerLane) continue;
    return choice.lanes > 1 ? std::optional(choice) : std::nullopt;
  }
}

}  // namespace

uint64_t invocations(const DotChoice& choice, const ProductShape& shape) {
  return divide_up(tiles(choice, shape) * choice.lanes, kDotInvocations) * kDotInvocations;
}

DotLayout dot_layout(const FilterLayout& filter, uint32_t scale_channels) {
  DotLayout layout;
  layout.words = static_cast<uint32_t>(divide_up(filter.in_channels, 4));
  layout.corrections = uint64_t{filter.groups} * filter.columns;
  layout.weight_vectors = layout.corrections * filter.taps * layout.words;
  layout.scale_vectors = static_cast<uint32_t>(2 * divide_up(scale_channels, 4));
  return layout;
}

bool fits_words(const ProductShape& shape, const FilterLayout& filter, uint32_t image_words, const DeviceTraits& traits) {
  const DotLayout layout = dot_layout(filter, shape.scale_channels);
  if (uint64_t{filter.taps} * (layout.words + kTapOverhead) > 2 * uint64_t{kMostElementsPerInvocation}) return false;
  if (layout.packed_bytes() > traits.max_storage_range) return false;
  return !shape.scalar_input() || word_image_bytes(shape, image_words) <= traits.max_storage_range;
}

std::optional<DotChoice> choose_dot(const ProductShape& shape, const DeviceTraits& traits) {
  const FilterLayout& filter = shape.filter;
  if (!fits_words(shape, filter, dot_layout(filter, 0).words, traits)) return std::nullopt;
  DotChoice choice;
  choice.tile_vectors = filter.columns % 2 == 0 ? 2 : 1;
  choice.tile_pixels = choose_tile_pixels(shape.pixels, shape.repetitions() * filter.columns / choice.tile_vectors,
                                          most_tile_pixels(kRegistersOfFourPixels, shape, traits), traits);
  // Alone, invocations would be too few, or would have to compute a pixel each, for which they read all weights of their
  // channels.
  const bool alone = choice.tile_pixels > 1 && tiles(choice, shape) >= wanted_invocations(traits.machine);
  if (alone && !traits.forms.contains(KernelForm::kSplit)) return choice;
  return choose_shared_tile(shape, traits).value_or(choice);
}

Result<TensorId> packed_dot_weights(const EmitContext& context, const Product& product, const FilterLayout& filter,
                                    const WordImage& image) {
  const DotLayout layout = dot_layout(filter, product.shape.scale_channels);
  const WeightSource& source = product.source;
  const std::string name = "dot " + product.weights_name;
  return context.dispatches.packed(name, source.tensor, layout.packed_bytes(), [&](TensorId target) -> Status {
    DotPackParams params{};
    params.vectors = static_cast<uint32_t>(layout.weight_vectors);
    params.columns = filter.columns;
    params.group_rows = filter.taps * layout.words;
    params.words = layout.words;
    set_filter(filter, params);
    params.sign_flip = sign_flip(source);
    NNVK_TRY(add_packing(context, kernels::kDotConvolutionPack, source, {target, name}, params));
    return add_constants(context, kernels::kDotConvolutionConstants, product,
                         {target, name, filter.columns, params.group_rows, 4, layout.corrections, layout.scale_vectors}, image);
  });
}

Status emit_dot_products(const EmitContext& context, const Product& product, const DotChoice& choice) {
  const ProductShape& shape = product.shape;
  const DotLayout layout = dot_layout(shape.filter, shape.scale_channels);
  NNVK_ASSIGN(const WordImage image, input_in_words(context, product, layout.words));
  NNVK_ASSIGN(const TensorId weights, packed_dot_weights(context, product, shape.filter, image));
  auto params = dense_params<DotConvolutionParams>(product, image.read_strides(), shape.filter.columns / choice.tile_vectors);
  params.in_steps = layout.words / image.lanes();
  params.sign_flip = image.sign_flip;
  params.in_zero_point = image.zero_point;
  params.weight_zero_point = signed_zero_point(product.source);
  auto dispatch = make_dispatch(context, kernels::kDotConvolution,
                                {.type = element_type(shape.type),
                                 .tile_pixels = choice.tile_pixels,
                                 .tile_vectors = choice.tile_vectors,
                                 .scalar_output = shape.scalar_output,
                                 .window = shape.window,
                                 .grouping = product.grouping(),
                                 .wide_input = image.wide,
                                 .weight_offset = params.weight_zero_point != 0,
                                 .lanes = choice.lanes},
                                {.in_x = image.binding(),
                                 .in_weights = read_bytes16(weights),
                                 .in_bias = integer_bias(product),
                                 .out_y = write_words(product.target)},
                                params);
  return add_product(context, product, std::move(dispatch), invocations(choice, shape));
}

std::string reason_of(const DotChoice& choice, const ProductShape& shape, const DeviceTraits& traits) {
  std::string tile = "integer dot products are preferred; " + std::to_string(choice.tile_pixels) + " pixels x " +
                     std::to_string(4 * choice.tile_vectors) + " channels by registers and work";
  if (choice.lanes == 1) return tile;
  return tile + "; " + std::to_string(choice.lanes) + " invocations share every sum: " + grouped_digits(tiles(choice, shape)) +
         " with whole sums would leave the device idle (" + grouped_digits(wanted_invocations(traits.machine)) + " keep it busy)";
}

}  // namespace nnvk::vulkan
