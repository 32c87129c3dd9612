// Classes of operations whose times depend on the same sizes. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nnvk {

enum class CostFamily : uint8_t {
  kConvolution,  // with a window of several cells
  kPointwise,    // 1x1 convolutions; no row's family: cost_class() tells them apart
  kDepthwise,
  kTransposedConvolution,
  kMatrix,       // fully connected, matrix products, recurrent layers
  kElementwise,  // of tensors of one shape, or of one tensor
  kBroadcast,    // of tensors of different shapes; no row's family: cost_class() tells them apart
  kFunction,     // transcendental, element by element
  kNormalization,
  kPooling,
  kResize,
  kReduction,
  kMovement,
  kConversion,  // between types
  kOther,       // the last: its number gives kCostFamilyCount
};
inline constexpr size_t kCostFamilyCount = static_cast<size_t>(CostFamily::kOther) + 1;
constexpr bool is_product(CostFamily family) { return family <= CostFamily::kMatrix; }

}  // namespace nnvk
