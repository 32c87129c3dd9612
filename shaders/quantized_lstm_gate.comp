// One gate of QUANTIZED_LSTM before its activation function: the scaled products with input and previous output, the peephole,
// then layer normalization. Only the normalization adds the bias. One work group per batch row.
#version 450
#include "fixed_point_16.glsl"
#include "quantized_lstm_params.h"
#include "tensor.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool PEEPHOLE = false;
layout(constant_id = 1) const bool NORMALIZE = false;

NNVK_PARAMS(QuantizedLstmGateParams)
NNVK_INT_INPUT(0, in_input, kElementInt32)      // 16-bit values
NNVK_INT_INPUT(1, in_recurrent, kElementInt32)  // at most 2^30 in magnitude
NNVK_INT_INPUT(2, in_peephole, kElementInt16)
NNVK_INT_INPUT(3, in_cell, kElementInt16)
NNVK_INT_INPUT(4, in_norm, kElementInt16)
NNVK_INT_INPUT(5, in_bias, kElementInt32)
NNVK_OUTPUT(6, out_gate)

const uint LANES = kQuantizedLstmRowLanes;
shared int lane_sum[LANES];
shared uvec2 lane_squares[LANES];  // 64 bits: low, high

uvec2 add_64(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

// Returns the product of a 64-bit and a 32-bit number, which must fit 64 bits.
uvec2 multiply_64(uvec2 a, uint b) {
  uint high;
  uint low;
  umulExtended(a.x, b, high, low);
  return uvec2(low, high + a.y * b);
}

int gate_value(uint i, uint unit) {
  int v = clamp_16(in_input(i) + in_recurrent(i));
  if (PEEPHOLE) {
    const int scaled = scale_fixed_point(in_peephole(unit) * in_cell(i), params.peephole_mantissa, params.peephole_exponent);
    v = add_and_clamp_16(v, scaled);
  }
  return v;
}

// Returns the mean in units of 1/1024, with the specification's integer arithmetic; units are below 2^16.
int mean_of(int sum) {
  const uint magnitude = uint(abs(sum));
  const uint quotient = magnitude / params.units;
  const uint mean = quotient * 1024 + (magnitude - quotient * params.units) * 1024 / params.units;
  return sum < 0 ? -int(mean) : int(mean);
}

// Returns the variance; values below one count as one.
int variance_of(uvec2 squares, int mean) {
  const uvec2 scaled = multiply_64(squares, 1048576u / params.units);
  const uint magnitude = uint(abs(mean));
  const uvec2 squared_mean = multiply_64(uvec2(magnitude, 0), magnitude);
  uint borrow;
  const uint low = usubBorrow(scaled.x, squared_mean.x, borrow);
  const int high = int(scaled.y - squared_mean.y - borrow);
  return high < 0 ? 1 : max((high << 12) | int(low >> 20), 1);
}

int shift_left_saturated(int x, int n) {
  const int limit = 0x7FFFFFFF >> n;
  return x > limit ? 0x7FFFFFFF : (x < -limit - 1 ? -0x7FFFFFFF - 1 : x << n);
}

// Does the same as inverse_square_root() of core/base: returns 1 / sqrt(x) as mantissa and exponent.
ivec2 inverse_square_root(int x) {
  if (x <= 1) return ivec2(0x7FFFFFFF, 0);
  int shift = 11;
  for (; x >= (1 << 29); ++shift) x /= 4;
  const int doublings = (30 - findMSB(x)) / 2 - 1;
  shift -= doublings;
  x <<= 2 * doublings;  // now in [2^27, 2^29)
  const int quarter = rounding_shift_right(x >> 1, 1);
  int y = 1 << 28;
  for (int s = 0; s < 5; ++s) {
    const int cube = shift_left_saturated(multiply_high(multiply_high(y, y), y), 6);
    y = shift_left_saturated(multiply_high(402653184, y) - multiply_high(quarter, cube), 3);
  }
  y = multiply_high(y, 1518500250);
  return shift < 0 ? ivec2(y << -shift, 0) : ivec2(y, -shift);
}

int normalized(int v, int mean, ivec2 inverse, uint unit) {
  const int centered = scale_fixed_point(1024 * v - mean, inverse.x, inverse.y);
  const int weighted = centered * in_norm(unit) + in_bias(unit);
  const int rounded = (weighted > 0 ? weighted + 512 : weighted - 512) / 1024;
  return clamp_16(scale_fixed_point(rounded, params.norm_mantissa, params.norm_exponent));
}

void main() {
  const uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (row >= params.rows) return;
  const uint lane = gl_LocalInvocationID.x;
  const uint first = row * params.units;
  int mean = 0;
  ivec2 inverse = ivec2(0);
  if (NORMALIZE) {
    int sum = 0;
    uvec2 squares = uvec2(0);
    for (uint u = lane; u < params.units; u += LANES) {
      const int v = gate_value(first + u, u);
      sum += v;
      squares = add_64(squares, uvec2(uint(v * v), 0));
    }
    lane_sum[lane] = sum;
    lane_squares[lane] = squares;
    barrier();
    sum = 0;
    squares = uvec2(0);
    for (uint other = 0; other < LANES; ++other) {
      sum += lane_sum[other];
      squares = add_64(squares, lane_squares[other]);
    }
    mean = mean_of(sum);
    inverse = inverse_square_root(variance_of(squares, mean));
  }
  for (uint u = lane; u < params.units; u += LANES) {
    const int v = gate_value(first + u, u);
    out_gate_int(first + u, NORMALIZE ? normalized(v, mean, inverse, u) : v);
  }
}
