// Sums, products and dense layers on 8-bit integers.
#pragma once

#include <optional>

#include "importers/onnx/quantization.h"

namespace nnvk::importers::onnx {

// Emits ADD, SUB or MUL of 8-bit tensors. Returns nothing if NNAPI cannot express it: then the caller computes with real numbers.
Result<std::optional<Tensor>> quantized_arithmetic(Emitter& emitter, int32_t code, const Quantized& a, const Quantized& b,
                                                   const Requantization& target);

// A layer that computes input [..., K] times weights [K, N] (transposed: [N, K]) plus bias [N]. quantized_layer() returns nothing
// if NNAPI cannot express it.
struct QuantizedLayer {
  Quantized input;
  Quantized weights;
  bool transposed = false;
  LayerBias bias;
};
Result<std::optional<Tensor>> quantized_layer(Emitter& emitter, const QuantizedLayer& layer, const Requantization& target);

}  // namespace nnvk::importers::onnx
