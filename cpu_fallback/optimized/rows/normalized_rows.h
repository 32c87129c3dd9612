// The loops of the normalisations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk::cpu {

// Rows of `size` elements, one behind the other. Functions compute the rows from `first` up to `end`.
struct FloatRows {
  const float* in = nullptr;
  float* out = nullptr;
  size_t size = 0;
};
void l2_normalize_rows(const FloatRows& rows, size_t first, size_t end);
// Computes slices [first, end), which lie side by side; the elements of a slice are `step` apart.
void l2_normalize_columns(const FloatRows& slices, size_t step, size_t first, size_t end);

// Rows of bytes, with at most 2^15 elements in a row.
struct ByteRows {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  size_t size = 0;
  bool is_signed = false;
  int32_t zero_point = 0;
};
void l2_normalize_rows(const ByteRows& rows, size_t first, size_t end);
void l2_normalize_columns(const ByteRows& slices, size_t step, size_t first, size_t end);

// The `size` pixels of a channel lie `step` elements apart: 1 for rows, the number of channels for columns.
struct InstanceRows {
  const float* in = nullptr;
  float* out = nullptr;
  size_t size = 0;
  size_t step = 1;
  float gamma = 1.0F;
  float beta = 0.0F;
  float epsilon = 0.0F;
};
void normalize_instance_rows(const InstanceRows& rows, size_t first, size_t end);
// Computes channels [first, end) of one image.
void normalize_instance_columns(const InstanceRows& rows, size_t image, size_t first, size_t end);

// out[i] = bias + alpha * the sum of in[j]^2 for all j of the row at most `radius` away from i.
struct NeighbourSquares {
  const float* in = nullptr;
  float* out = nullptr;
  size_t size = 0;
  size_t radius = 0;
  float bias = 0.0F;
  float alpha = 0.0F;
};
void sum_neighbour_squares(const NeighbourSquares& squares);
// Computes element i of `count` slices that lie side by side; the elements of a slice are `step` apart.
void sum_neighbour_squares_of_columns(const NeighbourSquares& squares, size_t step, size_t i, size_t count);

}  // namespace nnvk::cpu
