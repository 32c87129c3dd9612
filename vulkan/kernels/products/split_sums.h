// Products of few pixels: several invocations share every sum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/products/product.h"

namespace nnvk::vulkan {

// The sizes for which convolution_split.comp is specialized.
struct SplitSum {
  uint32_t pixels = 1;       // of a work group: 1, 2 or 4
  uint32_t lanes = 8;        // invocations that share a sum: 8 or 32
  uint32_t vectors() const;  // of output channels of a work group
  bool operator==(const SplitSum&) const = default;
};

uint64_t work_groups(const SplitSum& split, const ProductShape& shape);
// Returns how many pixels share the weights that a work group reads: the smallest power of two that has all pixels, up to 4,
// or 2 on devices with few registers.
uint32_t split_pixels(const ProductShape& shape, const DeviceTraits& traits);

// Splits long sums if lanes would be idle with one invocation per sum. If the form is requested, splits all sums that the kernels
// can split. Returns nullopt if each invocation adds up whole sums.
std::optional<SplitSum> choose_split_sum(const ProductShape& shape, const DeviceTraits& traits);

Status emit_split_sums(const EmitContext& context, const Product& product, const SplitSum& split);

// Returns a text for Dispatch::choice: "8 invocations share every sum ...".
std::string reason_of(const SplitSum& split, const ProductShape& shape, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
