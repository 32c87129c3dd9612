// Matrices turned over: between channels-last and channels-first images.
#pragma once

#include <cstddef>

#include "cpu_fallback/optimized/thread_pool.h"

namespace nnvk::cpu {

struct MatrixStack {
  size_t count = 0;
  size_t rows = 0;
  size_t columns = 0;
};

// to[i][c][r] = from[i][r][c], for elements of 1, 2 or 4 bytes.
void transpose_matrices(const std::byte* from, std::byte* to, const MatrixStack& shape, size_t element, ThreadPool& threads);

}  // namespace nnvk::cpu
