// What follows a float result before it is stored: the operation's activation, the sum with a residual, the activation behind it.
#pragma once

#include "core/operations/parameters/activation.h"

namespace nnvk::cpu {

struct FloatFinish {
  ActivationBounds own{};
  const float* residual = nullptr;  // laid out as the result; null: none, and `fused` is part of `own`
  ActivationBounds fused{};         // behind the sum with the residual
};

// `own`: of the operation; `fused`: what rewrites put behind it. The address of the residual is set in each run.
FloatFinish float_finish(FusedActivation own, FusedActivation fused, bool has_residual);

}  // namespace nnvk::cpu
