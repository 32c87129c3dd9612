// How a product is split over threads.
#pragma once

#include <cstddef>

#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

// The pixels of a tile. A thread computes a multiple of this number of pixels.
inline constexpr size_t kTileRows = 24;

// Calls compute(first pixel, end, first panel, end) for parts of the pixels, or for parts of the panels if there are few pixels.
template <class Compute>
void split_product(ThreadPool& threads, size_t pixels, size_t panels, double nanoseconds_per_tile_row, const Compute& compute) {
  if (pixels >= 4 * kTileRows * threads.threads() || panels < threads.threads()) {
    threads.parallel_rows(pixels, nanoseconds_per_tile_row * static_cast<double>(panels), kTileRows,
                          [&](size_t first, size_t end) { compute(first, end, size_t{0}, panels); });
  } else {
    threads.parallel_rows(panels, nanoseconds_per_tile_row * static_cast<double>(pixels), 3,
                          [&](size_t first, size_t end) { compute(size_t{0}, pixels, first, end); });
  }
}

}  // namespace nnvk::cpu
