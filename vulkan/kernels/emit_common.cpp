#include "vulkan/kernels/emit_common.h"

#include <algorithm>

#include "core/base/fixed_point.h"

namespace nnvk::vulkan {
namespace {

struct Views {
  ViewFormat scalar;
  ViewFormat quad;
};

Views views_of(OperandType type) {
  switch (element_type(type)) {
    case kElementFloat32:
      return {ViewFormat::kR32Sfloat, ViewFormat::kRgba32Sfloat};
    case kElementFloat16:
      return {ViewFormat::kR16Sfloat, ViewFormat::kRgba16Sfloat};
    case kElementUint8:
    case kElementInt8:
      return {ViewFormat::kR8Sint, ViewFormat::kRgba8Sint};
    case kElementUint16:
    case kElementInt16:
      return {ViewFormat::kR16Sint, ViewFormat::kRgba16Sint};
    default:
      return {ViewFormat::kR32Sint, ViewFormat::kRgba32Sint};
  }
}

}  // namespace

uint element_type(OperandType type) {
  switch (type) {
    case OperandType::kTensorFloat32:
    case OperandType::kFloat32:
      return kElementFloat32;
    case OperandType::kTensorFloat16:
    case OperandType::kFloat16:
      return kElementFloat16;
    case OperandType::kTensorQuant8Asymm:
    case OperandType::kTensorBool8:
    case OperandType::kBool:
      return kElementUint8;
    case OperandType::kTensorQuant8AsymmSigned:
    case OperandType::kTensorQuant8Symm:
    case OperandType::kTensorQuant8SymmPerChannel:
      return kElementInt8;
    case OperandType::kTensorQuant16Asymm:
      return kElementUint16;
    case OperandType::kTensorQuant16Symm:
      return kElementInt16;
    default:
      return kElementInt32;
  }
}

TensorBinding read_scalars(TensorId tensor, OperandType type) { return {tensor, views_of(type).scalar, Access::kRead}; }
TensorBinding read_quads(TensorId tensor, OperandType type) { return {tensor, views_of(type).quad, Access::kRead}; }
TensorBinding read_elements(TensorId tensor, OperandType type, bool by_quads) {
  return by_quads ? read_quads(tensor, type) : read_scalars(tensor, type);
}
TensorBinding read_bytes16(TensorId tensor) { return {tensor, ViewFormat::kRgba32Uint, Access::kRead}; }
TensorBinding read_words(TensorId tensor) { return {tensor, ViewFormat::kWords, Access::kRead}; }
TensorBinding write_words(TensorId tensor) { return {tensor, ViewFormat::kWords, Access::kWrite}; }
TensorBinding read_write(TensorId tensor) { return {tensor, ViewFormat::kWords, Access::kReadWrite}; }

uint64_t element_count(const OperandInfo& info) { return info.shape.element_count(); }

Result<std::array<uint32_t, 3>> flat_groups(uint64_t invocations, uint32_t local_size, const DeviceTraits& traits) {
  const uint64_t groups = std::max<uint64_t>(1, divide_up(invocations, local_size));
  if (groups <= traits.max_groups[0]) return std::array<uint32_t, 3>{static_cast<uint32_t>(groups), 1, 1};
  // Makes rows of equal length, as few as possible, so that few work groups of the last row are idle.
  const uint64_t rows = divide_up(groups, traits.max_groups[0]);
  if (rows > traits.max_groups[1]) {
    return beyond_device(std::to_string(groups) + " work groups are more than the device runs in one dispatch");
  }
  return std::array<uint32_t, 3>{static_cast<uint32_t>(divide_up(groups, rows)), static_cast<uint32_t>(rows), 1};
}

Status check_storage(const std::string& what, uint64_t bytes, const DeviceTraits& traits) {
  if (bytes <= traits.max_storage_range) return {};
  return beyond_device(what + " needs " + std::to_string(bytes) + " bytes, more than the device's storage buffers hold (" +
                       std::to_string(traits.max_storage_range) + ")");
}

ActivationBounds combined_float_bounds(FusedActivation own, FusedActivation fused) {
  const ActivationBounds first = float_activation_bounds(own);
  const ActivationBounds second = float_activation_bounds(fused);
  return {std::clamp(first.lo, second.lo, second.hi), std::clamp(first.hi, second.lo, second.hi)};
}

QuantizedBounds combined_quantized_bounds(FusedActivation own, FusedActivation fused, const OperandInfo& output) {
  const QuantizedBounds first = quantized_activation_bounds(own, output.type, output.scale, output.zero_point);
  const QuantizedBounds second = quantized_activation_bounds(fused, output.type, output.scale, output.zero_point);
  return {clamp_int(first.lo, second.lo, second.hi), clamp_int(first.hi, second.lo, second.hi)};
}

std::string dispatch_label(const EmitContext& context) {
  std::string label = operation_name(context.node.code);
  const Shape& shape = context.output(kFirstOutput).shape;
  for (size_t i = 0; i < shape.rank(); ++i) label += (i == 0 ? " " : "x") + std::to_string(shape[i]);
  return label;
}

Status set_flat_groups(const EmitContext& context, uint64_t invocations, Dispatch& dispatch) {
  NNVK_ASSIGN(dispatch.groups, flat_groups(invocations, kernel_info(dispatch.kernel).local_size[0], context.traits));
  return {};
}

Status add_flat(const EmitContext& context, Dispatch dispatch, uint64_t invocations) {
  NNVK_TRY(set_flat_groups(context, invocations, dispatch));
  context.dispatches.add(std::move(dispatch));
  return {};
}

}  // namespace nnvk::vulkan
