#include "cpu_fallback/optimized/kernel.h"

#include <array>
#include <string>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/half_floats.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/quant8_product.h"

namespace nnvk::cpu {

// The families without fast kernels. A family that is missing here and has no file causes a link error.
#define NNVK_NO_ROWS(family) \
  std::span<const OptimizedRow> optimized_##family##_kernels() { return {}; }
NNVK_NO_ROWS(detection)
NNVK_NO_ROWS(lsh_projection)
NNVK_NO_ROWS(random_multinomial)
NNVK_NO_ROWS(region)
NNVK_NO_ROWS(suppression)
#undef NNVK_NO_ROWS

std::unique_ptr<OptimizedKernel> make_optimized_kernel(const KernelNode& node) {
#define NNVK_ROWS(family) optimized_##family##_kernels(),
  const std::array families = {NNVK_KERNEL_FAMILIES(NNVK_ROWS)};
#undef NNVK_ROWS
  for (const std::span<const OptimizedRow> family : families) {
    for (const OptimizedRow& row : family) {
      if (row.code != node.operation.code) continue;
      if (auto kernel = row.make(node)) return kernel;
      return row.rounds_halves_once ? make_half_kernel(node, row.make) : nullptr;
    }
  }
  return nullptr;
}

std::string optimized_kernel_traits() {
  return std::to_string(float_lanes()) + " floats per vector, 8-bit products " +
         (quant8_form().has_bytes() ? "by dot products" : "by 16-bit pairs");
}

}  // namespace nnvk::cpu
