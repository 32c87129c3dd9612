// Constants whose elements stand in another order than those of the constant that they come from.
#pragma once

#include "importers/onnx/emitter.h"

namespace nnvk::importers::onnx {

// Returns a constant whose element at a position is the one at the sum of the position's coordinates times `strides`, in
// elements.
ConstantPointer strided(const Constant& constant, Dimensions dimensions, const Dimensions& strides);

}  // namespace nnvk::importers::onnx
