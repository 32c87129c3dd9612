// Chooses which float layers are computed in halves, and in which form: pure functions over plain numbers, tested without a GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/operand.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// Whether products of `type` should hold their weights as halves, in kernels that can. Only for FLOAT16, and for FLOAT32 in
// relaxed models, where sums are halves too. GPUs with half arithmetic do so unless the form "half" is left out; software Vulkan
// does so only if that form is requested.
bool prefers_halves(OperandType type, bool relaxed, const DeviceTraits& traits);

// The work of a layer besides its weights.
struct HalfWork {
  uint64_t pixels = 1;        // that can share a tile
  uint64_t repetitions = 1;   // how many sets of `pixels` there are: phases
  uint32_t taps = 1;          // that reach a pixel, at most
  bool whole_vectors = true;  // the input can be read in vectors of four channels
  bool residual = false;
};

// Specialization of half_convolution.comp.
struct HalfChoice {
  uint32_t tile_pixels = 1;
  uint32_t quads = 1;  // vectors of four input channels that a step loads: relaxed FLOAT32 adds their products in half
  bool operator==(const HalfChoice&) const = default;
};

// nullopt if the float32 kernels must compute the layer: the sums are too long for one dispatch (bounded_work.h), channels do not
// fill vectors, or something does not fit the device.
std::optional<HalfChoice> choose_half(const FilterLayout& filter, const HalfWork& work, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
