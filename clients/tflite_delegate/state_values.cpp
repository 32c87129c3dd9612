#include "clients/tflite_delegate/state_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnvk::clients::tflite {
namespace {

namespace format = importers::tflite::format;
using importers::tflite::Tensor;

// Calls `function` with a zero of the type that the variable's elements have.
template <class Function>
Status with_element(const Tensor& variable, const Function& function) {
  if (variable.scales.size() == 1 && variable.scales[0] > 0) {
    switch (variable.type) {
      case format::TensorType_INT8:
        return function(int8_t{});
      case format::TensorType_UINT8:
        return function(uint8_t{});
      case format::TensorType_INT16:
        return function(int16_t{});
      default:
        break;
    }
  }
  return fail(
      fmt::format("the state '{}' ({}) has {} scales; NNAPI computes states of float32, or of 8 or 16 bits with one scale",
                  variable.name, format::EnumNameTensorType(variable.type), variable.scales.size()));
}

Status check_size(const Tensor& variable, size_t elements, size_t bytes, size_t element_size) {
  if (elements * element_size == bytes) return {};
  return fail(fmt::format("the state '{}' has {} bytes instead of {}", variable.name, bytes, elements * element_size));
}

}  // namespace

bool is_same_state(const Tensor& variable, const importers::OperandInfo& port) {
  switch (port.type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
      return variable.type == format::TensorType_FLOAT32;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
      return variable.type == format::TensorType_FLOAT16;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      return variable.type == format::TensorType_INT8;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
      return variable.type == format::TensorType_UINT8;
    default:
      return false;
  }
}

Status read_state(const Tensor& variable, std::span<const uint8_t> from, std::span<float> to) {
  return with_element(variable, [&](auto element) -> Status {
    TOOLS_TRY(check_size(variable, to.size(), from.size(), sizeof element));
    for (size_t i = 0; i < to.size(); ++i) {
      std::memcpy(&element, from.data() + i * sizeof element, sizeof element);
      to[i] = variable.scales[0] * static_cast<float>(element - variable.zero_points[0]);
    }
    return {};
  });
}

Status write_state(const Tensor& variable, std::span<const float> from, std::span<uint8_t> to) {
  return with_element(variable, [&](auto element) -> Status {
    using Element = decltype(element);
    TOOLS_TRY(check_size(variable, from.size(), to.size(), sizeof element));
    for (size_t i = 0; i < from.size(); ++i) {
      const float value = std::round(from[i] / variable.scales[0]) + static_cast<float>(variable.zero_points[0]);
      element = static_cast<Element>(std::clamp<float>(std::isnan(value) ? 0 : value, std::numeric_limits<Element>::min(),
                                                       std::numeric_limits<Element>::max()));
      std::memcpy(to.data() + i * sizeof element, &element, sizeof element);
    }
    return {};
  });
}

}  // namespace nnvk::clients::tflite
