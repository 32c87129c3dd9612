#include "vulkan/kernels/strided_move.h"

#include <algorithm>

#include "core/operations/parameters/rearrangement.h"

namespace nnvk::vulkan {
namespace {

bool is_padded(const MoveAxis& axis) { return axis.begin != 0 || axis.inside != axis.size; }

// Returns whether one dimension can walk the input like `outer` and `inner`; only the outer one may be padded.
bool can_merge(const MoveAxis& outer, const MoveAxis& inner) {
  return !is_padded(inner) && outer.stride == inner.stride * static_cast<int64_t>(inner.size);
}

bool moves_quads(const StridedMove& move) {
  const MoveAxis& inner = move.axes.front();
  const auto whole = [](int64_t value) { return value % 4 == 0; };
  return inner.stride == 1 && whole(inner.size) && whole(inner.begin) && whole(inner.inside) && whole(move.offset) &&
         std::all_of(move.axes.begin() + 1, move.axes.end(), [&](const MoveAxis& axis) { return whole(axis.stride); });
}

}  // namespace

OperandType raw_element_type(OperandType type) {
  switch (element_size(type)) {
    case 1:
      return OperandType::kTensorQuant8Symm;
    case 2:
      return OperandType::kTensorQuant16Symm;
    default:
      return OperandType::kTensorInt32;
  }
}

std::vector<MoveAxis> padded_axes(const Shape& shape, std::span<const PaddingPair> paddings) {
  const std::vector<int64_t> strides = row_major_strides(shape);
  std::vector<MoveAxis> axes;
  for (size_t d = 0; d < shape.rank(); ++d) {
    axes.push_back({paddings[d].before + shape[d] + paddings[d].after, strides[d], paddings[d].before, shape[d]});
  }
  return axes;
}

bool StridedMove::padded() const { return std::any_of(axes.begin(), axes.end(), is_padded); }

StridedMove merge_axes(const std::vector<MoveAxis>& axes, int64_t first) {
  StridedMove move;
  move.offset = first;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    move.offset -= static_cast<int64_t>(axis->begin) * axis->stride;
    if (axis->size == 1) continue;
    if (!move.axes.empty() && can_merge(*axis, move.axes.back())) {
      MoveAxis& inner = move.axes.back();
      inner.begin = axis->begin * inner.size;
      inner.inside = axis->inside * inner.size;
      inner.size *= axis->size;
    } else {
      move.axes.push_back(*axis);
    }
  }
  if (move.axes.empty()) move.axes.emplace_back();
  return move;
}

StridedMove plan_move(const std::vector<MoveAxis>& axes, int64_t first) {
  StridedMove move = merge_axes(axes, first);
  if (!moves_quads(move)) return move;
  move.by_quads = true;
  move.offset /= 4;
  MoveAxis& inner = move.axes.front();
  inner.size /= 4;
  inner.begin /= 4;
  inner.inside /= 4;
  for (size_t d = 1; d < move.axes.size(); ++d) move.axes[d].stride /= 4;
  return move;
}

}  // namespace nnvk::vulkan
