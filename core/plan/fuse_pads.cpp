// Folds a PAD of height and width into the padding of the convolution behind it.
#include <array>
#include <cstring>
#include <optional>

#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

constexpr int32_t kPaddingValid = 2;  // ANEURALNETWORKS_PADDING_VALID

// Left, right, top, bottom, as the explicit signature orders them.
using Padding = std::array<int32_t, 4>;

template <class T>
std::optional<T> constant(const Plan& plan, TensorId id, size_t index = 0) {
  const PlanTensor& tensor = plan.tensors[id];
  if (tensor.role != TensorRole::kConstant || tensor.value.size() < (index + 1) * sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, tensor.value.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Padding of an NHWC PAD that touches height and width only.
std::optional<Padding> spatial_padding(const Plan& plan, const PlanNode& pad) {
  const OperandInfo& paddings = plan.tensors[pad.inputs[1]].info;
  if (paddings.shape != Shape{4, 2} || plan.tensors[pad.inputs[1]].role != TensorRole::kConstant) return std::nullopt;
  std::array<int32_t, 8> values;
  std::memcpy(values.data(), plan.tensors[pad.inputs[1]].value.data(), sizeof values);
  for (const int32_t v : values) {
    if (v < 0 || v > (1 << 20)) return std::nullopt;
  }
  if (values[0] != 0 || values[1] != 0 || values[6] != 0 || values[7] != 0) return std::nullopt;
  return Padding{values[4], values[5], values[2], values[3]};
}

// Whether the declared size of the result is what PAD will compute: nobody compares them once the PAD is gone.
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

// The two signatures of CONV_2D and DEPTHWISE_CONV_2D, by position. `extra` is 1 for the depth multiplier.
struct ConvolutionOperands {
  bool explicit_padding;
  Padding padding;
  size_t after_padding;  // index of stride width
};

std::optional<ConvolutionOperands> convolution_operands(const Plan& plan, const PlanNode& conv) {
  const size_t extra = conv.code == OperationCode::kDepthwiseConv2d ? 1 : 0;
  const size_t count = conv.inputs.size();
  const bool implicit =
      count < 10 + extra || (count == 10 + extra && plan.tensors[conv.inputs[7 + extra]].info.type == OperandType::kBool);
  if (implicit) {
    if (constant<int32_t>(plan, conv.inputs[3]) != kPaddingValid) return std::nullopt;
    return ConvolutionOperands{false, {0, 0, 0, 0}, 4};
  }
  Padding padding;
  for (size_t i = 0; i < 4; ++i) {
    const auto value = constant<int32_t>(plan, conv.inputs[3 + i]);
    if (!value || *value < 0 || *value > (1 << 20)) return std::nullopt;
    padding[i] = *value;
  }
  return ConvolutionOperands{true, padding, 7};
}

size_t layout_operand(const PlanNode& conv, const ConvolutionOperands& operands) {
  return operands.after_padding + 3 + (conv.code == OperationCode::kDepthwiseConv2d ? 1 : 0);
}

bool is_nhwc(const Plan& plan, const PlanNode& conv, const ConvolutionOperands& operands) {
  const size_t layout = layout_operand(conv, operands);
  if (layout >= conv.inputs.size()) return true;
  return constant<uint8_t>(plan, conv.inputs[layout]) == uint8_t{0};
}

// A convolution refuses padding that is not smaller than its window; PAD has no such limit.
bool window_exceeds(const Plan& plan, const PlanNode& conv, const ConvolutionOperands& operands, const Padding& padding) {
  const Shape& filter = plan.tensors[conv.inputs[1]].info.shape;  // height and width are its dimensions 1 and 2
  if (filter.rank() != 4 || !filter.fully_known()) return false;
  const size_t dilations = layout_operand(conv, operands) + 1;  // width, height
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t dilation = 1;
    if (dilations + axis < conv.inputs.size()) dilation = constant<int32_t>(plan, conv.inputs[dilations + axis]).value_or(1);
    const int64_t extent = (int64_t{filter[2 - axis]} - 1) * dilation + 1;
    if (padding[2 * axis] >= extent || padding[2 * axis + 1] >= extent) return false;
  }
  return true;
}

TensorId add_int_constant(Plan& plan, int32_t value) {
  auto block = std::make_shared<std::vector<std::byte>>(sizeof value);
  std::memcpy(block->data(), &value, sizeof value);
  PlanTensor tensor;
  tensor.info.type = OperandType::kInt32;
  tensor.role = TensorRole::kConstant;
  tensor.value = *block;
  tensor.owner = block;
  plan.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(plan.tensors.size() - 1);
}

}  // namespace

PlanPointer fuse_pads(const PlanPointer& plan) {
  auto rewritten = std::make_shared<Plan>(*plan);
  const PlanUses uses = find_uses(*plan);
  std::vector<bool> removed(plan->nodes.size());
  bool changed = false;
  for (size_t n = 0; n < plan->nodes.size(); ++n) {
    const PlanNode& conv = plan->nodes[n];
    if (conv.code != OperationCode::kConv2d && conv.code != OperationCode::kDepthwiseConv2d) continue;
    const TensorId padded = conv.inputs[0];
    const uint32_t p = uses.producer[padded];
    if (p == kNoNode || plan->nodes[p].code != OperationCode::kPad || !is_read_once(*plan, uses, padded)) continue;
    const PlanNode& pad = plan->nodes[p];
    const auto amounts = spatial_padding(*plan, pad);
    const auto operands = convolution_operands(*plan, conv);
    if (!amounts || !operands || !is_nhwc(*plan, conv, *operands) || plan->tensors[padded].view_of != kNoTensor ||
        !same_encoding(plan->tensors[padded].info, plan->tensors[pad.inputs[0]].info) ||
        !has_declared_size(plan->tensors[pad.inputs[0]].info.shape, plan->tensors[padded].info.shape, *amounts)) {
      continue;
    }
    Padding padding = operands->padding;
    for (size_t i = 0; i < padding.size(); ++i) padding[i] += (*amounts)[i];
    if (!window_exceeds(*plan, conv, *operands, padding)) continue;
    PlanNode& fused = rewritten->nodes[n];
    std::vector<TensorId> inputs(conv.inputs.begin(), conv.inputs.begin() + 3);
    inputs[0] = pad.inputs[0];
    for (const int32_t amount : padding) inputs.push_back(add_int_constant(*rewritten, amount));
    inputs.insert(inputs.end(), conv.inputs.begin() + static_cast<std::ptrdiff_t>(operands->after_padding), conv.inputs.end());
    fused.inputs = std::move(inputs);
    fused.fused_operations.push_back(pad.source_operation);
    removed[p] = true;
    changed = true;
  }
  if (!changed) return plan;
  erase_nodes(*rewritten, removed);
  return rewritten;
}

}  // namespace nnvk
