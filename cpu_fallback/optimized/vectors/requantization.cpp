#include "cpu_fallback/optimized/vectors/requantization.h"

#include <algorithm>
#include <cstring>

namespace nnvk::cpu {
namespace {

constexpr int64_t kHalf = int64_t{1} << 30;  // of the first rounding

// Returns half a unit of the second rounding, in units of the first one's results.
int64_t second_half(int right_shift) { return right_shift == 0 ? 0 : int64_t{1} << (right_shift - 1); }

bool fits_rectified(const ChannelScale& channel) { return channel.multiplier.exponent <= -1; }

bool fits_bounded(const ChannelScale& channel) {
  const FixedPointMultiplier m = channel.multiplier;
  if (m.exponent > 0 || channel.largest_sum > std::numeric_limits<int32_t>::max()) return false;
  const int64_t largest = (channel.largest_sum * m.mantissa + kHalf) >> 31;
  return largest + second_half(-m.exponent) <= std::numeric_limits<int32_t>::max();
}

RequantizationForm choose_form(std::span<const ChannelScale> channels, int32_t zero_point, QuantizedBounds bounds,
                               bool has_wide_shifts) {
  if (kHasRoundingInstructions) return RequantizationForm::kAny;
  const bool is_rectified = has_wide_shifts && bounds.lo >= zero_point;
  if (is_rectified && std::ranges::all_of(channels, fits_rectified)) return RequantizationForm::kRectified;
  return std::ranges::all_of(channels, fits_bounded) ? RequantizationForm::kBounded : RequantizationForm::kAny;
}

// The vectors of one panel.
class Panel {
 public:
  Panel(int32_t* values, size_t lanes) : values_(values), lanes_(lanes) {}
  void set(size_t vector, size_t lane, int32_t value) { values_[vector * lanes_ + lane] = value; }
  // Puts 64-bit numbers of even lanes into `vector`, those of odd lanes into the next vector.
  void set_wide(size_t vector, size_t lane, int64_t value) {
    std::memcpy(values_ + (vector + lane % 2) * lanes_ + lane / 2 * 2, &value, sizeof value);
  }

 private:
  int32_t* values_;
  size_t lanes_;
};

void set_constants(Panel panel, size_t lane, FixedPointMultiplier m, RequantizationForm form) {
  const int right = std::max(-m.exponent, 0);
  if (form == RequantizationForm::kAny) {
    const bool is_huge = m.exponent > 31;  // every bit is shifted out
    panel.set(0, lane, is_huge ? 0 : m.mantissa);
    panel.set(1, lane, is_huge ? 0 : std::max(m.exponent, 0));
    panel.set(2, lane, right);
    return;
  }
  panel.set_wide(0, lane, m.mantissa);
  panel.set_wide(2, lane, kHalf + (second_half(right) << 31));
  if (form == RequantizationForm::kRectified) {
    panel.set_wide(4, lane, lane % 2 == 0 ? 31 + right : right - 1);
  } else {
    panel.set(4, lane, right);
    panel.set(5, lane, right == 0 ? std::numeric_limits<int32_t>::min() : 0);
  }
}

}  // namespace

Requantization make_requantization(std::span<const ChannelScale> channels, int32_t zero_point, QuantizedBounds bounds,
                                   size_t lanes, bool has_wide_shifts) {
  Requantization results;
  results.form = choose_form(channels, zero_point, bounds, has_wide_shifts);
  results.zero_point = zero_point;
  results.bounds = bounds;
  const auto differs = [&](const ChannelScale& channel) { return channel.multiplier != channels[0].multiplier; };
  const size_t stored = std::ranges::any_of(channels, differs) ? channels.size() : std::min(channels.size(), lanes);
  results.constants = AlignedBuffer<int32_t>(stored * Requantization::kVectors);
  std::fill_n(results.constants.data(), results.constants.size(), 0);
  results.panel_step = stored > lanes ? Requantization::kVectors * lanes : 0;
  for (size_t i = 0; i < stored; ++i) {
    const Panel panel(results.constants.data() + i / lanes * results.panel_step, lanes);
    set_constants(panel, i % lanes, channels[i].multiplier, results.form);
  }
  return results;
}

}  // namespace nnvk::cpu
