// Functions that NNAPI does not have, composed of its operations, with their error bounds.
#pragma once

#include "importers/onnx/emitter.h"

namespace nnvk::importers::onnx {

// Emits erf(x), within 4 units in the last place of float32: 1.3 if the device rounds EXP correctly (tests/importers/onnx
// measures it).
Result<Tensor> error_function(Emitter& emitter, const Tensor& input);
// Emits log(1 + x) for x >= 0, with small relative errors for small x.
Result<Tensor> log_of_one_plus(Emitter& emitter, const Tensor& input);
// Emits log(1 + exp(x)), without overflow.
Result<Tensor> softplus(Emitter& emitter, const Tensor& input);
// Emits cos(x) as 1 - 2 sin(x / 2)^2: within 2e-7 absolutely.
Result<Tensor> cosine(Emitter& emitter, const Tensor& input);
// Emits x * sigmoid(factor * x).
Result<Tensor> swish(Emitter& emitter, const Tensor& input, double factor);
Result<Tensor> gelu(Emitter& emitter, const Tensor& input, bool tanh_form);
// Emits the sum of coefficients[i] * x^i.
Result<Tensor> polynomial(Emitter& emitter, const Tensor& input, std::span<const double> coefficients);

}  // namespace nnvk::importers::onnx
