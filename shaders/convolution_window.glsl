// How the window of a dense convolution moves over an image, and the number of channel groups. Include it after NNVK_PARAMS; it
// needs WINDOW.

uint group_count() { return params.channel_tiles / params.group_tiles; }

// One axis of a window. Tap n is filter cell first + n * step and reads input coordinate start + n * advance, where each pixel
// has its own start.
struct WindowAxis {
  uint taps;
  uint first;
  uint step;
  int advance;
};

WindowAxis window_axis(uint filter_size, int stride, int dilation, uint phase, int pad) {
  if (WINDOW != kWindowTransposed) return WindowAxis(filter_size, 0, 1, dilation);
  // Only every stride-th filter cell meets an input pixel. The first such cell is `first`; each further cell meets the pixel
  // before.
  const uint first = (phase + uint(pad)) % uint(stride);
  return WindowAxis(first < filter_size ? (filter_size - 1 - first) / uint(stride) + 1 : 0, first, uint(stride), -1);
}

bool inside_image(int i, uint size) { return WINDOW == kWindowInside || (i >= 0 && i < int(size)); }
