// Computes exp, log, sin and pow to within a few units in the last place over the whole range. Vulkan promises far less for the
// built-in functions (sin: 2^-11), and software Vulkan gives no more. Everything is `precise`: the same bits on every device that
// rounds to nearest. Results below the smallest normal float become 0, since denormals are slow and drivers may flush them.
#ifndef NNVK_SHADERS_EXACT_MATH_GLSL
#define NNVK_SHADERS_EXACT_MATH_GLSL

#define NNVK_INFINITY uintBitsToFloat(0x7F800000u)
#define NNVK_NAN uintBitsToFloat(0x7FC00000u)
// ln 2 in two parts; the first has nine bits, so that its products with exponents are exact.
const float kNnvkLn2High = 0.693359375;
const float kNnvkLn2Low = -2.12194440e-4;
const float kNnvkTwoOverLn2 = 2.88539;  // rounded; its rounding error is below
const float kNnvkTwoOverLn2Low = 3.851926e-8;

bvec4 nnvk_both(bvec4 a, bvec4 b) { return bvec4(uvec4(a) & uvec4(b)); }
bvec2 nnvk_both(bvec2 a, bvec2 b) { return bvec2(uvec2(a) & uvec2(b)); }

// Returns 2^n for n in [-126, 127].
float nnvk_power_of_two(int n) { return intBitsToFloat((n + 127) << 23); }
vec2 nnvk_power_of_two(ivec2 n) { return intBitsToFloat((n + 127) << 23); }
vec4 nnvk_power_of_two(ivec4 n) { return intBitsToFloat((n + 127) << 23); }

// Returns e^r for |r| <= 0.35.
vec4 nnvk_exp_near_zero(vec4 r) {
  precise const vec4 tail = 0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0)))));
  precise const vec4 y = 1.0 + (r + r * r * tail);
  return y;
}

vec4 exact_exp(vec4 x) {
  const vec4 bounded = mix(mix(x, vec4(-88.0), lessThan(x, vec4(-88.0))), vec4(89.0), greaterThan(x, vec4(89.0)));
  const vec4 safe = mix(bounded, vec4(0.0), isnan(x));
  precise const vec4 n = floor(safe * 1.44269504 + 0.5);
  precise const vec4 r = (safe - n * kNnvkLn2High) - n * kNnvkLn2Low;
  const ivec4 whole = max(ivec4(n), ivec4(-126));
  const ivec4 part = whole >> 1;  // 2^128 is not a float
  const vec4 y = nnvk_exp_near_zero(r) * nnvk_power_of_two(part) * nnvk_power_of_two(whole - part);
  return mix(mix(y, vec4(0.0), lessThan(x, vec4(-87.3365))), x, isnan(x));
}

// Splits a positive finite float into m * 2^exponent with m in [sqrt(1/2), sqrt(2)), and returns m.
vec4 nnvk_split_float(vec4 x, out ivec4 exponent) {
  const ivec4 bits = floatBitsToInt(x);
  const ivec4 shift = mix(ivec4(0), 23 - findMSB(bits), lessThan(bits, ivec4(0x00800000)));  // denormals
  const ivec4 normal = bits << shift;
  const ivec4 e = (normal - 0x3F3504F3) >> 23;
  exponent = e - shift;
  return intBitsToFloat(normal - (e << 23));
}

vec4 exact_log(vec4 x) {
  const bvec4 ordinary = nnvk_both(greaterThan(floatBitsToInt(x), ivec4(0)), lessThan(floatBitsToInt(x), ivec4(0x7F800000)));
  ivec4 exponent;
  precise const vec4 f = nnvk_split_float(mix(vec4(1.0), x, ordinary), exponent) - 1.0;
  // log(1 + f) = f - f^2/2 + s (f^2/2 + R) with s = f / (2 + f) and R the series of 2 atanh(s) / s - 2.
  precise const vec4 s = f / (2.0 + f);
  precise const vec4 z = s * s;
  precise const vec4 series = z * (2.0 / 3.0 + z * (2.0 / 5.0 + z * (2.0 / 7.0 + z * (2.0 / 9.0 + z * (2.0 / 11.0)))));
  precise const vec4 half_square = 0.5 * f * f;
  precise const vec4 e = vec4(exponent);
  precise const vec4 y = e * kNnvkLn2High + (f - (half_square - (s * (half_square + series) + e * kNnvkLn2Low)));
  // +inf and NaN stay the same, zeros give -inf, negative numbers NaN.
  const bvec4 zero = equal(floatBitsToInt(x) & 0x7FFFFFFF, ivec4(0));
  const bvec4 negative = lessThan(floatBitsToInt(x), ivec4(0));
  const vec4 special = mix(mix(x, vec4(NNVK_NAN), negative), vec4(-NNVK_INFINITY), zero);
  return mix(special, y, ordinary);
}

// The binary digits of 2/pi after the point, after one word of zeros.
const uint kNnvkTwoOverPi[8] = uint[8](0u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu);

// Returns the remainder of |x| >= 2^13 modulo pi/2, in [-pi/4, pi/4], and finds the quadrant. `magnitude`: the bits of |x|.
// Multiplies the mantissa by the 96 bits of 2/pi that decide the quadrant and the fraction after it.
float nnvk_reduce_far_angle(uint magnitude, out uint quadrant) {
  const uint mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  const uint start = (magnitude >> 23) - 120u;  // of these 96 bits: 32 + exponent of the last mantissa bit - 2
  const uint word = start >> 5;
  const uint shift = start & 31u;
  uint window[3];
  for (uint i = 0; i < 3; ++i) {
    const uint high = kNnvkTwoOverPi[word + i] << shift;
    window[i] = shift == 0u ? high : high | (kNnvkTwoOverPi[word + i + 1u] >> (32u - shift));
  }
  uint high_of_last;
  uint low_of_last;
  umulExtended(mantissa, window[2], high_of_last, low_of_last);
  uint high_of_middle;
  uint low_of_middle;
  umulExtended(mantissa, window[1], high_of_middle, low_of_middle);
  uint carry;
  const uint middle = uaddCarry(low_of_middle, high_of_last, carry);
  const uint top = mantissa * window[0] + high_of_middle + carry;
  const int rest = int((top << 2) | (middle >> 30));
  quadrant = (top >> 30) + (rest < 0 ? 1u : 0u);
  return float(rest) * 3.6572952e-10;  // pi/2 / 2^32
}

float exact_sin(float x) {
  const uint magnitude = floatBitsToUint(x) & 0x7FFFFFFFu;
  if (magnitude >= 0x7F800000u) return NNVK_NAN;
  const float a = uintBitsToFloat(magnitude);
  uint quadrant;
  float r;
  if (magnitude < 0x46000000u) {  // 2^13
    precise const float n = floor(a * 0.636619772 + 0.5);
    // pi/2 in three parts; the products with the first two are exact.
    precise const float reduced = ((a - n * 1.5703125) - n * 4.837512969970703125e-4) - n * 7.549789948768648e-8;
    quadrant = uint(n);
    r = reduced;
  } else {
    r = nnvk_reduce_far_angle(magnitude, quadrant);
  }
  precise const float z = r * r;
  precise const float sine = r + r * z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (1.0 / 362880.0))));
  precise const float cosine =
      1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0 - z * (1.0 / 3628800.0)))));
  const float y = (quadrant & 1u) == 0u ? sine : cosine;
  return ((quadrant & 2u) != 0u) != (x < 0.0) ? -y : y;
}
vec4 exact_sin(vec4 x) {
  vec4 y;
  for (uint lane = 0; lane < 4; ++lane) y[lane] = exact_sin(x[lane]);
  return y;
}

// The same functions for pairs: compilers remove what nobody reads.
vec2 nnvk_exp_near_zero(vec2 r) { return nnvk_exp_near_zero(r.xyxy).xy; }
vec2 nnvk_split_float(vec2 x, out ivec2 exponent) {
  ivec4 exponents;
  const vec2 m = nnvk_split_float(x.xyxy, exponents).xy;
  exponent = exponents.xy;
  return m;
}

// Returns the upper twelve bits of a mantissa: products of such halves are exact.
vec2 nnvk_upper_half(vec2 x) { return uintBitsToFloat(floatBitsToUint(x) & 0xFFFFF000u); }

// Returns the rounding error of `product` = a * b.
vec2 nnvk_product_error(vec2 a, vec2 b, vec2 product) {
  const vec2 a_high = nnvk_upper_half(a);
  const vec2 b_high = nnvk_upper_half(b);
  precise const vec2 a_low = a - a_high;
  precise const vec2 b_low = b - b_high;
  precise const vec2 error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return error;
}

// Returns log2 of a positive finite float as the sum of two floats, accurate to about 2^-30 of its value. The product y * log2(x)
// may be 128, and its last float digits must still be correct.
vec2 nnvk_log2_in_two_parts(vec2 x, out vec2 low_part) {
  ivec2 exponent;
  const vec2 m = nnvk_split_float(x, exponent);
  // s = (m - 1) / (m + 1), then log(m) = 2 atanh(s); s also needs a second float.
  precise const vec2 f = m - 1.0;
  precise const vec2 d = m + 1.0;
  precise const vec2 d_low = m - (d - 1.0);
  precise const vec2 s = f / d;
  precise const vec2 sd = s * d;
  precise const vec2 s_low = (((f - sd) - nnvk_product_error(s, d, sd)) - s * d_low) / d;
  precise const vec2 z = s * s;
  precise const vec2 series = s * z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * (1.0 / 9.0 + z * (1.0 / 11.0)))));
  precise const vec2 product = s * kNnvkTwoOverLn2;
  precise const vec2 product_low =
      nnvk_product_error(s, vec2(kNnvkTwoOverLn2), product) + (s * kNnvkTwoOverLn2Low + kNnvkTwoOverLn2 * (series + s_low));
  precise const vec2 e = vec2(exponent);
  precise const vec2 sum = e + product;
  precise const vec2 sum_low = (product - (sum - e)) + product_low;
  precise const vec2 high_part = sum + sum_low;
  precise const vec2 rest = sum_low - (high_part - sum);
  low_part = rest;
  return high_part;
}

// Returns pow for finite x > 0 and finite y.
vec2 nnvk_pow_of_positive(vec2 x, vec2 y) {
  vec2 log_low;
  precise const vec2 log_high = nnvk_log2_in_two_parts(x, log_low);
  precise const vec2 product = y * log_high;
  const bvec2 far = not(lessThan(abs(product), vec2(200.0)));
  const vec2 bounded = mix(product, vec2(0.0), far);
  const vec2 factor = mix(y, vec2(0.0), far);
  precise const vec2 product_low = nnvk_product_error(factor, log_high, bounded) + factor * log_low;
  precise const vec2 n = floor(bounded + 0.5);
  precise const vec2 r = ((bounded - n) + product_low) * 0.693147182;
  const ivec2 whole = clamp(ivec2(n), ivec2(-126), ivec2(254));
  const ivec2 part = whole >> 1;
  const vec2 power = nnvk_exp_near_zero(r) * nnvk_power_of_two(part) * nnvk_power_of_two(whole - part);
  const vec2 near = mix(power, vec2(0.0), lessThan(n, vec2(-126.0)));
  return mix(near, mix(vec2(0.0), vec2(NNVK_INFINITY), greaterThan(product, vec2(0.0))), far);
}

// Returns pow with the special cases of the C library.
vec2 nnvk_pow(vec2 x, vec2 y) {
  const ivec2 x_magnitude = floatBitsToInt(x) & 0x7FFFFFFF;
  const ivec2 y_magnitude = floatBitsToInt(y) & 0x7FFFFFFF;
  const bvec2 x_negative = lessThan(floatBitsToInt(x), ivec2(0));
  const bvec2 y_negative = lessThan(floatBitsToInt(y), ivec2(0));
  const bvec2 x_finite = lessThan(x_magnitude, ivec2(0x7F800000));
  const bvec2 y_finite = lessThan(y_magnitude, ivec2(0x7F800000));
  const bvec2 ordinary = nnvk_both(nnvk_both(x_finite, y_finite), notEqual(x_magnitude, ivec2(0)));
  vec2 power = nnvk_pow_of_positive(mix(vec2(1.0), intBitsToFloat(x_magnitude), ordinary), mix(vec2(1.0), y, ordinary));
  // Results that are not ordinary are 0 or infinity: powers of |x| > 1 grow with y, those of |x| < 1 with -y.
  const bvec2 grows = notEqual(greaterThan(x_magnitude, ivec2(0x3F800000)), y_negative);
  power = mix(mix(vec2(0.0), vec2(NNVK_INFINITY), grows), power, ordinary);

  const bvec2 small = lessThan(y_magnitude, ivec2(0x4B800000));  // floats from 2^24 on are even integers
  const vec2 small_y = mix(vec2(0.0), y, small);
  // Denormals are excluded: drivers that treat them as zero would take them for integers.
  const bvec2 normal = greaterThanEqual(y_magnitude, ivec2(0x00800000));
  const bvec2 integer = nnvk_both(equal(trunc(small_y), small_y), normal);
  const bvec2 odd = nnvk_both(integer, equal(ivec2(small_y) & 1, ivec2(1)));
  power = mix(power, -power, nnvk_both(x_negative, odd));
  // Negative finite bases other than -0 allow only integer exponents.
  const bvec2 undefined_power = nnvk_both(nnvk_both(x_negative, x_finite), nnvk_both(notEqual(x_magnitude, ivec2(0)), not(integer)));
  power = mix(power, vec2(NNVK_NAN), undefined_power);
  power = mix(power, vec2(NNVK_NAN), greaterThan(max(x_magnitude, y_magnitude), ivec2(0x7F800000)));
  const bvec2 minus_one_to_infinity = nnvk_both(equal(x_magnitude, ivec2(0x3F800000)), equal(y_magnitude, ivec2(0x7F800000)));
  power = mix(power, vec2(1.0), minus_one_to_infinity);
  power = mix(power, vec2(1.0), equal(y_magnitude, ivec2(0)));
  return mix(power, vec2(1.0), equal(floatBitsToInt(x), ivec2(0x3F800000)));
}

// Computes two pairs one after the other: four powers at once need more registers than 16 lanes of Intel's older GPUs have, and
// single ones leave software Vulkan waiting for their long chains of results.
vec4 exact_pow(vec4 x, vec4 y) { return vec4(nnvk_pow(x.xy, y.xy), nnvk_pow(x.zw, y.zw)); }

#endif
