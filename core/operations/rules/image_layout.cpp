#include "core/operations/rules/image_layout.h"

#include <algorithm>
#include <array>

#include "core/operations/parameters/concatenation_parameters.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/reduce_parameters.h"
#include "core/operations/parameters/window_parameters.h"
#include "core/operations/rules/shape_rules.h"

namespace nnvk {
namespace {

constexpr int32_t kRank = 4;

bool has_image_type(const OperandInfo& info) { return is_float_tensor(info.type) || is_quant8_asymm(info.type); }

bool is_image(const OperandInfo& info) { return info.shape.rank_known && info.shape.rank() == kRank && has_image_type(info); }

// Returns whether the input is an image, or a constant that broadcasts to one.
bool has_layout(const OperationView& operation, size_t i) {
  const OperandInfo& info = operation.input(i);
  if (is_image(info)) return true;
  return has_image_type(info) && info.shape.fully_known() && info.shape.rank() <= kRank && !operation.inputs[i].value.empty();
}

bool are_axes(std::span<const int32_t> axes) {
  return std::ranges::all_of(axes, [](int32_t axis) { return axis >= -kRank && axis < kRank; });
}

}  // namespace

namespace layout {

std::optional<LayoutUse> fixed(const OperationView&) { return std::nullopt; }

std::optional<LayoutUse> any(const OperationView&) { return LayoutUse{.images = {kFirstInput}}; }

std::optional<LayoutUse> broadcast(const OperationView& operation) {
  LayoutUse use;
  for (const size_t i : {size_t{elementwise_binary::kFirst}, size_t{elementwise_binary::kSecond}}) {
    const Shape& shape = operation.shape(i);
    if (has_layout(operation, i)) {
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
  if (!axis || !are_axes({&*axis, 1})) return std::nullopt;
  use.axes = joined.axis;
  use.joins = true;
  for (size_t i = joined.first; i < joined.end; ++i) use.images.push_back(i);
  return use;
}

std::optional<LayoutUse> reduced(const OperationView& operation) {
  const auto axes = operation.values<int32_t>(reduce::kAxes);
  const std::optional<bool> keeps = keeps_dimensions(operation);
  if (!axes || !are_axes(*axes) || !keeps || !is_image(operation.input(reduce::kInput))) return std::nullopt;
  LayoutUse use{.images = {reduce::kInput}, .axes = reduce::kAxes};
  if (*keeps) return use;
  // Batch and channels remain, which have the same order in both layouts.
  const auto reduced = reduced_dimensions(operation);
  if (!reduced || *reduced != std::vector{false, false, true, true}) return std::nullopt;
  use.gives_image = false;
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
  if (!use || use->images.empty() || operation.outputs.size() != 1) return std::nullopt;
  if (use->gives_image && !is_image(operation.output(kFirstOutput))) return std::nullopt;
  if (use->flag && optional_flag(operation, *use->flag) != true) return std::nullopt;
  if (use->sizes && operation.inputs[*use->sizes].value.size() != 4 * sizeof(int32_t)) return std::nullopt;
  const auto is_usable = [&](size_t i) { return operation.has(i) && has_layout(operation, i); };
  return std::ranges::all_of(use->images, is_usable) ? use : std::nullopt;
}

Shape channels_last_shape(const Shape& nchw) {
  Shape padded = nchw;
  padded.dims.insert(padded.dims.begin(), kRank - nchw.rank(), 1);
  return Shape{padded[0], padded[2], padded[3], padded[1]};
}

int32_t channels_last_axis(int32_t nchw) {
  constexpr std::array<int32_t, kRank> kPlaces = {0, 3, 1, 2};
  return kPlaces[static_cast<size_t>(nchw < 0 ? nchw + kRank : nchw)];
}

}  // namespace nnvk
