// The end of every convolution kernel: bias, requantisation, activation, residual, store. convolution.comp and depthwise.comp
// include this file after convolution_bindings.glsl and NNVK_PARAMS; with NNVK_RESIDUAL, in_residual and RESIDUAL must exist.

// Values that all pixels of four consecutive output channels share; loaded once per tile.
struct ChannelConstants {
  TOTAL bias;
#ifdef NNVK_INTEGER
  ivec4 mantissa;
  ivec4 exponent;
#endif
};

// Returns the constants of vector `vector` of output channels. in_scales has `vectors` vectors of mantissas, then as many of
// exponents.
ChannelConstants channel_constants(TOTAL bias, uint vector, uint vectors) {
  ChannelConstants channels;
  channels.bias = bias;
#ifdef NNVK_INTEGER
  channels.mantissa = in_scales(vector);
  channels.exponent = in_scales(vectors + vector);
#endif
  return channels;
}

// Stores four consecutive output channels of one pixel, from channel 4 * vector of a group with `group_channels` channels, which
// begins `group_offset` elements into the output. The vector must exist.
void finish(uint pixel, uint group_offset, uint group_channels, uint vector, ChannelConstants channels, TOTAL total) {
#ifdef NNVK_INTEGER
  const ivec4 value = requantize(total + channels.bias, channels.mantissa, channels.exponent, params.out_zero_point,
                                 int(params.lo), int(params.hi));
#else
  vec4 value = clamp_activation(total + channels.bias, params.lo, params.hi);
#endif
  if (SCALAR_OUTPUT) {
    const uint plane = params.out_height * params.out_width;
    const uint batch = pixel / plane;
    const uint base = batch * plane * params.out_channels + (pixel - batch * plane) * params.out_stride_pixel + group_offset;
    [[unroll]] for (uint j = 0; j < 4; ++j) {
      const uint channel = 4 * vector + j;
      const uint i = base + channel * params.out_stride_channel;
      if (channel < group_channels) {
#ifdef NNVK_INTEGER
        out_y_int(i, value[j]);
#else
        float v = value[j];
#ifdef NNVK_RESIDUAL
        if (RESIDUAL) v = clamp_activation(v + NNVK_SCALAR_OF(in_residual, i), params.residual_lo, params.residual_hi);
#endif
        out_y_float(i, v);
#endif
      }
    }
  } else {
    const uint i4 = pixel * ((params.out_channels + 3u) / 4u) + group_offset / 4u + vector;
#ifdef NNVK_INTEGER
    out_y_int4(TYPE, i4, value);
#else
#ifdef NNVK_RESIDUAL
    if (RESIDUAL) value = clamp_activation(value + in_residual(i4), params.residual_lo, params.residual_hi);
#endif
    out_y_float4(TYPE, i4, value);
#endif
  }
}
