#include "tools/answers/masks.h"

#include <algorithm>
#include <map>

namespace nnvk::tools::answers {
namespace {

constexpr float kMostClass = 65535;

template <typename ClassOf>
Mask made_mask(const PictureShape& shape, const ClassOf& class_of) {
  Mask mask{.width = shape.width, .height = shape.height, .classes = {}, .shares = {}};
  mask.classes.reserve(size_t{shape.width} * shape.height);
  for (size_t pixel = 0; pixel < size_t{shape.width} * shape.height; ++pixel) {
    mask.classes.push_back(static_cast<uint16_t>(class_of(pixel)));
  }
  return mask;
}

}  // namespace

Mask mask_of_classes(std::span<const float> classes, const PictureShape& shape) {
  return made_mask(shape, [&](size_t pixel) { return std::clamp(classes[pixel], 0.0F, kMostClass); });
}

Mask mask_of_scores(std::span<const float> scores, const PictureShape& shape) {
  const size_t pixels = size_t{shape.width} * shape.height;
  return made_mask(shape, [&](size_t pixel) {
    const auto score = [&](size_t c) { return scores[shape.channels_first ? c * pixels + pixel : pixel * shape.channels + c]; };
    size_t best = 0;
    for (size_t c = 1; c < shape.channels; ++c) best = score(c) > score(best) ? c : best;
    return best;
  });
}

Mask mask_of_foreground(std::span<const float> fractions, const PictureShape& shape, float least) {
  return made_mask(shape, [&](size_t pixel) { return fractions[pixel] >= least ? 1 : 0; });
}

std::vector<Mask::Share> shares_of(const Mask& mask, const Labels* labels, int offset) {
  std::map<uint16_t, size_t> counts;
  for (const uint16_t number : mask.classes) ++counts[number];
  std::vector<Mask::Share> shares;
  for (const auto& [number, count] : counts) {
    shares.push_back({.number = number,
                      .label = labels ? label_of(*labels, number, offset) : "",
                      .share = static_cast<double>(count) / static_cast<double>(mask.classes.size())});
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &Mask::Share::share);
  return shares;
}

}  // namespace nnvk::tools::answers
