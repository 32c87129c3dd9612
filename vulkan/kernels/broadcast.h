// Plans how kernels walk two broadcasting operands, and merges adjacent dimensions that broadcast alike. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/operand.h"

namespace nnvk::vulkan {

struct BroadcastPlan {
  // Merged dimensions, innermost first. Empty: both operands (except splats) have the output's layout.
  std::vector<uint32_t> dims;
  std::vector<uint32_t> a_strides;  // 0 where a is broadcast
  std::vector<uint32_t> b_strides;
  bool by_quads = true;  // dims and strides count groups of four consecutive elements; else single elements
  bool a_splat = false;  // a has a single element, which kernels fetch apart; its strides are unused. Only with by_quads
  bool b_splat = false;
};

// Returns the plan that broadcasts `a` and `b` to `out`. All shapes are fully known and not empty.
BroadcastPlan plan_broadcast(const Shape& a, const Shape& b, const Shape& out);

}  // namespace nnvk::vulkan
