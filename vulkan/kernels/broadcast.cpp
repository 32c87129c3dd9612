#include "vulkan/kernels/broadcast.h"

namespace nnvk::vulkan {
namespace {

struct MergedDimension {
  uint32_t size = 1;
  bool a_varies = false;
  bool b_varies = false;
};

// Returns the size of dimension `from_end`, counted from the last; missing leading dimensions are 1.
uint32_t size_from_end(const Shape& shape, size_t from_end) {
  return from_end < shape.rank() ? shape[shape.rank() - 1 - from_end] : 1;
}

std::vector<MergedDimension> merge_dimensions(const Shape& a, const Shape& b, const Shape& out, bool a_splat, bool b_splat) {
  std::vector<MergedDimension> merged;
  for (size_t d = 0; d < out.rank(); ++d) {
    const uint32_t size = size_from_end(out, d);
    if (size == 1) continue;
    // Kernels do not use the strides of a splat. It counts as varying in every dimension, so that the other operand's dimensions
    // merge.
    const bool a_varies = a_splat || size_from_end(a, d) != 1;
    const bool b_varies = b_splat || size_from_end(b, d) != 1;
    if (!merged.empty() && merged.back().a_varies == a_varies && merged.back().b_varies == b_varies) {
      merged.back().size *= size;
    } else {
      merged.push_back({size, a_varies, b_varies});
    }
  }
  return merged;
}

}  // namespace

BroadcastPlan plan_broadcast(const Shape& a, const Shape& b, const Shape& out) {
  BroadcastPlan plan;
  plan.a_splat = a.element_count() == 1;
  plan.b_splat = b.element_count() == 1;
  std::vector<MergedDimension> merged = merge_dimensions(a, b, out, plan.a_splat, plan.b_splat);
  const bool flat = merged.empty() || (merged.size() == 1 && merged[0].a_varies && merged[0].b_varies);
  if (flat) return plan;

  plan.by_quads = merged[0].size % 4 == 0 && merged[0].a_varies && merged[0].b_varies;
  if (!plan.by_quads) {
    merged = merge_dimensions(a, b, out, false, false);  // splats are ordinary broadcasts when elements are fetched singly
    plan.a_splat = plan.b_splat = false;
  } else {
    merged[0].size /= 4;
  }
  uint32_t a_stride = 1;
  uint32_t b_stride = 1;
  for (const MergedDimension& dimension : merged) {
    plan.dims.push_back(dimension.size);
    plan.a_strides.push_back(dimension.a_varies ? a_stride : 0);
    plan.b_strides.push_back(dimension.b_varies ? b_stride : 0);
    if (dimension.a_varies) a_stride *= dimension.size;
    if (dimension.b_varies) b_stride *= dimension.size;
  }
  return plan;
}

}  // namespace nnvk::vulkan
