// Compiles the including file once per instruction set by Highway's foreach_target. On Arm it does so once more with dot products
// of bytes, for which Highway has no target; NNVK_WITH_NEON_DOT is then 1 and HWY_NAMESPACE N_NEON_DOT. Include it like
// foreach_target, after HWY_TARGET_INCLUDE. Then write NNVK_EXPORT(function) once, outside HWY_NAMESPACE. NNVK_CHOOSE(function)
// is the variant for the processor.
#pragma once

#include "hwy/foreach_target.h"

#if HWY_ARCH_ARM_A64

#include <sys/auxv.h>

#undef HWY_ONCE
#define HWY_ONCE 0
#define NNVK_WITH_NEON_DOT 1
#define N_NEON N_NEON_DOT
#include HWY_TARGET_INCLUDE
#undef N_NEON
#undef NNVK_WITH_NEON_DOT
#ifdef HWY_TARGET_TOGGLE
#undef HWY_TARGET_TOGGLE
#else
#define HWY_TARGET_TOGGLE
#endif
#undef HWY_ONCE
#define HWY_ONCE 1

namespace nnvk::cpu {

inline bool has_neon_dot_products() {
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  return has;
}

}  // namespace nnvk::cpu

#define NNVK_EXPORT(function) static_assert(true)
#define NNVK_CHOOSE(function) (has_neon_dot_products() ? &N_NEON_DOT::function : &N_NEON::function)

#else

#define NNVK_EXPORT(function) HWY_EXPORT(function)
#define NNVK_CHOOSE(function) HWY_DYNAMIC_DISPATCH(function)

#endif

#define NNVK_WITH_NEON_DOT 0
