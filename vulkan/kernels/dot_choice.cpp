// Chooses the kernels that use integer dot products.
#include "vulkan/kernels/dot_choice.h"

#include "dot_convolution_kernels.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/product_tile.h"

namespace nnvk::vulkan {
namespace {

// Registers of 4 pixels x 8 channels (32 sums), from Mesa's compiler for AMD's RDNA. Half as many pixels need 48.
constexpr uint32_t kRegistersOfFourPixels = 84;
// Each tap costs about four more iterations, for entering and leaving its loops.
constexpr uint32_t kTapOverhead = 4;

}  // namespace

bool prefers_dot_products(const DeviceTraits& traits) {
  if (traits.leaves_out(KernelForm::kDot)) return false;
  if (!has_features_of(kernel_info(kernels::kDotConvolution.id), traits)) return false;
  return traits.fast_dot_products || traits.forms.contains(KernelForm::kDot);
}

DotLayout dot_layout(const FilterLayout& filter, uint32_t scale_channels) {
  DotLayout layout;
  layout.words = static_cast<uint32_t>(divide_up(filter.in_channels, 4));
  layout.corrections = uint64_t{filter.groups} * filter.columns;
  layout.weight_vectors = layout.corrections * filter.taps * layout.words;
  layout.scale_vectors = static_cast<uint32_t>(2 * divide_up(scale_channels, 4));
  return layout;
}

std::optional<DotChoice> choose_dot(const FilterLayout& filter, const DotLayout& layout, const DotWork& work,
                                    const DeviceTraits& traits) {
  if (!prefers_dot_products(traits)) return std::nullopt;
  if (uint64_t{work.taps} * (layout.words + kTapOverhead) > 2 * uint64_t{kMostElementsPerInvocation}) return std::nullopt;
  if (uint64_t{filter.taps} * layout.words > 2 * uint64_t{kMostElementsPerInvocation}) return std::nullopt;
  if (layout.packed_bytes() > traits.max_storage_range) return std::nullopt;
  DotChoice choice;
  choice.copies_image = !work.whole_words;
  if (choice.copies_image && work.image_bytes > traits.max_storage_range) return std::nullopt;
  choice.wide_input = layout.words % 4 == 0;
  choice.tile_vectors = filter.columns % 2 == 0 ? 2 : 1;
  const uint64_t channel_tiles = uint64_t{filter.groups} * filter.columns / choice.tile_vectors;
  choice.tile_pixels = choose_product_pixels(work.pixels, work.repetitions * channel_tiles,
                                             traits.registers < kRegistersOfFourPixels ? 2 : 4, traits);
  return choice;
}

}  // namespace nnvk::vulkan
