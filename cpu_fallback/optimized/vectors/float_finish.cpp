#include "cpu_fallback/optimized/vectors/float_finish.h"

#include <algorithm>

namespace nnvk::cpu {

FloatFinish float_finish(FusedActivation own, FusedActivation fused, bool has_residual) {
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
