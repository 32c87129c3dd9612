#include "tools/video/mask.h"

#include <algorithm>
#include <cmath>

#include "tools/answers/masks.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools::video {

using answers::Family;

std::optional<MaskOutput> mask_output_of(const answers::ModelFacts& facts) {
  for (const auto& reading : answers::interpret(facts, 0)) {
    const bool is_mask = reading.family == Family::kForeground || reading.family == Family::kClassPerPixel ||
                         reading.family == Family::kScoresPerPixel;
    if (!is_mask) continue;
    const size_t output = reading.outputs[0];
    return MaskOutput{output, reading.family, *answers::plane_of(facts.outputs[output].info, facts.picture->channels_first)};
  }
  return std::nullopt;
}

AlphaMask alpha_of(const MaskOutput& output, const Network& network, const Slot& results) {
  constexpr uint8_t kOpaque = 255;
  const auto values = decode(network.output_bytes(results, output.index), network.output(output.index).info);
  AlphaMask mask{.width = output.shape.width, .height = output.shape.height, .alpha = {}};
  if (output.family == Family::kForeground) {
    for (const float fraction : values) {
      mask.alpha.push_back(static_cast<uint8_t>(std::lround(std::clamp(fraction, 0.0F, 1.0F) * kOpaque)));
    }
    return mask;
  }
  const answers::Mask classes = output.family == Family::kClassPerPixel ? answers::mask_of_classes(values, output.shape)
                                                                        : answers::mask_of_scores(values, output.shape);
  for (const uint16_t number : classes.classes) mask.alpha.push_back(number != 0 ? kOpaque : 0);
  return mask;
}

}  // namespace nnvk::tools::video
