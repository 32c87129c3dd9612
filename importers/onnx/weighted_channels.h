// Averages and normalisations of 8-bit images between DequantizeLinear and QuantizeLinear, as NNAPI's depthwise convolution: it
// takes any scales and rounds once.
#pragma once

#include <span>

#include "importers/onnx/window.h"

namespace nnvk::importers::onnx {

// Makes the node's 8-bit result the average over a window of input 0, whose padding counts as zeros. `keep`: whether the result
// keeps the image's dimensions when the window is the whole image. Returns false if the node's surroundings are no integers, or
// if NNAPI does not have such an average: then nothing was added.
Result<bool> absorbed_average(OperatorCall& call, const Window& window, bool keep);
// Does the same with the average over whole images.
Result<bool> absorbed_global_average(OperatorCall& call, bool keep);
// Makes the node's 8-bit result input 0 times a factor plus an addend, which are given for each channel.
Result<bool> absorbed_scaling(OperatorCall& call, std::span<const double> factors, std::span<const double> addends);

}  // namespace nnvk::importers::onnx
