// Encoding and decoding of tensor values.
#include "tools/nnapi/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

template <class T>
T load(std::span<const uint8_t> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::vector<uint8_t>& bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

template <class T>
T quantized(float real, const OperandInfo& info) {
  const float value = std::round(real / info.scale) + static_cast<float>(info.zero_point);
  return static_cast<T>(
      std::clamp(value, static_cast<float>(std::numeric_limits<T>::min()), static_cast<float>(std::numeric_limits<T>::max())));
}

}  // namespace

std::vector<uint8_t> encode(std::span<const float> reals, const OperandInfo& info) {
  std::vector<uint8_t> bytes(reals.size() * element_size(info.type));
  for (size_t i = 0; i < reals.size(); ++i) {
    switch (info.type) {
      case ANEURALNETWORKS_TENSOR_FLOAT32:
        store(bytes, i, reals[i]);
        break;
      case ANEURALNETWORKS_TENSOR_FLOAT16:
        store(bytes, i, float_to_half(reals[i]));
        break;
      case ANEURALNETWORKS_TENSOR_INT32:
        store(bytes, i, static_cast<int32_t>(std::lround(reals[i])));
        break;
      case ANEURALNETWORKS_TENSOR_BOOL8:
        store(bytes, i, static_cast<uint8_t>(reals[i] != 0));
        break;
      case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        store(bytes, i, quantized<uint8_t>(reals[i], info));
        break;
      case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
        store(bytes, i, quantized<int8_t>(reals[i], info));
        break;
      case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        store(bytes, i, quantized<uint16_t>(reals[i], info));
        break;
      case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        store(bytes, i, quantized<int16_t>(reals[i], info));
        break;
      default:
        break;
    }
  }
  return bytes;
}

std::vector<float> decode(std::span<const uint8_t> bytes, const OperandInfo& info) {
  const size_t size = element_size(info.type);
  std::vector<float> reals(size ? bytes.size() / size : 0);
  for (size_t i = 0; i < reals.size(); ++i) {
    switch (info.type) {
      case ANEURALNETWORKS_TENSOR_FLOAT32:
        reals[i] = load<float>(bytes, i);
        break;
      case ANEURALNETWORKS_TENSOR_FLOAT16:
        reals[i] = half_to_float(load<uint16_t>(bytes, i));
        break;
      case ANEURALNETWORKS_TENSOR_INT32:
        reals[i] = static_cast<float>(load<int32_t>(bytes, i));
        break;
      case ANEURALNETWORKS_TENSOR_BOOL8:
        reals[i] = bytes[i];
        break;
      case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        reals[i] = info.scale * static_cast<float>(static_cast<int32_t>(bytes[i]) - info.zero_point);
        break;
      case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
      case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
        reals[i] = info.scale * static_cast<float>(static_cast<int32_t>(load<int8_t>(bytes, i)) - info.zero_point);
        break;
      case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        reals[i] = info.scale * static_cast<float>(static_cast<int32_t>(load<uint16_t>(bytes, i)) - info.zero_point);
        break;
      case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        reals[i] = info.scale * static_cast<float>(static_cast<int32_t>(load<int16_t>(bytes, i)) - info.zero_point);
        break;
      default:
        break;
    }
  }
  return reals;
}

std::vector<uint8_t> made_up_input(const OperandInfo& input, uint32_t seed) {
  std::vector<float> reals(input.elements());
  uint32_t state = seed * 2654435761u + 1;
  for (float& real : reals) {
    state = state * 1664525u + 1013904223u;
    real = input.type == ANEURALNETWORKS_TENSOR_INT32 ? 0.0f : static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return encode(reals, input);
}

}  // namespace nnvk::tools
