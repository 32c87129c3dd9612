#include "vulkan/traits/matrix_shape.h"

#include "shaders/matrix_convolution_params.h"

namespace nnvk::vulkan {
namespace {

// Values of VkComponentTypeKHR and VkScopeKHR.
constexpr int32_t kHalf = 0;
constexpr int32_t kFloat = 1;
constexpr int32_t kSignedByte = 3;
constexpr int32_t kSignedWord = 5;
constexpr int32_t kSubgroup = 3;

constexpr uint32_t kUnitBytes = 8;    // of the kernel's shared memory
constexpr uint32_t kChunkBytes = 16;  // of a pixel
constexpr uint32_t kMostRows = 64;    // and columns: larger ones do not fit a work group's tile several times

bool fits(const MatrixShape& shape, uint32_t element_bytes) {
  const uint32_t depth_bytes = shape.depth * element_bytes;
  if (depth_bytes == 0 || depth_bytes % kUnitBytes != 0 || kMatrixChunks * kChunkBytes % depth_bytes != 0) return false;
  return shape.rows > 0 && shape.rows <= kMostRows && shape.columns > 0 && shape.columns <= kMostRows && shape.columns % 4 == 0;
}

uint64_t products(const MatrixShape& shape) { return uint64_t{shape.rows} * shape.columns * shape.depth; }

}  // namespace

MatrixShape choose_matrix_shape(std::span<const CooperativeMatrices> offered, MatrixElements elements) {
  const bool halves = elements == MatrixElements::kHalves;
  const int32_t side = halves ? kHalf : kSignedByte;
  const int32_t sum = halves ? kFloat : kSignedWord;
  MatrixShape best;
  for (const CooperativeMatrices& one : offered) {
    const bool types = one.left_type == side && one.right_type == side && one.accumulator_type == sum && one.result_type == sum;
    if (!types || one.saturating || one.scope != kSubgroup || !fits(one.shape, halves ? 2 : 1)) continue;
    if (products(one.shape) > products(best)) best = one.shape;
  }
  return best;
}

}  // namespace nnvk::vulkan
