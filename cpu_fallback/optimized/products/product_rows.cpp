#include "cpu_fallback/optimized/products/product_rows.h"

namespace nnvk::cpu {

uint64_t ProductRows::reaching_runs(size_t x, size_t y, size_t count) const {
  const size_t last = x + count - 1;
  const size_t last_row = y + last / width;
  if (last_row >= height) return ~uint64_t{0};
  const bool is_one_row = last < width;
  const size_t first_column = is_one_row ? x : 0;
  const size_t last_column = is_one_row ? last : width - 1;
  uint64_t runs = 0;
  for (size_t t = 0; t < reach.size(); ++t) {
    const RunReach& r = reach[t];
    const bool is_read =
        r.rows.first <= last_row && y < r.rows.end && r.columns.first <= last_column && first_column < r.columns.end;
    runs |= uint64_t{is_read} << t;
  }
  return runs;
}

}  // namespace nnvk::cpu
