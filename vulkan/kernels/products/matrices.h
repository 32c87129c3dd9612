// Products of bytes and of halves by cooperative matrices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The layout of one layer's weights, in chunks of 16 bytes (shaders/matrix_convolution_params.h).
struct MatrixLayout {
  uint32_t chunk_channels = 8;  // 8 halves or 16 bytes
  uint32_t tap_chunks = 0;      // per tap and group
  uint32_t columns = 0;         // output channels of a group, rounded up to whole vectors of four
  uint64_t group_chunks = 0;    // of all taps
  uint64_t weight_vectors = 0;
  uint64_t corrections = 0;    // corrections and scales: for bytes only
  uint32_t scale_vectors = 0;  // mantissas and exponents
  uint64_t packed_bytes() const { return 16 * (weight_vectors + corrections + scale_vectors); }
};
// Returns the layout of the weights of a product, in halves or bytes.
MatrixLayout matrix_layout(const ProductShape& shape);

// The sizes of the tiles for which matrix_convolution.comp is specialized.
struct MatrixChoice {
  MatrixShape shape;
  uint32_t block_rows = 1;  // matrices that a subgroup holds
  uint32_t block_columns = 1;
  uint32_t group_rows = 1;  // blocks of a work group: one for every subgroup
  uint32_t group_columns = 1;
  uint32_t pixels() const { return shape.rows * block_rows * group_rows; }  // of a work group
  uint32_t channels() const { return shape.columns * block_columns * group_columns; }
  bool operator==(const MatrixChoice&) const = default;
};

// These functions return how many work groups a layer needs, and how many bytes of shared memory each of them uses.
uint64_t matrix_work_groups(const MatrixChoice& choice, const FilterLayout& filter, uint64_t pixels);
uint32_t matrix_shared_bytes(const MatrixChoice& choice);

// Chooses the tiles. Returns nullopt if other kernels must compute the layer: the device has no usable matrices, something does
// not fit the device, or sums are too long for one dispatch (bounded_work.h). It also does if tiles would add too much padding,
// or leave more of the device idle than their speed outweighs.
std::optional<MatrixChoice> choose_matrices(const ProductShape& shape, const DeviceTraits& traits);

Status emit_matrices(const EmitContext& context, const Product& product, const MatrixChoice& choice);

// Returns a text for Dispatch::choice: "16 x 16 x 16 matrices, 64 pixels x 64 channels to a work group of 4 subgroups".
std::string reason_of(const MatrixChoice& choice, const ProductShape& shape, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
