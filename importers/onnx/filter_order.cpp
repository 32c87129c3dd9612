#include "importers/onnx/filter_order.h"

#include <utility>
#include <vector>

#include "importers/onnx/movement.h"

namespace nnvk::importers::onnx {

Result<Tensor> transpose_filter(Emitter& emitter, const Tensor& filter, std::span<const int64_t> permutation) {
  const bool is_moved = filter.dimensions[2] != 1 || filter.dimensions[3] != 1;  // else the elements stay where they are
  const bool is_of_graph = filter.constant && filter.constant->owner == nullptr;
  if (!is_of_graph || !is_moved || filter.type == kNoType) return transpose(emitter, filter, permutation);
  Dimensions shape;
  std::vector<uint32_t> order;
  for (const int64_t d : permutation) {
    shape.push_back(filter.dimensions[static_cast<size_t>(d)]);
    order.push_back(static_cast<uint32_t>(d));
  }
  Tensor result = filter.shaped(std::move(shape));
  result.constant = filter.constant;
  result.order = std::move(order);
  return result;
}

}  // namespace nnvk::importers::onnx
