// The cooperative matrices that a device multiplies, and the choice of those that kernels use. Plain data and a pure choice.
#pragma once

#include <cstdint>
#include <span>

namespace nnvk::vulkan {

// The shape of a product of one subgroup: rows x depth elements times depth x columns elements. All zero: none.
struct MatrixShape {
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint32_t depth = 0;
  bool exists() const { return rows > 0; }
  bool operator==(const MatrixShape&) const = default;
};

// A row of vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR; types are values of VkComponentTypeKHR, `scope` of VkScopeKHR.
struct CooperativeMatrices {
  MatrixShape shape;
  int32_t left_type = 0;
  int32_t right_type = 0;
  int32_t accumulator_type = 0;
  int32_t result_type = 0;
  bool saturating = false;
  int32_t scope = 0;
};

// The elements of both sides; sums are float32 or 32-bit integers.
enum class MatrixElements : uint8_t { kHalves, kSignedBytes };

// Chooses the largest subgroup shape that matrix_convolution.comp can use. The shape's depth must divide the channels of a pixel
// that the kernel holds in shared memory, and rows of every matrix must begin at whole units of that memory.
MatrixShape choose_matrix_shape(std::span<const CooperativeMatrices> offered, MatrixElements elements);

}  // namespace nnvk::vulkan
