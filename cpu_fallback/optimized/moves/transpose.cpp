// Cuts matrices into blocks, and blocks into square tiles, which it transposes in registers. Compiled once per instruction set.
#include "cpu_fallback/optimized/moves/transpose.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu_fallback/optimized/moves/transpose.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace nnvk::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void transpose_elements(const TransposedMatrix& m) {
  for (size_t c = 0; c < m.columns; ++c) {
    const std::byte* read = m.from.first + c * sizeof(T);
    std::byte* write = m.to.first + static_cast<ptrdiff_t>(c) * m.to.step;
    for (size_t r = 0; r < m.rows; ++r, read += m.from.step, write += sizeof(T)) std::memcpy(write, read, sizeof(T));
  }
}

#if HWY_TARGET != HWY_SCALAR
// Transposes kSide x kSide elements. Interleaving row i with row i + kSide / 2 is a perfect shuffle; log2(kSide) shuffles turn
// rows into columns.
template <class T, size_t kSide>
HWY_INLINE void transpose_tile(const std::byte* from, ptrdiff_t from_step, std::byte* to, ptrdiff_t to_step) {
  const hn::FixedTag<T, kSide> lanes;
  using Row = hn::Vec<decltype(lanes)>;
  Row rows[kSide];
  Row shuffled[kSide];
  for (size_t i = 0; i < kSide; ++i) {
    rows[i] = hn::LoadU(lanes, reinterpret_cast<const T*>(from + static_cast<ptrdiff_t>(i) * from_step));
  }
  for (size_t done = 1; done < kSide; done *= 2) {
    for (size_t i = 0; i < kSide / 2; ++i) {
      shuffled[2 * i] = hn::InterleaveLower(lanes, rows[i], rows[i + kSide / 2]);
      shuffled[2 * i + 1] = hn::InterleaveUpper(lanes, rows[i], rows[i + kSide / 2]);
    }
    for (size_t i = 0; i < kSide; ++i) rows[i] = shuffled[i];
  }
  for (size_t i = 0; i < kSide; ++i) {
    hn::StoreU(rows[i], lanes, reinterpret_cast<T*>(to + static_cast<ptrdiff_t>(i) * to_step));
  }
}

// Transposes a matrix tile by tile. The last tile of a row or column ends where the matrix ends, and so overlaps the tile before
// it.
template <class T, size_t kSide>
void transpose_tiles(const TransposedMatrix& m) {
  constexpr ptrdiff_t kWidth = sizeof(T);
  for (size_t c = 0; c < m.columns; c += kSide) {
    const auto column = static_cast<ptrdiff_t>(std::min(c, m.columns - kSide));
    for (size_t r = 0; r < m.rows; r += kSide) {
      const auto row = static_cast<ptrdiff_t>(std::min(r, m.rows - kSide));
      transpose_tile<T, kSide>(m.from.first + row * m.from.step + column * kWidth, m.from.step,
                               m.to.first + column * m.to.step + row * kWidth, m.to.step);
    }
  }
}
#endif

template <class T>
void transpose_as(const TransposedMatrix& m) {
#if HWY_TARGET != HWY_SCALAR
  const size_t side = std::min(m.rows, m.columns);
  if constexpr (sizeof(T) == 1) {
    if (side >= 16) return transpose_tiles<T, 16>(m);
    if (side >= 8) return transpose_tiles<T, 8>(m);
  }
  if constexpr (sizeof(T) == 2) {
    if (side >= 8) return transpose_tiles<T, 8>(m);
  }
  if constexpr (sizeof(T) <= 4) {
    if (side >= 4) return transpose_tiles<T, 4>(m);
  }
#endif
  transpose_elements<T>(m);
}

void transpose_block(const TransposedMatrix& m, size_t element) {
  struct Sixteen {
    std::byte bytes[16];
  };
  if (element == 1) return transpose_as<uint8_t>(m);
  if (element == 2) return transpose_as<uint16_t>(m);
  if (element == 4) return transpose_as<uint32_t>(m);
  if (element == 8) return transpose_elements<uint64_t>(m);
  transpose_elements<Sixteen>(m);
}

}  // namespace nnvk::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nnvk::cpu {

HWY_EXPORT(transpose_block);

namespace {

constexpr size_t kBlockRows = 64;
constexpr size_t kBlockBytes = 64;  // of every row: a cache line

}  // namespace

TransposedBlocks::TransposedBlocks(size_t rows, size_t columns, size_t element)
    : element_(element),
      block_columns_(kBlockBytes / element),
      down_((rows + kBlockRows - 1) / kBlockRows),
      across_((columns + block_columns_ - 1) / block_columns_),
      cells_(static_cast<double>(rows * columns)) {}

void TransposedBlocks::run(const TransposedMatrix& matrix, size_t first, size_t end) const {
  for (size_t block = first; block < end; ++block) {
    const size_t row = block % down_ * kBlockRows;
    const size_t column = block / down_ * block_columns_;
    TransposedMatrix part = matrix;
    part.from.first += static_cast<ptrdiff_t>(row) * matrix.from.step + static_cast<ptrdiff_t>(column * element_);
    part.to.first += static_cast<ptrdiff_t>(column) * matrix.to.step + static_cast<ptrdiff_t>(row * element_);
    part.rows = std::min(kBlockRows, matrix.rows - row);
    part.columns = std::min(block_columns_, matrix.columns - column);
    HWY_DYNAMIC_DISPATCH(transpose_block)(part, element_);
  }
}

void transpose_matrices(const std::byte* from, std::byte* to, const MatrixStack& shape, size_t element, ThreadPool& threads) {
  const TransposedBlocks blocks(shape.rows, shape.columns, element);
  const size_t bytes = shape.rows * shape.columns * element;
  threads.parallel_rows(shape.count * blocks.count(), blocks.nanoseconds(), 1, [&](size_t first, size_t end) {
    while (first < end) {
      const size_t matrix = first / blocks.count();
      const size_t block = first % blocks.count();
      const size_t count = std::min(blocks.count() - block, end - first);
      const TransposedMatrix turned{{from + matrix * bytes, static_cast<ptrdiff_t>(shape.columns * element)},
                                    {to + matrix * bytes, static_cast<ptrdiff_t>(shape.rows * element)},
                                    shape.rows,
                                    shape.columns};
      blocks.run(turned, block, block + count);
      first += count;
    }
  });
}

}  // namespace nnvk::cpu
#endif
