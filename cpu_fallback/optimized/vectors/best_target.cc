// Prints the best of Highway's targets that this processor has, for the build (cpu_fallback/CMakeLists.txt).
#include <cstdio>

#include "hwy/highway.h"
#include "hwy/targets.h"

int main() {
  const auto usable = hwy::SupportedTargets() & HWY_TARGETS;
  std::printf("%lld", static_cast<long long>(usable & -usable));  // better ones have lower bits
}
