#include "accelerators/argument_layout.h"

#include <algorithm>

namespace nnvk::accelerators {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kLeastRoom = 64;  // also for empty outputs: NNAPI has no memory of 0 bytes

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

std::vector<uint32_t> nnapi_dimensions(const Shape& shape) {
  std::vector<uint32_t> dimensions = shape.dims;
  std::ranges::replace(dimensions, kUnknownDimension, 0U);
  return dimensions;
}

Shape computed_shape(const std::vector<uint32_t>& dimensions, const OperandInfo& operand, bool is_final) {
  if (dimensions.empty() && operand.is_tensor() && !is_final) return Shape::unknown_rank();
  Shape shape(dimensions);
  if (!is_final) std::ranges::replace(shape.dims, 0U, kUnknownDimension);
  return shape;
}

ArgumentLayouts lay_out_arguments(const Plan& plan, const Resolution& resolution, const CompiledModel& preferences,
                                  std::span<const uint64_t> room_when_unknown) {
  ArgumentLayouts layouts;
  const auto place = [&](ArgumentLayout& layout, uint64_t room, const MemoryPreference& preference) {
    layouts.total = round_up(layouts.total, std::max<uint64_t>(kAlignment, preference.alignment));
    layout.offset = layouts.total;
    layout.room = round_up(std::max(room, kLeastRoom), std::max<uint64_t>(kAlignment, preference.padding));
    layouts.total += layout.room;
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const TensorId id = plan.inputs[i];
    ArgumentLayout& layout = layouts.inputs.emplace_back();
    if (!resolution.present[id]) continue;
    const OperandInfo& info = resolution.infos[id];
    layout.dimensions = nnapi_dimensions(info.shape);
    layout.size = info.byte_size().value_or(0);
    layout.is_exact = true;
    if (layout.size == 0 && info.type != OperandType::kOemScalar) layouts.has_empty_input = true;
    place(layout, layout.size, preferences.inputs[i]);
  }
  if (plan.inputs.empty()) layouts.total = kLeastRoom;  // for the unused input
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const TensorId id = plan.outputs[i];
    OperandInfo info = resolution.infos[id];
    const Shape* const by_data = resolution.data_dependent[id].get();
    if (by_data != nullptr && by_data->fully_known()) info.shape = *by_data;  // the model declares the final shape
    ArgumentLayout& layout = layouts.outputs.emplace_back();
    layout.dimensions = nnapi_dimensions(by_data != nullptr ? *by_data : info.shape);
    const auto size = info.byte_size();
    layout.size = size.value_or(0);
    layout.is_exact = size.has_value() && (by_data == nullptr || by_data->fully_known());
    place(layout, size ? *size : room_when_unknown[i], preferences.outputs[i]);
  }
  return layouts;
}

}  // namespace nnvk::accelerators
