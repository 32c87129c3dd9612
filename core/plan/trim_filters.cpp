// Removes the rows and columns of constant filters that read only padding: a 3x3 filter with a dilation of 24 over an image of
// 16x16 is a 1x1 filter.
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/window_axis.h"
#include "core/plan/added_tensors.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

// The dimensions of a filter's rows and columns.
constexpr size_t kRows = 1;
constexpr size_t kColumns = 2;

// The taps that stay along one axis, and the padding at both ends of the image for them.
struct TrimmedAxis {
  IndexRange taps;
  int64_t head;
  int64_t tail;
};

// Returns the axis with its live taps alone, and the padding that keeps the results. Returns the whole axis if no tap is live, or
// if convolutions refuse such padding.
TrimmedAxis trim(const WindowAxis& axis) {
  const IndexRange live = live_taps(axis);
  const int64_t extent = (static_cast<int64_t>(live.count()) - 1) * axis.dilation + 1;
  const int64_t head = axis.head - static_cast<int64_t>(live.first) * axis.dilation;
  const int64_t tail = std::max<int64_t>(0, (axis.out - 1) * axis.stride + extent - axis.in - head);
  const bool keeps_size = (axis.in + head + tail - extent) / axis.stride + 1 == axis.out;
  if (live.count() == 0 || head < 0 || head >= extent || tail >= extent || !keeps_size) {
    return {{0, static_cast<size_t>(axis.taps)}, axis.head, axis.tail};
  }
  return {live, head, tail};
}

// Returns the taps of a filter whose dimensions are [outer, rows, columns, inner].
std::vector<std::byte> cut(std::span<const std::byte> filter, const Shape& shape, const IndexRange& rows,
                           const IndexRange& columns) {
  const size_t tap_bytes = filter.size() / (size_t{shape[0]} * shape[kRows] * shape[kColumns]);
  std::vector<std::byte> bytes;
  bytes.reserve(size_t{shape[0]} * rows.count() * columns.count() * tap_bytes);
  for (size_t outer = 0; outer < shape[0]; ++outer) {
    for (size_t row = rows.first; row < rows.end; ++row) {
      const size_t first_tap = (outer * shape[kRows] + row) * shape[kColumns] + columns.first;
      const auto taps = filter.subspan(first_tap * tap_bytes, columns.count() * tap_bytes);
      bytes.insert(bytes.end(), taps.begin(), taps.end());
    }
  }
  return bytes;
}

bool is_convolution(OperationCode code) {
  return code == OperationCode::kConv2d || code == OperationCode::kDepthwiseConv2d || code == OperationCode::kGroupedConv2d;
}

}  // namespace

PlanPointer trim_filters(const PlanPointer& plan) {
  std::shared_ptr<Plan> rewritten;
  for (size_t n = 0; n < plan->nodes.size(); ++n) {
    const PlanNode& node = plan->nodes[n];
    if (!is_convolution(node.code) || !plan->is_constant(node.inputs[convolution::kFilter])) continue;
    const NodeView view = declared_view(*plan, node);
    const auto w = window_parameters(view.view());
    const PlanTensor& filter = plan->tensors[node.inputs[convolution::kFilter]];
    if (!w || (filter.value.empty() && filter.transposed == nullptr) || w->out_height == 0 || w->out_width == 0) continue;
    const TrimmedAxis rows = trim(vertical_axis(*w));
    const TrimmedAxis columns = trim(horizontal_axis(*w));
    if (rows.taps.count() == w->filter_height && columns.taps.count() == w->filter_width) continue;
    if (!rewritten) rewritten = std::make_shared<Plan>(*plan);
    OperandInfo trimmed = filter.info;
    trimmed.shape.dims[kRows] = static_cast<uint32_t>(rows.taps.count());
    trimmed.shape.dims[kColumns] = static_cast<uint32_t>(columns.taps.count());
    PlanNode& changed = rewritten->nodes[n];
    PlanTensor whole = filter;
    put_in_order(whole);
    changed.inputs[convolution::kFilter] =
        add_constant(*rewritten, std::move(trimmed), cut(whole.value, filter.info.shape, rows.taps, columns.taps));
    set_explicit_padding(*rewritten, changed, window_operands(view.view()),
                         {static_cast<int32_t>(columns.head), static_cast<int32_t>(columns.tail), static_cast<int32_t>(rows.head),
                          static_cast<int32_t>(rows.tail)});
  }
  return rewritten ? PlanPointer(std::move(rewritten)) : plan;
}

}  // namespace nnvk
