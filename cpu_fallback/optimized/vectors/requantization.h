// From 32-bit sums to 8-bit results, per channel: selects the formula that gives the reference's two roundings
// (core/base/fixed_point.h). Stores its constants in the order in which requantize-inl.h reads them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/fixed_point.h"
#include "core/operations/parameters/activation.h"
#include "cpu_fallback/optimized/aligned_buffer.h"

namespace nnvk::cpu {

// The scale from one channel's sums to its output. Channels that only fill up a panel have the first channel's multiplier.
struct ChannelScale {
  FixedPointMultiplier multiplier{0, -1};
  int64_t largest_sum = 0;  // no sum has a larger magnitude, before 32 bits wrap
};

// The formulas, the cheapest first; requantize-inl.h proves that each is exact.
enum class RequantizationForm : uint8_t {
  kRectified,  // no result below the zero point, scales below 1/2
  kBounded,    // scales below 1, sums that cannot overflow
  kAny,
};

// Whether the processor has an instruction for each of the two roundings: kAny is then the cheapest form.
#ifdef __aarch64__
inline constexpr bool kHasRoundingInstructions = true;
#else
inline constexpr bool kHasRoundingInstructions = false;
#endif

struct Requantization {
  static constexpr size_t kVectors = 6;  // of constants per panel

  RequantizationForm form = RequantizationForm::kAny;
  AlignedBuffer<int32_t> constants;  // [panels][kVectors][lanes]; one panel if all channels have one multiplier
  size_t panel_step = 0;             // numbers from one panel to the next
  int32_t zero_point = 0;
  QuantizedBounds bounds{};

  const int32_t* panel(size_t index) const { return constants.data() + index * panel_step; }
};

// Makes the constants of a requantization. `channels` fill whole panels of `lanes`. kRectified needs 64-bit shifts by numbers of
// bits that differ per lane.
Requantization make_requantization(std::span<const ChannelScale> channels, int32_t zero_point, QuantizedBounds bounds,
                                   size_t lanes, bool has_wide_shifts);

}  // namespace nnvk::cpu
