// Convolutions in NNAPI: one of three operations, by the number of groups. Images are NCHW, weights OIHW as in ONNX.
#pragma once

#include <optional>

#include "importers/onnx/quantization.h"
#include "importers/onnx/window.h"

namespace nnvk::importers::onnx {

struct Convolution {
  Window window;
  int64_t groups = 1;
  int32_t activation = ANEURALNETWORKS_FUSED_NONE;
};

// Emits a convolution with `weights` [O, I/groups, H, W] and `bias` [O] or nothing.
Result<Tensor> convolve(Emitter& emitter, const Convolution& how, const Tensor& image, const Tensor& weights,
                        const std::optional<Tensor>& bias);
// The operands of a convolution of integers. convolve_integers() returns nothing if NNAPI cannot express the convolution: then
// the caller computes with real numbers.
struct IntegerOperands {
  Quantized image;
  Quantized weights;
  LayerBias bias;
};
Result<std::optional<Tensor>> convolve_integers(Emitter& emitter, const Convolution& how, const IntegerOperands& operands,
                                                const Requantization& target);
// Emits a transposed convolution with `weights` [I, O/groups, H, W].
Result<Tensor> convolve_transposed(Emitter& emitter, const Convolution& how, const Tensor& image, const Tensor& weights,
                                   const std::optional<Tensor>& bias);

}  // namespace nnvk::importers::onnx
