// Merges a PAD of height and width into the padding of the convolution behind it.
#include <optional>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/slicing_padding_parameters.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/shape_rules.h"
#include "core/plan/added_tensors.h"
#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

constexpr int32_t kMostPadding = 1 << 20;

// Returns the padding of a PAD in NHWC that pads only height and width by known sizes; else nullopt.
std::optional<Padding> spatial_padding(const OperationView& pad) {
  if (pad.shape(pad::kPaddings) != Shape{4, 2}) return std::nullopt;
  const auto values = pad.values<int32_t>(pad::kPaddings);
  if (!values || values->size() != 8) return std::nullopt;
  for (const int32_t v : *values) {
    if (v < 0 || v > kMostPadding) return std::nullopt;
  }
  const std::vector<int32_t>& v = *values;
  if (v[0] != 0 || v[1] != 0 || v[6] != 0 || v[7] != 0) return std::nullopt;
  return Padding{v[4], v[5], v[2], v[3]};
}

// Returns true if the declared size of the result is the one that PAD computes: without the PAD, nothing compares the two any
// more.
bool has_declared_size(const Shape& input, const Shape& padded, const Padding& padding) {
  if (!padded.rank_known) return true;
  if (!input.rank_known || input.rank() != 4 || padded.rank() != 4) return false;
  const std::array<int32_t, 4> added = {0, padding[2] + padding[3], padding[0] + padding[1], 0};
  for (size_t d = 0; d < 4; ++d) {
    if (padded[d] == kUnknownDimension) continue;
    if (input[d] == kUnknownDimension || int64_t{input[d]} + added[d] != int64_t{padded[d]}) return false;
  }
  return true;
}

// Returns the convolution's padding if it is explicit, zeros if it is VALID, else nullopt.
std::optional<Padding> own_padding(const OperationView& conv, const WindowOperands& at) {
  Padding padding{};
  if (at.is_implicit()) return conv.scalar<int32_t>(at.padding) == kPaddingValid ? std::optional(padding) : std::nullopt;
  for (size_t i = 0; i < padding.size(); ++i) {
    const auto value = conv.scalar<int32_t>(at.pads + i);
    if (!value || *value < 0 || *value > kMostPadding) return std::nullopt;
    padding[i] = *value;
  }
  return padding;
}

// Returns true if the padding is smaller than the window: convolutions refuse larger padding, PAD does not.
bool window_exceeds(const OperationView& conv, const WindowOperands& at, const Padding& padding) {
  const Shape& filter = conv.shape(convolution::kFilter);  // height and width are its dimensions 1 and 2
  if (filter.rank() != 4 || !filter.fully_known()) return false;
  for (size_t axis = 0; axis < 2; ++axis) {  // width, height
    const int64_t dilation = conv.scalar<int32_t>(at.dilations + axis).value_or(1);
    const int64_t extent = (int64_t{filter[2 - axis]} - 1) * dilation + 1;
    if (padding[2 * axis] >= extent || padding[2 * axis + 1] >= extent) return false;
  }
  return true;
}

}  // namespace

PlanPointer fuse_pads(const PlanPointer& plan) {
  auto rewritten = std::make_shared<Plan>(*plan);
  const PlanUses uses = find_uses(*plan);
  std::vector<bool> removed(plan->nodes.size());
  for (size_t n = 0; n < plan->nodes.size(); ++n) {
    const PlanNode& conv = plan->nodes[n];
    if (conv.code != OperationCode::kConv2d && conv.code != OperationCode::kDepthwiseConv2d) continue;
    const TensorId padded = conv.inputs[convolution::kImage];
    const uint32_t p = mergeable_producer(*plan, uses, padded);
    if (p == kNoNode || plan->nodes[p].code != OperationCode::kPad) continue;
    const PlanNode& pad = plan->nodes[p];
    const TensorId image = pad.inputs[kFirstInput];
    const NodeView view = declared_view(*plan, conv);
    const WindowOperands at = window_operands(view.view());
    const auto amounts = spatial_padding(declared_view(*plan, pad).view());
    auto padding = own_padding(view.view(), at);
    if (!amounts || !padding || optional_flag(view.view(), at.nchw) != false ||
        !same_encoding(plan->tensors[padded].info, plan->tensors[image].info) ||
        !has_declared_size(plan->tensors[image].info.shape, plan->tensors[padded].info.shape, *amounts)) {
      continue;
    }
    for (size_t i = 0; i < padding->size(); ++i) (*padding)[i] += (*amounts)[i];
    if (!window_exceeds(view.view(), at, *padding)) continue;
    PlanNode& fused = rewritten->nodes[n];
    fused.inputs[convolution::kImage] = image;
    set_explicit_padding(*rewritten, fused, at, *padding);
    fused.fused_operations.push_back(pad.source_operation);
    removed[p] = true;
  }
  return without_nodes(plan, std::move(rewritten), removed);
}

}  // namespace nnvk
