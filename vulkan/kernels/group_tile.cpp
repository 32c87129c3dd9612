// Chooses tiles in shared memory.
#include "vulkan/kernels/group_tile.h"

#include "shaders/convolution_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/choice_reason.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

constexpr uint32_t kInvocations = kTiledRows * kTiledColumns;
constexpr uint32_t kChannelsAtOnce = 16;  // input channels of a pixel that shared memory holds

// Best first, with approximate registers from Mesa's compilers for AMD (perf/static). The smaller tile excludes AMD's GPUs before
// RDNA: its shared memory would let at most three subgroups run on a SIMD unit there.
struct Candidate {
  GroupTile tile;
  uint32_t registers;
  uint32_t registers_for_scalars;  // if the input is read element by element
};
constexpr Candidate kCandidates[] = {{{8, 2}, 128, 160}, {{4, 2}, 80, 112}};

// A tile reads at most an eighth of the data that tiles of single invocations read, but also multiplies its padding.
constexpr double kMostPadding = 1.25;

double padded_products(const GroupTile& tile, const TiledProduct& product, uint64_t channels) {
  return static_cast<double>(work_groups(tile, product)) * tile.group_pixels() * 4 * tile.group_vectors() *
         static_cast<double>(divide_up(channels, kChannelsAtOnce) * kChannelsAtOnce);
}

double real_products(const TiledProduct& product, uint64_t channels) {
  return static_cast<double>(product.pixels) * static_cast<double>(product.repetitions) * 4 * product.columns *
         static_cast<double>(channels);
}

}  // namespace

uint32_t GroupTile::group_pixels() const { return kTiledRows * pixels; }
uint32_t GroupTile::group_vectors() const { return kTiledColumns * vectors; }

uint64_t work_groups(const GroupTile& tile, const TiledProduct& product) {
  return divide_up(product.pixels, tile.group_pixels()) * product.repetitions * divide_up(product.columns, tile.group_vectors());
}

std::optional<GroupTile> choose_group_tile(const TiledProduct& product, uint64_t channels, const DeviceTraits& traits) {
  const bool asked_for = traits.forms.contains(KernelForm::kTiles);
  if (traits.leaves_out(KernelForm::kTiles) || (!asked_for && traits.machine.kind != MachineKind::kDiscrete)) return {};
  if (product.window == kWindowTransposed || channels > kMostElementsPerInvocation) return {};
  if (asked_for) return product.pixels < kCandidates[0].tile.group_pixels() ? kCandidates[1].tile : kCandidates[0].tile;
  for (const auto& [tile, registers_for_vectors, registers_for_scalars] : kCandidates) {
    const uint32_t registers = product.scalar_input ? registers_for_scalars : registers_for_vectors;
    const bool fills = work_groups(tile, product) * kInvocations >= wanted_invocations(traits.machine);
    const bool wastes = padded_products(tile, product, channels) > kMostPadding * real_products(product, channels);
    if (registers <= traits.registers && fills && !wastes) return tile;
  }
  return {};
}

std::string reason_of(const GroupTile& tile, const TiledProduct& product, const DeviceTraits& traits) {
  const std::string what = std::to_string(tile.group_pixels()) + " pixels x " + std::to_string(4 * tile.group_vectors()) +
                           " channels to a work group, which reads them once, through shared memory: ";
  if (traits.forms.contains(KernelForm::kTiles)) return what + "asked for";
  return what + "the largest tile within " + std::to_string(traits.registers) + " registers whose " +
         grouped_digits(work_groups(tile, product) * kInvocations) + " invocations keep the device busy (" +
         grouped_digits(wanted_invocations(traits.machine)) + " do)";
}

}  // namespace nnvk::vulkan
