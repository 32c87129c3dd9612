// Chooses the kernels that multiply halves.
#include "vulkan/kernels/half_choice.h"

#include "half_convolution_kernels.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/half_convolution.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/kernels/product_tile.h"

namespace nnvk::vulkan {
namespace {

// Registers of 4 pixels x 8 channels (32 sums, and half as many for sums in half), from Mesa's compiler for AMD's RDNA. Half as
// many pixels need 64.
constexpr uint32_t kRegistersOfFourPixels = 128;
// Each tap costs about four more iterations, for entering and leaving its loops.
constexpr uint32_t kTapOverhead = 4;
// Storage buffers of the kernel that adds a residual, if it reads no texels.
constexpr uint32_t kBuffersWithResidual = 5;

}  // namespace

bool prefers_halves(OperandType type, bool relaxed, const DeviceTraits& traits) {
  if (traits.leaves_out(KernelForm::kHalf)) return false;
  if (!has_features_of(kernel_info(kernels::kHalfConvolution.id), traits)) return false;
  if (!traits.forms.contains(KernelForm::kHalf) && traits.is_software()) return false;
  return type == OperandType::kTensorFloat16 || (type == OperandType::kTensorFloat32 && relaxed);
}

std::optional<HalfChoice> choose_half(const FilterLayout& filter, const HalfWork& work, const DeviceTraits& traits) {
  if (!work.whole_vectors || filter.in_channels % 4 != 0) return std::nullopt;
  HalfChoice choice;
  choice.quads = filter.in_channels % 8 == 0 ? 2 : 1;
  const uint32_t steps = filter.in_channels / (4 * choice.quads);
  // Half of the possible iterations: an invocation may loop over the steps twice.
  if (uint64_t{work.taps} * (steps + kTapOverhead) > kMostElementsPerInvocation) return std::nullopt;
  if (packed_half_bytes(filter) > traits.max_storage_range) return std::nullopt;
  if (work.residual && traits.max_storage_buffers < kBuffersWithResidual) return std::nullopt;
  const uint64_t channel_tiles = filter.groups * half_columns(filter);
  choice.tile_pixels = choose_product_pixels(work.pixels, work.repetitions * channel_tiles,
                                             traits.registers < kRegistersOfFourPixels ? 2 : 4, traits);
  return choice;
}

}  // namespace nnvk::vulkan
