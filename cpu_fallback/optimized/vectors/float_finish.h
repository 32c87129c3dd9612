// The last steps of a float result before it is stored: the operation's activation, adding a residual, the fused activation.
#pragma once

#include <algorithm>

#include "core/operations/parameters/activation.h"

namespace nnvk::cpu {

struct FloatFinish {
  ActivationBounds own{};
  const float* residual = nullptr;  // laid out as the result; null: none, and `fused` is part of `own`
  ActivationBounds fused{};         // after the sum with the residual
};

// Makes the last step of float results. `own`: the operation's activation; `fused`: one that rewrites merged into it. Each run
// sets the address of the residual.
inline FloatFinish float_finish(FusedActivation own, FusedActivation fused, bool has_residual) {
  FloatFinish finish;
  finish.own = float_activation_bounds(own);
  finish.fused = float_activation_bounds(fused);
  if (!has_residual) {
    finish.own = {std::clamp(finish.own.lo, finish.fused.lo, finish.fused.hi),
                  std::clamp(finish.own.hi, finish.fused.lo, finish.fused.hi)};
  }
  return finish;
}

}  // namespace nnvk::cpu
