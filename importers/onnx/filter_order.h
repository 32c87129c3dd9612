// Filters with their dimensions in the order of NNAPI.
#pragma once

#include <span>

#include "importers/onnx/emitter.h"

namespace nnvk::importers::onnx {

// Transposes a filter of four dimensions, only to be an operand of CONV_2D. A constant of the graph stays as it is, and nnvk puts
// it in order. One that the import has made is replaced, so that there is one copy.
Result<Tensor> transpose_filter(Emitter& emitter, const Tensor& filter, std::span<const int64_t> permutation);

}  // namespace nnvk::importers::onnx
