#include "vulkan/kernels/products/group_tiles.h"

#include "convolution_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/products/register_tiles.h"

namespace nnvk::vulkan {
namespace {

constexpr uint32_t kInvocations = kTiledRows * kTiledColumns;
constexpr uint32_t kChannelsAtOnce = 16;  // input channels of a pixel that shared memory holds

// The possible tiles, the best first, with approximate registers from Mesa's compilers for AMD (perf/static). The smaller tile
// excludes AMD's GPUs before RDNA: its shared memory would let at most three subgroups run on a SIMD unit there.
struct Candidate {
  GroupTile tile;
  uint32_t registers;
  uint32_t registers_for_scalars;  // if the input is read element by element
};
constexpr Candidate kCandidates[] = {{{8, 2}, 128, 160}, {{4, 2}, 80, 112}};

// The tile reads at most an eighth of the data that tiles of single invocations read, so products with this much padding still
// pay.
constexpr double kMostPadding = 1.25;

double padded_products(const GroupTile& tile, const ProductShape& shape) {
  return static_cast<double>(work_groups(tile, shape)) * tile.group_pixels() * 4 * tile.group_vectors() *
         static_cast<double>(divide_up(shape.channels_of_sum(), kChannelsAtOnce) * kChannelsAtOnce);
}

double real_products(const ProductShape& shape) {
  return static_cast<double>(shape.pixels) * static_cast<double>(shape.repetitions()) * 4 * shape.filter.columns *
         static_cast<double>(shape.channels_of_sum());
}

}  // namespace

uint32_t GroupTile::group_pixels() const { return kTiledRows * pixels; }
uint32_t GroupTile::group_vectors() const { return kTiledColumns * vectors; }

uint64_t work_groups(const GroupTile& tile, const ProductShape& shape) {
  return divide_up(shape.pixels, tile.group_pixels()) * shape.repetitions() *
         divide_up(shape.filter.columns, tile.group_vectors());
}

std::optional<GroupTile> choose_group_tile(const ProductShape& shape, const DeviceTraits& traits) {
  if (shape.window == kWindowTransposed || shape.channels_of_sum() > kMostElementsPerInvocation) return std::nullopt;
  if (traits.forms.contains(KernelForm::kTiles)) {
    return shape.pixels < kCandidates[0].tile.group_pixels() ? kCandidates[1].tile : kCandidates[0].tile;
  }
  for (const auto& [tile, registers_for_vectors, registers_for_scalars] : kCandidates) {
    const uint32_t registers = shape.scalar_input() ? registers_for_scalars : registers_for_vectors;
    const bool fills = work_groups(tile, shape) * kInvocations >= wanted_invocations(traits.machine);
    const bool wastes = padded_products(tile, shape) > kMostPadding * real_products(shape);
    if (registers <= traits.registers && fills && !wastes) return tile;
  }
  return std::nullopt;
}

Status emit_group_tiles(const EmitContext& context, const Product& product, const GroupTile& tile) {
  const ProductShape& shape = product.shape;
  auto params =
      dense_params<ConvolutionParams>(product, product.input_strides(), divide_up(shape.filter.columns, tile.group_vectors()));
  params.in_steps = shape.filter.in_channels / shape.lanes();
  NNVK_ASSIGN(const TensorBinding weights, float_weights(context, product));
  const TensorBinding x = product.input_binding();
  auto dispatch = make_dispatch(context, kernels::kConvolutionTiledFloat,
                                {.type = element_type(shape.type),
                                 .tile_pixels = tile.pixels,
                                 .scalar_input = shape.scalar_input(),
                                 .scalar_output = shape.scalar_output,
                                 .window = shape.window,
                                 .tile_vectors = tile.vectors,
                                 .grouping = product.grouping(),
                                 .residual = shape.residual},
                                {.in_x = x,
                                 .in_weights = weights,
                                 .in_bias = product.bias.value_or(x),
                                 .out_y = write_words(product.target),
                                 .in_residual = product.addend},
                                params);
  return add_product(context, product, std::move(dispatch), work_groups(tile, shape) * kInvocations);
}

std::string reason_of(const GroupTile& tile, const ProductShape& shape, const DeviceTraits& traits) {
  const std::string what = std::to_string(tile.group_pixels()) + " pixels x " + std::to_string(4 * tile.group_vectors()) +
                           " channels to a work group, which reads them once, through shared memory: ";
  if (traits.forms.contains(KernelForm::kTiles)) return what + "asked for";
  return what + "the largest tile within " + std::to_string(traits.registers) + " registers whose " +
         grouped_digits(work_groups(tile, shape) * kInvocations) + " invocations keep the device busy (" +
         grouped_digits(wanted_invocations(traits.machine)) + " do)";
}

}  // namespace nnvk::vulkan
