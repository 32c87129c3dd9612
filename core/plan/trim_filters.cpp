// Removes the rows and columns of constant filters that read only padding: a 3x3 filter with a dilation of 24 over an image of
// 16x16 is a 1x1 filter.
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/live_taps.h"
#include "core/plan/added_constants.h"
#include "core/plan/explicit_padding.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

// The dimensions of a filter's rows and columns.
constexpr size_t kRows = 1;
constexpr size_t kColumns = 2;

// One axis of a convolution: its filter taps, and the padding at both ends of the image.
struct Axis {
  TapRange taps;
  int32_t head;
  int32_t tail;
};

// The geometry along one axis that trimming keeps, in elements.
struct Geometry {
  int64_t in;
  int64_t out;
  int64_t stride;
  int64_t dilation;
};

// Returns the axis with the taps of `live` alone and the padding that keeps the results; `whole` if no tap is live, or if
// convolutions refuse such padding.
Axis trim(const Axis& whole, const TapRange& live, const Geometry& g) {
  const int64_t extent = (int64_t{live.count} - 1) * g.dilation + 1;
  const int64_t head = whole.head - live.first * g.dilation;
  const int64_t tail = std::max<int64_t>(0, (g.out - 1) * g.stride + extent - g.in - head);
  const bool keeps_size = (g.in + head + tail - extent) / g.stride + 1 == g.out;
  if (live.count == 0 || head < 0 || head >= extent || tail >= extent || !keeps_size) return whole;
  return {live, static_cast<int32_t>(head), static_cast<int32_t>(tail)};
}

// Returns the taps of a filter whose dimensions are [outer, rows, columns, inner].
std::vector<std::byte> cut(std::span<const std::byte> filter, const Shape& shape, const TapRange& rows, const TapRange& columns) {
  const size_t tap_bytes = filter.size() / (size_t{shape[0]} * shape[kRows] * shape[kColumns]);
  std::vector<std::byte> bytes;
  bytes.reserve(size_t{shape[0]} * rows.count * columns.count * tap_bytes);
  for (size_t outer = 0; outer < shape[0]; ++outer) {
    for (size_t row = rows.first; row < size_t{rows.first} + rows.count; ++row) {
      const size_t first_tap = (outer * shape[kRows] + row) * shape[kColumns] + columns.first;
      const auto taps = filter.subspan(first_tap * tap_bytes, columns.count * tap_bytes);
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
    if (!w || filter.value.empty() || w->out_height == 0 || w->out_width == 0) continue;
    const LiveTaps live = live_taps(*w);
    const Axis rows = trim({{0, w->filter_height}, w->pad_top, w->pad_bottom}, live.rows,
                           {w->in_height, w->out_height, w->stride_height, w->dilation_height});
    const Axis columns = trim({{0, w->filter_width}, w->pad_left, w->pad_right}, live.columns,
                              {w->in_width, w->out_width, w->stride_width, w->dilation_width});
    if (rows.taps.count == w->filter_height && columns.taps.count == w->filter_width) continue;
    if (!rewritten) rewritten = std::make_shared<Plan>(*plan);
    OperandInfo trimmed = filter.info;
    trimmed.shape.dims[kRows] = rows.taps.count;
    trimmed.shape.dims[kColumns] = columns.taps.count;
    PlanNode& changed = rewritten->nodes[n];
    changed.inputs[convolution::kFilter] =
        add_constant(*rewritten, std::move(trimmed), cut(filter.value, filter.info.shape, rows.taps, columns.taps));
    set_explicit_padding(*rewritten, changed, window_operands(view.view()), {columns.head, columns.tail, rows.head, rows.tail});
  }
  return rewritten ? PlanPointer(std::move(rewritten)) : plan;
}

}  // namespace nnvk
