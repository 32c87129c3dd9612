#include "cpu_fallback/optimized/transpose.h"

#include <algorithm>
#include <cstdint>

namespace nnvk::cpu {
namespace {

constexpr size_t kBlock = 16;  // both sides of a block stay in the first cache

template <class T>
void transpose(const T* from, T* to, const MatrixStack& shape, ThreadPool& threads) {
  const size_t blocks = (shape.columns + kBlock - 1) / kBlock;
  threads.parallel_rows(shape.count * blocks, 0.5 * static_cast<double>(kBlock * shape.rows), 1, [&](size_t first, size_t end) {
    for (size_t block = first; block < end; ++block) {
      const size_t matrix = block / blocks * shape.rows * shape.columns;
      const size_t column = block % blocks * kBlock;
      const size_t columns = std::min(kBlock, shape.columns - column);
      for (size_t r = 0; r < shape.rows; ++r) {
        const T* const row = from + matrix + r * shape.columns + column;
        T* const out = to + matrix + column * shape.rows + r;
        for (size_t c = 0; c < columns; ++c) out[c * shape.rows] = row[c];
      }
    }
  });
}

}  // namespace

void transpose_matrices(const std::byte* from, std::byte* to, const MatrixStack& shape, size_t element, ThreadPool& threads) {
  const auto as = [&](auto tag) {
    using T = decltype(tag);
    transpose(reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), shape, threads);
  };
  if (element == 4) return as(uint32_t{});
  if (element == 2) return as(uint16_t{});
  as(uint8_t{});
}

}  // namespace nnvk::cpu
