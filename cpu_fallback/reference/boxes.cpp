// Box arithmetic in float32, operation by operation as the specification writes it.
#include "cpu_fallback/reference/boxes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {

Box box_at(std::span<const float> values, size_t index) {
  const float* at = &values[4 * index];
  return {at[0], at[1], at[2], at[3]};
}

bool well_formed(const Box& box) { return box.x1 <= box.x2 && box.y1 <= box.y2; }

Status check_well_formed(const Box& box, const char* name, size_t index) {
  if (well_formed(box)) return {};
  return fail(Code::kOpFailed, std::string(name) + " " + std::to_string(index) + " has x1 > x2 or y1 > y2");
}

Result<uint32_t> image_of_box(std::span<const int32_t> images, size_t index, uint32_t image_count) {
  const int32_t image = read_once(images, index);
  if (image >= 0 && static_cast<uint32_t>(image) < image_count) return static_cast<uint32_t>(image);
  return fail(Code::kOpFailed, "box " + std::to_string(index) + " is of image " + std::to_string(image) + ", there are " +
                                   std::to_string(image_count));
}

void append_box(std::vector<float>& coordinates, const Box& box) {
  coordinates.insert(coordinates.end(), {box.x1, box.y1, box.x2, box.y2});
}

float exponential(float x) {
  constexpr float kLargest = 88.72283F;    // above it: infinity
  constexpr float kSmallest = -87.33654F;  // below it the result is no normal number
  if (std::isnan(x)) return x;
  if (x > kLargest) return std::numeric_limits<float>::infinity();
  if (x < kSmallest) return 0.0F;
  // x = n * ln 2 + r + r_rest. ln 2 has two parts; the first has few bits, so that n times it is exact.
  const float n = std::floor(x * 1.44269504F + 0.5F);
  const float coarse = x - n * 0.693359375F;
  const float fine = n * 2.12194440e-4F;
  const float r = coarse + fine;
  const float taken = r - coarse;
  const float r_rest = (coarse - (r - taken)) + (fine - taken);
  // r * r = square + square_rest, from the halves of r.
  const float scaled = r * 4097.0F;
  const float high = scaled - (scaled - r);
  const float low = r - high;
  const float square = r * r;
  const float square_rest = ((high * high - square) + 2.0F * high * low) + low * low;
  float series = 1.0F / 40320;
  for (const float coefficient : {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6}) series = series * r + coefficient;
  // 1 + r + r^2 / 2 + ..., with the rounding errors of the first two sums.
  const float line = 1.0F + r;
  const float line_rest = r - (line - 1.0F);
  const float half_square = 0.5F * square;
  const float parabola = line + half_square;
  const float parabola_rest = half_square - (parabola - line);
  const float rest = ((series * square) * r + (0.5F * square_rest + (r_rest + r_rest * r))) + (line_rest + parabola_rest);
  const float fraction = parabola + rest;
  // 2^n in two steps: 2^128 is no float.
  const int power = static_cast<int>(n);
  const int half = power >> 1;
  const auto power_of_two = [](int e) { return std::bit_cast<float>(static_cast<uint32_t>(e + 127) << 23); };
  return fraction * power_of_two(half) * power_of_two(power - half);
}

Box transform_box(const Box& box, std::span<const float> delta, float image_height, float image_width) {
  const float old_width = box.x2 - box.x1;
  const float old_height = box.y2 - box.y1;
  const float centre_x = (box.x1 + box.x2) / 2.0F;
  const float centre_y = (box.y1 + box.y2) / 2.0F;
  const float width = exponential(delta[2]) * old_width;
  const float height = exponential(delta[3]) * old_height;
  const float x = centre_x + delta[0] * old_width;
  const float y = centre_y + delta[1] * old_height;
  const auto clip = [](float v, float limit) { return std::min(std::max(v, 0.0F), limit); };
  return {clip(x - width / 2.0F, image_width), clip(y - height / 2.0F, image_height), clip(x + width / 2.0F, image_width),
          clip(y + height / 2.0F, image_height)};
}

}  // namespace nnvk::cpu
