// One load of a dense convolution's or product's input. Include it after NNVK_PARAMS.

// Returns the input of step k for the pixel at `base`: channels 4*k .. 4*k+3, or with SCALAR_INPUT channel k in x.
vec4 load_input(uint base, uint k) {
  if (SCALAR_INPUT) return vec4(CENTER1(NNVK_SCALAR_OF(in_x, base + k * params.in_stride_channel)), 0.0, 0.0, 0.0);
  return CENTER(in_x(base + k));
}
