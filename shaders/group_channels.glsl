// The output channels of a group of a dense convolution: bias and scales of four of them, and the width of a row of packed
// weights (convolution_pack.comp). Include it after convolution_epilogue.glsl and convolution_window.glsl; it needs GROUPING.

uint group_vectors() { return (params.group_channels + 3u) / 4u; }

// Returns how many vectors a row of packed weights has (packed_columns()).
uint row_vectors() {
  const uint tile = kConvolutionTileVectors;
  return group_vectors() <= 1 ? 1 : (group_vectors() + tile - 1) / tile * tile;
}

// Returns the bias and scales of vector `vector` of a group.
ChannelConstants constants_of(uint group, uint vector) {
  if (GROUPING == kGroupingMatrices) return channel_constants(TOTAL(0), 0, 1);
  if (GROUPING == kGroupingNone) return channel_constants(in_bias(vector), vector, group_vectors());
  TOTAL bias;
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    bias[j] = NNVK_SCALAR_OF(in_bias, group * params.group_channels + min(4 * vector + j, params.group_channels - 1));
  }
  return channel_constants(bias, group * group_vectors() + vector, group_count() * group_vectors());
}
