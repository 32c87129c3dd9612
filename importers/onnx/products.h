// Products of matrices.
#pragma once

#include <optional>

#include "importers/onnx/emitter.h"

namespace nnvk::importers::onnx {

// Emits input [..., K] times weights [N, K], transposed, plus a bias [N]; the result is [..., N].
Result<Tensor> dense(Emitter& emitter, const Tensor& input, const Tensor& weights, const std::optional<Tensor>& bias);
// Emits numpy's matmul: it multiplies the last two dimensions, and broadcasts all others; vectors take part as rows or columns.
Result<Tensor> matrix_product(Emitter& emitter, const Tensor& a, const Tensor& b);
// Multiplies along one axis: element [.., i, ..] of the result is the sum over k of matrix[i, k] * input[.., k, ..], plus
// bias[i].
Result<Tensor> along_axis(Emitter& emitter, const Tensor& input, int64_t axis, const Tensor& matrix,
                          const std::optional<Tensor>& bias);

}  // namespace nnvk::importers::onnx
