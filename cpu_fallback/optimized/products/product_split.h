// How a product is split over threads.
#pragma once

#include <cstddef>

#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

// The pixels of a tile. A thread computes a multiple of this number of pixels.
inline constexpr size_t kTileRows = 24;

// The bytes of weights that a thread reads in a nanosecond, from a cache far away. With few pixels, a product takes as long.
inline constexpr double kWeightBytesPerNanosecond = 100;

// The size of a product. `nanoseconds`: of one pixel and one panel. `panel_bytes`: the weights of a panel; 0 if they have just
// been written.
struct ProductSize {
  size_t pixels = 0;
  size_t panels = 0;
  double nanoseconds = 0;
  size_t panel_bytes = 0;
};

// Calls compute(first pixel, end, first panel, end) for parts of the pixels, or for parts of the panels if there are few pixels.
template <class Compute>
void split_product(ThreadPool& threads, const ProductSize& size, const Compute& compute) {
  const size_t pixels = size.pixels;
  const size_t panels = size.panels;
  if (pixels >= 4 * kTileRows * threads.threads() || panels < threads.threads()) {
    threads.parallel_rows(pixels, size.nanoseconds * static_cast<double>(panels), kTileRows,
                          [&](size_t first, size_t end) { compute(first, end, size_t{0}, panels); });
  } else {
    const double nanoseconds =
        size.nanoseconds * static_cast<double>(pixels) + static_cast<double>(size.panel_bytes) / kWeightBytesPerNanosecond;
    threads.parallel_rows(panels, nanoseconds, 3, [&](size_t first, size_t end) { compute(size_t{0}, pixels, first, end); });
  }
}

}  // namespace nnvk::cpu
