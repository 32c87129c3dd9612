// Arithmetic of boxes, the shader twin of cpu_fallback/reference/boxes.h (same function names). Comparisons of these floats
// decide which boxes remain, so every device must compute the same float32 operations in the same order. So everything is
// `precise`, divisions are corrected, and nothing depends on how min, max or comparisons treat NaN.
#ifndef NNVK_SHADERS_BOX_ARITHMETIC_GLSL
#define NNVK_SHADERS_BOX_ARITHMETIC_GLSL

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7FFFFFFFu) > 0x7F800000u; }
float not_a_number() { return uintBitsToFloat(0x7FC00000u); }

// Returns whether products and their rounding errors are normal numbers if a factor has the exponent of x.
bool is_moderate(float x) {
  const uint exponent = (floatBitsToUint(x) >> 23) & 0xFFu;
  return exponent > 60u && exponent < 220u;
}

// Returns a / b rounded to nearest. Division may be off by 2.5 units in the last place. The remainder a - q * b, computed exactly
// from the halves of q and b (Dekker), corrects it. 0 / 0 is NaN; other divisions by 0 are infinite.
float divide(float a, float b) {
  if (b == 0.0) {
    if (a == 0.0 || is_nan(a)) return not_a_number();
    return uintBitsToFloat(((floatBitsToUint(a) ^ floatBitsToUint(b)) & 0x80000000u) | 0x7F800000u);
  }
  precise const float q = a / b;
  if (!is_moderate(a) || !is_moderate(b) || !is_moderate(q)) return q;
  precise const float q_scaled = q * 4097.0;
  precise const float q_high = q_scaled - (q_scaled - q);
  precise const float q_low = q - q_high;
  precise const float b_scaled = b * 4097.0;
  precise const float b_high = b_scaled - (b_scaled - b);
  precise const float b_low = b - b_high;
  precise const float product = q * b;
  precise const float lost = ((q_high * b_high - product) + q_high * b_low + q_low * b_high) + q_low * b_low;
  precise const float remainder = (a - product) - lost;
  precise const float corrected = q + remainder / b;
  return corrected;
}

// Returns the nearest integer, halves away from zero.
float round_half_away(float x) {
  precise const float whole = trunc(x);
  precise const float rest = abs(x - whole);
  return rest >= 0.5 ? whole + sign(x) : whole;
}

float exponential(float x) {
  if (is_nan(x)) return x;
  if (x > 88.72283) return uintBitsToFloat(0x7F800000u);
  if (x < -87.33654) return 0.0;
  precise const float n = floor(x * 1.44269504 + 0.5);
  precise const float coarse = x - n * 0.693359375;
  precise const float fine = n * 2.12194440e-4;
  precise const float r = coarse + fine;
  precise const float taken = r - coarse;
  precise const float r_rest = (coarse - (r - taken)) + (fine - taken);
  precise const float scaled = r * 4097.0;
  precise const float high = scaled - (scaled - r);
  precise const float low = r - high;
  precise const float square = r * r;
  precise const float square_rest = ((high * high - square) + 2.0 * high * low) + low * low;
  precise float series = 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  precise const float line = 1.0 + r;
  precise const float line_rest = r - (line - 1.0);
  precise const float half_square = 0.5 * square;
  precise const float parabola = line + half_square;
  precise const float parabola_rest = half_square - (parabola - line);
  precise const float rest = ((series * square) * r + (0.5 * square_rest + (r_rest + r_rest * r))) + (line_rest + parabola_rest);
  precise const float fraction = parabola + rest;
  const int power = int(n);
  const int half_power = power >> 1;
  precise const float result = fraction * uintBitsToFloat(uint(half_power + 127) << 23) *
                               uintBitsToFloat(uint(power - half_power + 127) << 23);
  return result;
}

uint score_order(float score) {
  const uint bits = floatBitsToUint(score);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0u;
  if ((bits & 0x7FFFFFFFu) == 0u) return 0x80000000u;
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

// Returns false for x1 > x2, for y1 > y2, and for NaN. A box is a vec4 of its corners x1, y1, x2, y2.
bool well_formed(vec4 box) {
  return !is_nan(box.x) && !is_nan(box.y) && !is_nan(box.z) && !is_nan(box.w) && box.x <= box.z && box.y <= box.w;
}

// These functions return std::min and std::max: the first argument unless the second one is less / greater.
float lesser(float a, float b) { return b < a ? b : a; }
float greater(float a, float b) { return a < b ? b : a; }

// Returns min(max(v, 0), limit); NaN passes through.
float clip(float v, float limit) { return is_nan(v) ? v : lesser(greater(v, 0.0), limit); }

vec4 transform_box(vec4 box, vec4 delta, float image_height, float image_width) {
  precise const vec2 old_size = box.zw - box.xy;
  precise const vec2 old_centre = (box.xy + box.zw) * 0.5;
  vec2 growth;
  for (uint d = 0; d < 2; ++d) growth[d] = exponential(delta[d + 2]);  // a loop, because compilers inline every call
  precise const vec2 size = growth * old_size;
  precise const vec2 centre = old_centre + delta.xy * old_size;
  precise const vec4 corners = vec4(centre - size * 0.5, centre + size * 0.5);
  return vec4(clip(corners.x, image_width), clip(corners.y, image_height), clip(corners.z, image_width),
              clip(corners.w, image_height));
}

float intersection_over_union(vec4 a, vec4 b) {
  precise const float area_a = (a.z - a.x) * (a.w - a.y);
  precise const float area_b = (b.z - b.x) * (b.w - b.y);
  precise const float width = greater(0.0, lesser(a.z, b.z) - greater(a.x, b.x));
  precise const float height = greater(0.0, lesser(a.w, b.w) - greater(a.y, b.y));
  precise const float intersection = width * height;
  precise const float whole = area_a + area_b - intersection;
  return divide(intersection, whole);
}

#endif
