// Moves of a dequantized tensor happen on its integers: the conversion to real numbers waits for a reader that needs them.
#pragma once

#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {

// Applies `move`, which only moves elements or picks among them, to input 0 and makes the result output 0.
template <class Move>
Result<Tensors> moved(OperatorCall& call, Move move) {
  if (auto quantized = call.quantized(0); quantized && !quantized->per_axis() && quantized->tensor.is_8bit()) {
    TOOLS_ASSIGN(quantized->tensor, move(quantized->tensor));
    call.defer(*std::move(quantized));
    return Tensors{};
  }
  TOOLS_ASSIGN(const Tensor input, call.input(0));
  return one(move(input));
}

}  // namespace nnvk::importers::onnx
