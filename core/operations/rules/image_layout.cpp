#include "core/operations/rules/image_layout.h"

#include <algorithm>
#include <array>

#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

bool is_image(const OperandInfo& info) {
  return info.shape.rank_known && info.shape.rank() == 4 && (is_float_tensor(info.type) || is_quant8_asymm(info.type));
}

}  // namespace

namespace layout {

std::optional<LayoutUse> fixed(const OperationView&) { return std::nullopt; }

std::optional<LayoutUse> any(const OperationView&) { return LayoutUse{.images = {kFirstInput}}; }

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

std::optional<LayoutUse> joined(const OperationView& operation) {
  LayoutUse use;
  const JoinedInputs joined = joined_inputs(operation);
  const auto axis = operation.scalar<int32_t>(joined.axis);
  if (!axis || *axis < -4 || *axis >= 4) return std::nullopt;
  use.axis = joined.axis;
  for (size_t i = joined.first; i < joined.end; ++i) use.images.push_back(i);
  return use;
}

std::optional<LayoutUse> convolution(const OperationView& operation) {
  const WindowOperands at = window_operands(operation);
  LayoutUse use{.images = {kFirstInput}, .flag = at.nchw, .gains = true};
  if (at.output_shape != WindowOperands::kAbsent) use.sizes = at.output_shape;
  return use;
}

std::optional<LayoutUse> pooling(const OperationView& operation) {
  return LayoutUse{.images = {kFirstInput}, .flag = window_operands(operation).nchw};
}

}  // namespace layout

std::optional<LayoutUse> layout_use(const OperationView& operation) {
  const OperationDefinition* const row = find_operation(operation.code);
  const std::optional<LayoutUse> use = row == nullptr ? std::nullopt : row->layout(operation);
  if (!use || use->images.empty() || operation.outputs.size() != 1 || !is_image(operation.output(kFirstOutput)))
    return std::nullopt;
  if (use->flag && optional_flag(operation, *use->flag) != true) return std::nullopt;
  if (use->sizes && operation.inputs[*use->sizes].value.size() != 4 * sizeof(int32_t)) return std::nullopt;
  const auto is_usable = [&](size_t i) { return operation.has(i) && is_image(operation.input(i)); };
  return std::ranges::all_of(use->images, is_usable) ? use : std::nullopt;
}

Shape channels_last_shape(const Shape& nchw) { return Shape{nchw[0], nchw[2], nchw[3], nchw[1]}; }

int32_t channels_last_axis(int32_t nchw) {
  constexpr std::array<int32_t, 4> kPlaces = {0, 3, 1, 2};
  return kPlaces[static_cast<size_t>(nchw < 0 ? nchw + 4 : nchw)];
}

}  // namespace nnvk
