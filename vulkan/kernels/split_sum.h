// Chooses which products of few pixels have their sums split among invocations, and among how many: pure functions over plain
// numbers, tested without a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vulkan/kernels/convolution_tile.h"

namespace nnvk::vulkan {

// Specialization of convolution_split.comp.
struct SplitSum {
  uint32_t pixels = 1;       // of a work group: 1, 2 or 4
  uint32_t lanes = 8;        // invocations that share a sum: 8 or 32
  uint32_t vectors() const;  // of output channels of a work group
  bool operator==(const SplitSum&) const = default;
};

// Work groups of a product.
uint64_t work_groups(const SplitSum& split, const TiledProduct& product);

// GPUs split long sums if lanes would be idle with one invocation per sum. With the form "split", all devices split all sums that
// kernels can split. `loads`: steps of a sum (ConvolutionParams::in_steps). nullopt: each invocation adds up whole sums.
std::optional<SplitSum> choose_split_sum(const TiledProduct& product, uint64_t loads, const DeviceTraits& traits);

// "8 invocations share every sum ...": for Dispatch::choice.
std::string reason_of(const SplitSum& split, const TiledProduct& product, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
