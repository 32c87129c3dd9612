// Tensors of any element type as float32: halves widened, quantized elements turned into the reals they stand for. For operations
// whose specification computes in float32 whatever the operand types are (detection).
#pragma once

#include <span>
#include <vector>

#include "cpu_fallback/reference/kernel.h"

namespace nnvk::cpu {

// An input as float32. Quantized types: (float(v) - zero point) * scale.
class RealInput {
 public:
  RealInput(const KernelContext& context, size_t input);
  float operator[](size_t i) const { return values_[i]; }
  std::span<const float> values() const { return values_; }

 private:
  std::vector<float> widened_;
  std::span<const float> values_;
};

// round_half_away(value / scale + zero point), brought into the range of the type; NaN gives the upper limit, as in QUANTIZE.
int32_t quantize_real(float value, const OperandInfo& info);

// Writes `values` to the first elements of an output of any type: rounded to half, or quantized. Nothing when the output is
// not wanted.
void store_reals(const KernelContext& context, size_t output, std::span<const float> values);
void store_integers(const KernelContext& context, size_t output, std::span<const int32_t> values);

}  // namespace nnvk::cpu
