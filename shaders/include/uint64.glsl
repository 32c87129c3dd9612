// 64-bit unsigned integers as uvec2 (low word first), for devices without them.
#ifndef NNVK_SHADERS_UINT64_GLSL
#define NNVK_SHADERS_UINT64_GLSL

uvec2 add64(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}
uvec2 subtract64(uvec2 a, uvec2 b) {
  uint borrow;
  const uint low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}
bool less64(uvec2 a, uvec2 b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

// Returns a * b modulo 2^64.
uvec2 multiply64(uvec2 a, uvec2 b) {
  uint high;
  uint low;
  umulExtended(a.x, b.x, high, low);
  return uvec2(low, high + a.x * b.y + a.y * b.x);
}
// Returns all 128 bits of a * b, low word first.
uvec4 multiply64_wide(uvec2 a, uvec2 b) {
  uvec2 ll, lh, hl, hh;
  umulExtended(a.x, b.x, ll.y, ll.x);
  umulExtended(a.x, b.y, lh.y, lh.x);
  umulExtended(a.y, b.x, hl.y, hl.x);
  umulExtended(a.y, b.y, hh.y, hh.x);
  const uvec2 middle = add64(add64(uvec2(ll.y, 0u), uvec2(lh.x, 0u)), uvec2(hl.x, 0u));
  const uvec2 top = add64(add64(hh, uvec2(lh.y, 0u)), add64(uvec2(hl.y, 0u), uvec2(middle.y, 0u)));
  return uvec4(ll.x, middle.x, top.x, top.y);
}
// Returns the upper half of a * b.
uvec2 multiply64_high(uvec2 a, uvec2 b) { return multiply64_wide(a, b).zw; }

// Shifts by n in [0, 64]; 64 gives 0.
uvec2 shift_left64(uvec2 a, uint n) {
  if (n == 0u) return a;
  if (n >= 64u) return uvec2(0u);
  if (n >= 32u) return uvec2(0u, a.x << (n - 32u));
  return uvec2(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}
uvec2 shift_right64(uvec2 a, uint n) {
  if (n == 0u) return a;
  if (n >= 64u) return uvec2(0u);
  if (n >= 32u) return uvec2(a.y >> (n - 32u), 0u);
  return uvec2((a.x >> n) | (a.y << (32u - n)), a.y >> n);
}
// Rotates right by n in [1, 63].
uvec2 rotate_right64(uvec2 a, uint n) { return shift_right64(a, n) | shift_left64(a, 64u - n); }

#endif
