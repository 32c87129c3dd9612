// Explains the choice of convolution kernels in words (Dispatch::choice). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "vulkan/kernels/convolution_choice.h"

namespace nnvk::vulkan {

// `pixels`: the number that could share a tile. `invocations`: those of the dispatch.
std::string reason_of(const ConvolutionChoice& choice, uint64_t pixels, uint64_t invocations, const DeviceTraits& traits);
std::string reason_of(const DepthwiseChoice& choice, uint64_t invocations, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
