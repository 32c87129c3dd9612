// The values of constants as NNAPI needs them: dense, one element after the other, and as floats or integers. Pure.
#pragma once

#include <optional>

#include "importers/tflite/graph.h"

namespace nnvk::importers::tflite {

// Returns whether the bytes of the constant are the bytes that NNAPI wants; otherwise plain_bytes() makes them.
bool is_plain(const Tensor& tensor);
// Computes all elements of a sparse constant, or of an INT4 constant in one byte each. The error gives the reason why the
// sparsity does not fit the tensor's shape and data. The caller must have taken the memory from its budget.
Result<std::vector<uint8_t>> plain_bytes(const Tensor& tensor);

// Computes the real values of a constant with these plain bytes: quantized integers are dequantized, FLOAT16 is widened. An error
// if the type has no real values, or integers have no scale.
Result<std::vector<float>> real_values(const Tensor& tensor, std::span<const uint8_t> bytes);
// Returns the values of an INT32 or INT64 constant; nothing for other types, or if one value does not fit in 32 bits.
std::optional<std::vector<int32_t>> narrow_integers(const Tensor& tensor, std::span<const uint8_t> bytes);

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

}  // namespace nnvk::importers::tflite
