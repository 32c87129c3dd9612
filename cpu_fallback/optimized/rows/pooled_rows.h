// Rows of pooled images, channels last: AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#pragma once

#include <cstddef>

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"

namespace nnvk::cpu {

enum class PoolKind : uint8_t { kAverage, kMax, kL2 };

// Channels [first_channel, end_channel) of one output row, whose windows cover the image rows [first_row, end_row).
struct PooledRow {
  const std::byte* image = nullptr;  // of the row's batch
  size_t first_row = 0;
  size_t end_row = 0;
  size_t in_width = 0;
  size_t channels = 0;  // of a pixel
  size_t first_channel = 0;
  size_t end_channel = 0;
  size_t window_width = 0;
  size_t stride = 0;
  ptrdiff_t left = 0;  // begin of the first window; negative: in the padding
  size_t out_width = 0;
  std::byte* out = nullptr;
  ActivationBounds float_bounds{};
  QuantizedBounds bounds{};
};

// Elements are floats or bytes, signed or not; kL2: floats. Windows of bytes have at most kMostPooledBytes cells.
inline constexpr size_t kMostPooledBytes = size_t{1} << 21;
void pool_row(PoolKind kind, OperandType type, const PooledRow& row);

}  // namespace nnvk::cpu
