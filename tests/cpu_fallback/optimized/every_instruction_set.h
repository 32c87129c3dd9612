// Calls to vector code with every instruction set that was compiled and that this processor has.
#pragma once

#include <string>

#include "hwy/targets.h"

namespace nnvk::test {

// Calls fn(name) once per instruction set; only that set is in use during the call.
template <class Function>
void with_every_instruction_set(const Function& fn) {
  const auto choose = [](int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  int64_t targets = hwy::SupportedTargets() & ~int64_t{HWY_SSSE3};  // which cpu_fallback/CMakeLists.txt leaves out
#ifdef __SANITIZE_ADDRESS__  // that build also stops at undefined behaviour: Highway's scalar functions make integers of NaN
  targets &= ~(int64_t{HWY_SCALAR} | int64_t{HWY_EMU128});
#endif
  for (int64_t rest = targets; rest != 0; rest &= rest - 1) {
    choose(rest & -rest);
    fn(std::string(hwy::TargetName(rest & -rest)));
  }
  choose(0);
}

}  // namespace nnvk::test
