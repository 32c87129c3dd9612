#include "cpu_fallback/optimized/products/float_depthwise.h"

#include <algorithm>

#include "core/operations/parameters/window_axis.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/products/float_depthwise.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "cpu_fallback/optimized/vectors/float_finish-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {

// Returns the cells of a filter (in one dimension) that lie on the image, for a window that begins at image position `start`.
IndexRange cells_on_image(int64_t start, int64_t dilation, int64_t cells, int64_t size) {
  const int64_t first = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  const int64_t end = start >= size ? 0 : (size - 1 - start) / dilation + 1;
  return {static_cast<size_t>(std::min(first, cells)), static_cast<size_t>(std::clamp(end, std::min(first, cells), cells))};
}

// Returns the outputs of a row whose windows lie entirely on the image.
IndexRange whole_windows(const WindowParameters& p) {
  const int64_t stride = p.stride_width;
  const int64_t last_cell = int64_t{p.filter_width - 1} * p.dilation_width;
  const int64_t width = p.out_width;
  const int64_t first = std::min((int64_t{p.pad_left} + stride - 1) / stride, width);
  const int64_t last_start = int64_t{p.in_width} - 1 - last_cell + p.pad_left;  // window starts from -pad_left on
  const int64_t end = last_start < 0 ? 0 : last_start / stride + 1;
  return {static_cast<size_t>(first), static_cast<size_t>(std::clamp(end, first, width))};
}

// One output row, and the channels of it that are computed.
struct FloatRow {
  const FloatDepthwise& p;
  const WindowParameters& window;
  IndexRange cells;    // filter rows on the image
  const float* image;  // the image row under the first of them
  size_t at;           // of the output row
  IndexRange channels;
  size_t padded;  // channels of the weights

  size_t image_row_step() const { return static_cast<size_t>(window.dilation_height) * window.in_width * window.in_channels; }
};

// Parameters that all vectors of channels share. Passed by value, they stay in registers: the compiler knows that stores do not
// change them.
struct VectorWalk {
  const FinishLanes& finish;
  size_t filter_rows;
  size_t row_step;      // of the image
  size_t pixel_step;    // between the columns of a filter, and between outputs
  size_t weights_step;  // from tap to tap
  float* out;
};

// The beginning of a vector of channels in each array.
struct VectorPlace {
  const float* image;
  const float* weights;
  size_t at;  // in the output

  HWY_INLINE VectorPlace channel(size_t c) const { return {image + c, weights + c, at + c}; }
};

// Computes a vector of channels of outputs whose windows share filter columns. With kIsPartial, the vector has `count` channels.
template <size_t kColumns, size_t kStride, size_t kOutputs, bool kIsPartial>
HWY_INLINE void compute_vector(VectorWalk walk, VectorPlace place, Floats bias, size_t count) {
  const FloatLanes lanes;
  const float* image = place.image;
  const float* weights = place.weights;
  Floats sums[kOutputs];
#pragma GCC unroll 16
  for (size_t o = 0; o < kOutputs; ++o) sums[o] = bias;
  for (size_t i = 0; i < walk.filter_rows; ++i, image += walk.row_step) {
    Floats factors[kColumns];
#pragma GCC unroll 16
    for (size_t j = 0; j < kColumns; ++j, weights += walk.weights_step) factors[j] = hn::Load(lanes, weights);
    const float* from = image;
#pragma GCC unroll 32
    for (size_t column = 0; column < (kOutputs - 1) * kStride + kColumns; ++column, from += walk.pixel_step) {
      Floats value;
      if constexpr (kIsPartial) {
        value = load_first(lanes, from, count);
      } else {
        value = hn::LoadU(lanes, from);
      }
#pragma GCC unroll 16
      for (size_t o = 0; o < kOutputs; ++o) {
        if (column >= o * kStride && column - o * kStride < kColumns) {
          sums[o] = hn::MulAdd(value, factors[column - o * kStride], sums[o]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (size_t o = 0; o < kOutputs; ++o, place.at += walk.pixel_step) {
    if constexpr (kIsPartial) {
      walk.finish.store_first_of(sums[o], walk.out, place.at, count);
    } else {
      walk.finish.store(sums[o], walk.out, place.at);
    }
  }
}

// Computes kOutputs outputs x, x + dilation and so on, whose windows share columns. (Dilated filters have stride 1.)
template <size_t kColumns, size_t kStride, size_t kOutputs>
void compute_outputs(const FloatRow& row, size_t x) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
  const size_t channels = row.window.in_channels;
  const FinishLanes finish(row.p.finish);
  const VectorWalk walk{finish,
                        row.cells.end - row.cells.first,
                        row.image_row_step(),
                        static_cast<size_t>(row.window.dilation_width) * channels,
                        row.padded,
                        row.p.out};
  const VectorPlace place{row.image + (x * kStride - static_cast<size_t>(row.window.pad_left)) * channels,
                          row.p.weights + row.cells.first * kColumns * row.padded, row.at + x * channels};
  const float* const bias = row.p.bias;
  const size_t end = row.channels.end;
  size_t c = row.channels.first;
  for (; c + n <= end; c += n) {
    compute_vector<kColumns, kStride, kOutputs, false>(walk, place.channel(c), hn::Load(lanes, bias + c), n);
  }
  if (c == end) return;
  compute_vector<kColumns, kStride, kOutputs, true>(walk, place.channel(c), hn::Load(lanes, bias + c), end - c);
}

template <size_t kColumns, size_t kStride>
void compute_whole_windows(const FloatRow& row, IndexRange outputs) {
  const auto step = static_cast<size_t>(row.window.dilation_width);
  for (size_t phase = 0; phase < step && outputs.first + phase < outputs.end; ++phase) {
    size_t x = outputs.first + phase;
    size_t left = (outputs.end - x + step - 1) / step;
    for (; left >= 8; left -= 8, x += 8 * step) compute_outputs<kColumns, kStride, 8>(row, x);
    if ((left & 4) != 0) {
      compute_outputs<kColumns, kStride, 4>(row, x);
      x += 4 * step;
    }
    if ((left & 2) != 0) {
      compute_outputs<kColumns, kStride, 2>(row, x);
      x += 2 * step;
    }
    if ((left & 1) != 0) compute_outputs<kColumns, kStride, 1>(row, x);
  }
}

// The part of a window that lies on the image.
struct CutWindow {
  size_t rows;
  size_t columns;
  size_t image_row_step;
  size_t image_column_step;
  size_t weights_row_step;
  size_t weights_column_step;
};

// Adds up neighbouring vectors of channels of one output. With kIsPartial there is one vector with `count` channels.
template <size_t kVectors, bool kIsPartial>
HWY_INLINE void compute_cut_window(CutWindow window, const float* image, const float* weights, const float* bias,
                                   Floats (&sums)[kVectors], size_t count) {
  const FloatLanes lanes;
  const size_t n = hn::Lanes(lanes);
#pragma GCC unroll 16
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Load(lanes, bias + v * n);
  for (size_t i = 0; i < window.rows; ++i, image += window.image_row_step, weights += window.weights_row_step) {
    const float* value = image;
    const float* factor = weights;
    for (size_t j = 0; j < window.columns; ++j, value += window.image_column_step, factor += window.weights_column_step) {
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) {
        Floats loaded;
        if constexpr (kIsPartial) {
          loaded = load_first(lanes, value, count);
        } else {
          loaded = hn::LoadU(lanes, value + v * n);
        }
        sums[v] = hn::MulAdd(loaded, hn::Load(lanes, factor + v * n), sums[v]);
      }
    }
  }
}

// Computes output x of the row, for any filter and with any part of the window outside the image.
void compute_output(const FloatRow& row, size_t x) {
  constexpr size_t kVectors = 4;
  const size_t n = hn::Lanes(FloatLanes());
  const WindowParameters& p = row.window;
  const size_t channels = p.in_channels;
  const int64_t start = static_cast<int64_t>(x) * p.stride_width - p.pad_left;
  const IndexRange columns = cells_on_image(start, p.dilation_width, p.filter_width, p.in_width);
  const auto first_column = static_cast<size_t>(start + static_cast<int64_t>(columns.first) * p.dilation_width);
  const float* const image = columns.first < columns.end ? row.image + first_column * channels : row.image;
  const float* const weights = row.p.weights + (row.cells.first * p.filter_width + columns.first) * row.padded;
  const float* const bias = row.p.bias;
  float* const out = row.p.out;
  const CutWindow window{row.cells.end - row.cells.first,
                         columns.end - columns.first,
                         row.image_row_step(),
                         static_cast<size_t>(p.dilation_width) * channels,
                         p.filter_width * row.padded,
                         row.padded};
  const FinishLanes finish(row.p.finish);
  const size_t at = row.at + x * channels;
  const size_t end = row.channels.end;
  size_t c = row.channels.first;
  for (; c + kVectors * n <= end; c += kVectors * n) {
    Floats sums[kVectors];
    compute_cut_window<kVectors, false>(window, image + c, weights + c, bias + c, sums, n);
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) finish.store(sums[v], out, at + c + v * n);
  }
  Floats sums[1];
  for (; c + n <= end; c += n) {
    compute_cut_window<1, false>(window, image + c, weights + c, bias + c, sums, n);
    finish.store(sums[0], out, at + c);
  }
  if (c == end) return;
  compute_cut_window<1, true>(window, image + c, weights + c, bias + c, sums, end - c);
  finish.store_first_of(sums[0], out, at + c, end - c);
}

using WholeWindows = void (*)(const FloatRow& row, IndexRange outputs);
// Returns the kernel for whole windows; null if filters of this kind are computed one output at a time.
WholeWindows whole_windows_kernel(const WindowParameters& p) {
  if (p.stride_width > (p.dilation_width == 1 ? 2 : 1)) return nullptr;
  const bool is_dense = p.stride_width == 1;
  if (p.filter_width == 3) return is_dense ? compute_whole_windows<3, 1> : compute_whole_windows<3, 2>;
  if (p.filter_width == 5) return is_dense ? compute_whole_windows<5, 1> : compute_whole_windows<5, 2>;
  return nullptr;
}

void depthwise(const FloatDepthwise& call, size_t first, size_t end) {
  const WindowParameters& p = *call.window;
  const size_t n = hn::Lanes(FloatLanes());
  const size_t channels = p.in_channels;
  const WholeWindows kernel = whole_windows_kernel(p);
  const IndexRange whole = kernel != nullptr ? whole_windows(p) : IndexRange{p.out_width, p.out_width};
  // A block of channels whose weights and image rows stay in the first-level cache.
  const size_t block = channels <= 16 * n ? channels : 12 * n;
  for (size_t c = 0; c < channels; c += block) {
    for (size_t m = first; m < end; ++m) {
      const int64_t start = static_cast<int64_t>(m % p.out_height) * p.stride_height - p.pad_top;
      const IndexRange cells = cells_on_image(start, p.dilation_height, p.filter_height, p.in_height);
      const auto image_row = static_cast<size_t>(start + static_cast<int64_t>(cells.first) * p.dilation_height);
      const size_t batch = m / p.out_height * p.in_height;
      const size_t above = cells.first < cells.end ? batch + image_row : batch;
      const FloatRow row{call,
                         p,
                         cells,
                         call.image + above * p.in_width * channels,
                         m * p.out_width * channels,
                         {c, std::min(c + block, channels)},
                         (channels + n - 1) / n * n};
      for (size_t x = 0; x < whole.first; ++x) compute_output(row, x);
      if (whole.first < whole.end) kernel(row, whole);
      for (size_t x = whole.end; x < p.out_width; ++x) compute_output(row, x);
    }
  }
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(depthwise);

void float_depthwise(const FloatDepthwise& call, size_t first, size_t end) { HWY_DYNAMIC_DISPATCH(depthwise)(call, first, end); }

}  // namespace nnvk::cpu
#endif
