#include "core/plan/image_layout.h"

#include <algorithm>
#include <array>

#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/normalization_parameters.h"
#include "core/operations/parameters/resize_parameters.h"
#include "core/operations/parameters/space_depth_parameters.h"
#include "core/operations/parameters/unary_parameters.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

bool is_image(const OperandInfo& info) {
  return info.shape.rank_known && info.shape.rank() == 4 && (is_float_tensor(info.type) || is_quant8_asymm(info.type));
}

LayoutUse image_operation(size_t flag, bool gains) {
  LayoutUse use;
  use.images = {kFirstInput};
  use.flag = flag;
  use.gains = gains;
  return use;
}

LayoutUse convolution(const OperationView& operation) {
  const WindowOperands at = window_operands(operation);
  LayoutUse use = image_operation(at.nchw, true);
  if (at.output_shape != WindowOperands::kAbsent) use.sizes = at.output_shape;
  return use;
}

// Operations with a layout flag for NCHW.
std::optional<LayoutUse> with_flag(const OperationView& operation) {
  switch (operation.code) {
    case OperationCode::kConv2d:
    case OperationCode::kGroupedConv2d:
    case OperationCode::kDepthwiseConv2d:
    case OperationCode::kTransposeConv2d:
      return convolution(operation);
    case OperationCode::kAveragePool2d:
    case OperationCode::kMaxPool2d:
    case OperationCode::kL2Pool2d:
      return image_operation(window_operands(operation).nchw, false);
    case OperationCode::kResizeBilinear:
    case OperationCode::kResizeNearestNeighbor:
      return image_operation(resize::kLayout, false);
    case OperationCode::kDepthToSpace:
    case OperationCode::kSpaceToDepth:
    case OperationCode::kBatchToSpaceNd:
      return image_operation(depth_to_space::kLayout, false);
    case OperationCode::kSpaceToBatchNd:
      return image_operation(space_to_batch::kLayout, false);
    case OperationCode::kInstanceNormalization:
      return image_operation(instance_normalization::kLayout, false);
    default:
      return std::nullopt;
  }
}

// Operations with two operands that broadcast. Each operand must be an image or have a single element.
std::optional<LayoutUse> broadcast(const OperationView& operation) {
  LayoutUse use;
  for (const size_t i : {size_t{elementwise_binary::kFirst}, size_t{elementwise_binary::kSecond}}) {
    const Shape& shape = operation.shape(i);
    if (is_image(operation.input(i))) {
      use.images.push_back(i);
    } else if (!shape.fully_known() || shape.element_count() != 1 || shape.rank() > 4) {
      return std::nullopt;
    }
  }
  return use;
}

std::optional<LayoutUse> in_any_layout(const OperationView& operation) {
  LayoutUse use;
  switch (operation.code) {
    case OperationCode::kRelu:
    case OperationCode::kRelu1:
    case OperationCode::kRelu6:
    case OperationCode::kLogistic:
    case OperationCode::kTanh:
    case OperationCode::kHardSwish:
    case OperationCode::kElu:
    case OperationCode::kAbs:
    case OperationCode::kNeg:
    case OperationCode::kExp:
    case OperationCode::kLog:
    case OperationCode::kSin:
    case OperationCode::kSqrt:
    case OperationCode::kRsqrt:
    case OperationCode::kFloor:
    case OperationCode::kQuantize:
    case OperationCode::kDequantize:
      use.images = {unary::kInput};
      return use;
    case OperationCode::kAdd:
    case OperationCode::kSub:
    case OperationCode::kMul:
    case OperationCode::kDiv:
    case OperationCode::kMaximum:
    case OperationCode::kMinimum:
    case OperationCode::kPow:
    case OperationCode::kPrelu:
      return broadcast(operation);
    case OperationCode::kConcatenation: {
      const JoinedInputs joined = joined_inputs(operation);
      const auto axis = operation.scalar<int32_t>(joined.axis);
      if (!axis || *axis < -4 || *axis >= 4) return std::nullopt;
      use.axis = joined.axis;
      for (size_t i = joined.first; i < joined.end; ++i) use.images.push_back(i);
      return use;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<LayoutUse> layout_use(const OperationView& operation) {
  std::optional<LayoutUse> use = with_flag(operation);
  if (use && optional_flag(operation, *use->flag) != true) return std::nullopt;
  if (use && use->sizes && operation.inputs[*use->sizes].value.size() != 4 * sizeof(int32_t)) return std::nullopt;
  if (!use) use = in_any_layout(operation);
  if (!use || use->images.empty() || operation.outputs.size() != 1 || !is_image(operation.output(kFirstOutput)))
    return std::nullopt;
  const auto is_usable = [&](size_t i) { return operation.has(i) && is_image(operation.input(i)); };
  return std::ranges::all_of(use->images, is_usable) ? use : std::nullopt;
}

Shape channels_last_shape(const Shape& nchw) { return Shape{nchw[0], nchw[2], nchw[3], nchw[1]}; }

int32_t channels_last_axis(int32_t nchw) {
  constexpr std::array<int32_t, 4> kPlaces = {0, 3, 1, 2};
  return kPlaces[static_cast<size_t>(nchw < 0 ? nchw + 4 : nchw)];
}

}  // namespace nnvk
