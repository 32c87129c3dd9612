// Chooses how sums are split.
#include "vulkan/kernels/split_sum.h"

#include "shaders/convolution_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/choice_reason.h"
#include "vulkan/kernels/emit_common.h"

namespace nnvk::vulkan {
namespace {

constexpr uint32_t kFewLanes = 8;
constexpr uint32_t kManyLanes = 32;  // with more, neighbouring lanes would read too few neighbouring weights
constexpr uint32_t kMostPixels = 4;  // of a work group; all use the weights that it reads
constexpr uint64_t kLeastSteps = 4;  // per invocation: for fewer, adding up the parts is not worth it

// The number of results, each a vector with whole sums.
uint64_t results(const TiledProduct& product) { return product.pixels * product.repetitions * product.columns; }

uint32_t pixels_of(const TiledProduct& product) {
  uint32_t pixels = 1;
  while (pixels < kMostPixels && pixels < product.pixels) pixels *= 2;
  return pixels;
}

}  // namespace

uint32_t SplitSum::vectors() const { return kSplitInvocations / lanes; }

uint64_t work_groups(const SplitSum& split, const TiledProduct& product) {
  return divide_up(product.pixels, split.pixels) * product.repetitions * divide_up(product.columns, split.vectors());
}

std::optional<SplitSum> choose_split_sum(const TiledProduct& product, uint64_t loads, const DeviceTraits& traits) {
  const bool asked_for = traits.forms.contains(KernelForm::kSplit);
  if (traits.leaves_out(KernelForm::kSplit) || (!asked_for && traits.is_software())) return {};
  if (product.window != kWindowPointwise || loads > uint64_t{kMostElementsPerInvocation} * kFewLanes) return {};
  const uint64_t wanted = wanted_invocations(traits.machine);
  if (!asked_for && (results(product) >= wanted || loads < kFewLanes * kLeastSteps)) return {};
  SplitSum split{.pixels = pixels_of(product), .lanes = kFewLanes};
  const bool idle = work_groups(split, product) * kSplitInvocations < wanted;
  if (idle && loads >= kManyLanes * kLeastSteps) split.lanes = kManyLanes;
  return split;
}

std::string reason_of(const SplitSum& split, const TiledProduct& product, const DeviceTraits& traits) {
  const std::string what = std::to_string(split.lanes) + " invocations share every sum of " + std::to_string(split.pixels) +
                           (split.pixels == 1 ? " pixel: " : " pixels: ");
  if (traits.forms.contains(KernelForm::kSplit)) return what + "asked for";
  return what + grouped_digits(results(product)) + " with whole sums would leave the device idle (" +
         grouped_digits(wanted_invocations(traits.machine)) + " keep it busy)";
}

}  // namespace nnvk::vulkan
